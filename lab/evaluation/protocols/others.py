"""Tables on other data: correlation with graded judgements, tuned thresholds, rankings."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import stats

from qsquared.evaluation.measured import (
    BASELINES,
    MEASURES,
    Measured,
    make_table,
    published,
)
from qsquared.evaluation.pairs import compare_all
from qsquared.evaluation.reporting.report import ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.statistics import (
    accuracy_at,
    best_threshold,
    mean_value,
    pearson,
    spearman,
)
from qsquared.method.bootstrap import Statistic, bootstrap
from qsquared.method.threshold import THRESHOLD

DNLI_RUN = Run("q2", ("q2", "blend", *BASELINES), (("leave_out_personal", False),))
"""Dialogue NLI is about the speakers, so the paper keeps personal questions there."""

RANKING_RUN = Run("q2", ("q2", "blend", "qags", *BASELINES))

_DNLI_THRESHOLD = 0.1
"""The threshold that the Q² paper's development set gives (section 5.3)."""


def topical_tables(measured: Measured) -> list[ResultTable]:
    """Make table 5 of Q²: correlation with "Uses Knowledge" of USR."""
    known = published("topical-chat", "table 5")
    rows = measured.rows("Spearman", MEASURES, spearman, known)
    rows += measured.rows("Pearson", MEASURES, pearson, known)
    tests = []
    for name, test in (("Spearman", stats.spearmanr), ("Pearson", stats.pearsonr)):
        for measure in measured.present(MEASURES):
            values = measured.values(measure)
            there = ~np.isnan(values)
            found = test(measured.labels[there], values[there])
            tests.append(f"{name} {measure}: p = {found.pvalue:.1e}")
    contexts = len(set(measured.clusters()))
    note = (
        f"{contexts} contexts. The figures of USR and METEOR, which the paper took from USR, are of "
        "all 60 contexts, of which 8 have no fact; METEOR there compares with the original reply. "
        "They are not comparable with the other rows: on all 60 every measure against the fact "
        "correlates far less. p-value of each correlation by scipy: "
        f"{'; '.join(tests)}."
    )
    pairs = (
        *measured.pairs("Spearman", MEASURES, spearman),
        *measured.pairs("Pearson", MEASURES, pearson),
    )
    rows = known.complete(rows)
    return [make_table('Table 5: "Uses Knowledge"', "Correlation", rows, known, note, pairs)]


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
    for measure in ("q2", "q2_without_nli", "blend", "e2e_nli", "overlap_f1"):
        threshold = _tuned(measured, measure, accuracy_at)
        if measure == "e2e_nli":
            rows += measured.rows(
                "accuracy", (measure,), accuracy_at(THRESHOLD), known, within=test, compare=False
            )
        if threshold is None:
            continue
        tuned.append(f"{measure} {threshold:.3f}")
        found = measured.rows(
            "accuracy", (measure,), accuracy_at(threshold), known, within=test, compare=False
        )
        if measure == "e2e_nli":
            found = [
                replace(row, metric="e2e_nli, tuned threshold", published=None) for row in found
            ]
        rows += found
    note = (
        f"Thresholds by accuracy on dev: {', '.join(tuned)}; the paper's for q2 is "
        f"{_DNLI_THRESHOLD}. Neutral counts as inconsistent. `e2e_nli` has the paper's fixed rule, "
        "neutral and contradiction are inconsistent. The column of the token overlap is at the same "
        "row's threshold."
    )
    rows = known.complete(rows)
    return [make_table("Table 6: Dialogue NLI", "Accuracy on test", rows, known, note)]


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
    note = (
        "The paper's e2e_nli is BERT fine-tuned on MultiNLI (Falke et al. 2019). A tie counts half; "
        "the paper does not say what it does with one."
    )
    return [make_table("Ranking of claims", "Share of pairs in order", rows, known, note, pairs)]
