"""Named calibrations of a score by judgements; the scores themselves never change.

A calibration is a JSON file of the store with the hash of the judgements that it was made from.
"""

from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from qsquared.errors import UsageError
from qsquared.method.rates.calibration import (
    auc,
    brier,
    fit_curve,
    held_out,
    reliability,
    threshold_for,
)
from qsquared.storage.keys import digest
from qsquared.storage.labels.corrected_rates import Labelled
from qsquared.storage.labels.judged_replies import Score
from qsquared.storage.store import Store, store_option

Array = npt.NDArray[np.float64]


def calibrate(
    store: Store,
    labels: Labelled,
    score: Score,
    name: str,
    *,
    precision: float = 0.0,
    recall: float = 0.0,
) -> dict[str, Any]:
    """Return a calibration of a score as a plain JSON object.

    Raises:
        UsageError: all judgements are the same, or no threshold has what is wanted.
    """
    scores, judged, weights = _known(labels)
    if len(set(judged.tolist()) - {0.5}) < 2:
        raise UsageError(
            "Nothing can be calibrated: all judgements are the same, ties aside.",
            f"Judge more replies: q2 label draw --n 100 --out form.html {store_option(store)}",
        )
    threshold = None
    if precision or recall:
        threshold = threshold_for(scores, judged, weights, precision=precision, recall=recall)
        if threshold is None:
            aim = f"precision of {precision:g}" if precision else f"recall of {recall:g}"
            raise UsageError(
                f"No threshold of {score.measure} has a {aim} on the judged replies.",
                "Ask for less, or calibrate another score: --measure NAME",
            )
    chances = held_out(scores, judged, weights)
    curve = fit_curve(scores, judged, weights)
    has_label = ~np.isnan(labels.population.judged)
    pairs = [pair for pair, there in zip(labels.pairs, has_label, strict=True) if there]
    return {
        "name": name,
        "measure": score.measure,
        "metric": score.metric,
        "profile": score.profile,
        "configuration": score.configuration,
        "labels": len(judged),
        "data": digest([[pair, float(value)] for pair, value in zip(pairs, judged, strict=True)]),
        "curve": asdict(curve),
        "threshold": None if threshold is None else asdict(threshold),
        "auc": auc(chances, judged),
        "brier": brier(chances, judged, weights),
        "reliability": [asdict(group) for group in reliability(chances, judged, weights)],
    }


def _known(labels: Labelled) -> tuple[Array, Array, Array]:
    """Return score, judgement and weight (the turns that it stands for) of each judged reply."""
    population = labels.population
    has_label = ~np.isnan(population.judged)
    weights = (population.turns / population.chances)[has_label]
    return 1 - population.predictions[has_label], population.judged[has_label], weights
