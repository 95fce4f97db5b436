"""Tables on other data: correlation with graded judgements, tuned thresholds, rankings."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import stats

from qsquared.evaluation.measured import BASELINES, MEASURES, Measured, make_table, published
from qsquared.evaluation.report import ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.statistics import (
    MetricDifference,
    accuracy_at,
    best_threshold,
    compare_all,
    mean_value,
    pearson,
    spearman,
)
from qsquared.method.bootstrap import Statistic, bootstrap
from qsquared.method.threshold import THRESHOLD

DNLI_RUN = Run("q2", ("q2", "blend", *BASELINES), (("leave_out_personal", False),))
"""Dialogue NLI is about the speakers, so the paper keeps personal questions there."""

RANKING_RUN = Run("q2", ("q2", "blend", "qags", *BASELINES))


def topical_tables(measured: Measured) -> list[ResultTable]:
    """Make table 5 of Q²: correlation with "Uses Knowledge" of USR."""
    known = published("topical-chat", "table 5")
    rows: list[Row] = []
    tests: list[str] = []
    pairs: list[MetricDifference] = []
    for name, statistic, test in (
        ("Spearman", spearman, stats.spearmanr),
        ("Pearson", pearson, stats.pearsonr),
    ):
        rows += measured.rows(name, MEASURES, statistic, known)
        pairs += measured.pairs(name, MEASURES, statistic)
        for measure in measured.present(MEASURES):
            values = measured.values(measure)
            there = ~np.isnan(values)
            found = test(measured.labels[there], values[there])
            tests.append(f"{name} {measure}: p = {found.pvalue:.1e}")
    said = {"contexts": len(set(measured.clusters())), "tests": "; ".join(tests)}
    rows = known.complete(rows)
    return [make_table("topical-chat", "table 5", rows, pairs, known, **said)]


def _tuned(
    measured: Measured,
    measure: str,
    statistic: Callable[[float], Statistic],
) -> float | None:
    """Return the best threshold on the development rows; ``None`` where there are none."""
    dev = measured.having(split="dev") & ~np.isnan(measured.values(measure))
    if not dev.any():
        return None
    return best_threshold(measured.labels[dev], measured.values(measure)[dev], statistic)


def dnli_tables(measured: Measured) -> list[ResultTable]:
    """Make table 6 of Q²: accuracy on test at the threshold that is best on dev."""
    known = published("dnli", "table 6")
    test = measured.having(split="test")
    rows: list[Row] = []
    tuned = []

    def accuracy(measure: str, threshold: float) -> list[Row]:
        statistic = accuracy_at(threshold)
        return measured.rows("accuracy", (measure,), statistic, known, within=test, compare=False)

    for measure in ("q2", "q2_without_nli", "blend", "e2e_nli", "overlap_f1"):
        threshold = _tuned(measured, measure, accuracy_at)
        found = [] if threshold is None else accuracy(measure, threshold)
        if measure == "e2e_nli":
            # The paper's figure is that of the fixed threshold.
            name = "e2e_nli, tuned threshold"
            found = [replace(row, metric=name, published=None) for row in found]
            rows += accuracy(measure, THRESHOLD)
        rows += found
        tuned += [] if threshold is None else [f"{measure} {threshold:.3f}"]
    rows = known.complete(rows)
    return [make_table("dnli", "table 6", rows, known=known, tuned=", ".join(tuned))]


def ranking_tables(measured: Measured) -> list[ResultTable]:
    """Make the ranking of Falke et al. 2019: shares of pairs in order; ties count half."""
    known = published("ranking", "table 5")
    claims = measured.items
    correct = np.array(
        [i for i in range(0, len(claims) - 1, 2) if claims[i].cluster == claims[i + 1].cluster]
    )
    assert (measured.labels[correct] == 1).all()
    clusters = [claims[i].cluster for i in correct]
    wins = {}
    for measure in measured.present((*MEASURES, "qags")):
        values = measured.values(measure)
        first, second = values[correct], values[correct + 1]
        won = np.where(first > second, 1.0, np.where(first == second, 0.5, 0.0))
        wins[measure] = np.where(np.isnan(first) | np.isnan(second), np.nan, won)
    floor = float(np.nanmean(wins["overlap_f1"]))
    part = "correct above incorrect"
    rows = [
        known.row(part, measure, bootstrap(mean_value, won, won, clusters), floor)
        for measure, won in wins.items()
    ]
    pairs = compare_all(part, mean_value, np.ones(len(correct)), wins, clusters)
    return [make_table("ranking", "table 5", rows, pairs, known)]
