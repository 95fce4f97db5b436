"""The area under the ROC curve, how well values tell two kinds of items apart, and whether chance explains it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from qsquared.method.bootstrap import Array, Figure, bootstrap


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


@dataclass(frozen=True, slots=True)
class Quality:
    """ROC-AUC of scores with its 95 % interval over clusters of items.

    ``p_value`` is the probability that scores without any relation to the labels have such a ROC-AUC
    or a higher one (Mann and Whitney's test, one-sided).
    """

    auc: Figure
    p_value: float


def quality(labels: Array, scores: Array, clusters: Sequence[str]) -> Quality:
    """Return the quality of scores.

    Args:
        labels: 1 for a supported reply, 0 for another, NaN without a label.
        scores: higher for a better supported reply; NaN for an unscored one, which is left out.
        clusters: the cluster of each item, such as its knowledge.
    """
    labelled = ~np.isnan(labels)
    labels, scores = labels[labelled], scores[labelled]
    kept = [name for name, has_label in zip(clusters, labelled, strict=True) if has_label]
    return Quality(
        bootstrap(roc_auc, labels, scores, kept),
        chance(labels, scores),
    )


def chance(labels: Array, scores: Array) -> float:
    """Return the p-value of a ROC-AUC against one half; 1 where there is nothing to compare."""
    from scipy.stats import mannwhitneyu

    scored = ~np.isnan(scores)
    labels, scores = labels[scored], scores[scored]
    supported, others = scores[labels > 0.5], scores[labels <= 0.5]
    if not len(supported) or not len(others) or not np.ptp(scores):
        return 1.0
    return float(mannwhitneyu(supported, others, alternative="greater").pvalue)
