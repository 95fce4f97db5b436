"""The area under the ROC curve: how well values tell two kinds of items apart."""

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

Array = npt.NDArray[np.float64]


def roc_auc(labels: Array, values: Array) -> float:
    """Return the probability that an item above 0.5 has a higher value than another; ties count half.

    NaN where all items are of one kind.
    """
    positive = labels > 0.5
    count = int(positive.sum())
    others = len(labels) - count
    if not count or not others:
        return float("nan")
    ranks = rankdata(values)
    return float((ranks[positive].sum() - count * (count + 1) / 2) / (count * others))
