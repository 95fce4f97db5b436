"""Scores by the defaults beside scores by the papers' rules, on the same items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qsquared.evaluation.measured import UNPUBLISHED, Measured, make_table
from qsquared.evaluation.pairs import MetricDifference, compare_all
from qsquared.evaluation.statistics import spearman
from qsquared.method.bootstrap import bootstrap
from qsquared.method.roc_auc import roc_auc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qsquared.evaluation.reporting.report import ResultTable, Row
    from qsquared.evaluation.scoring import Run

PAPERS_RULES = "papers' rules"
"""The name of the run that the defaults are compared with."""

_DEFAULTS = "defaults"
_COMPARED = ("q2", "blend", "e2e_nli", "consistency")


def by_the_defaults(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Return the runs by the defaults of `q2 score`, and the main one by the papers' rules."""
    defaults = tuple(replace(run, as_published=False) for run in runs)
    return (*defaults, replace(runs[0], name=PAPERS_RULES)) if runs else ()


def compare_with_papers_rules(measured: Measured) -> ResultTable:
    """Compare each measure of the main run by the defaults with itself by the papers' rules.

    Labels of two values are compared by ROC-AUC, others by rank correlation.
    A reply that claims nothing has no score by the defaults: each comparison is on the items that
    both score, and the note counts the others.
    """
    labelled = ~np.isnan(measured.labels)
    labels = measured.labels[labelled]
    two = set(labels.tolist()) <= {0.0, 1.0}
    name, statistic = ("ROC-AUC", roc_auc) if two else ("Spearman's correlation", spearman)
    clusters = measured.clusters(labelled)
    rows: list[Row] = []
    differences: list[MetricDifference] = []
    unscored: list[str] = []
    main = measured.scores[measured.main]
    given = {column for table in main.tables.values() for column in table.columns}
    for measure in (one for one in measured.present(_COMPARED) if one in given):
        values = {
            _DEFAULTS: measured.values(measure)[labelled],
            PAPERS_RULES: measured.values(measure, PAPERS_RULES)[labelled],
        }
        both = ~np.isnan(list(values.values())).any(axis=0)
        for shown, found in values.items():
            figure = bootstrap(statistic, labels, np.where(both, found, np.nan), clusters)
            rows.append(UNPUBLISHED.row(measure, shown, figure))
        differences += compare_all(measure, statistic, labels, values, clusters)
        missing = int(np.isnan(values[_DEFAULTS]).sum())
        unscored.append(f"{measure} {missing:,}")
    note = (
        f"On the items that both score. Of {len(labels):,} items these have no score by the "
        f"defaults, because they claim nothing or failed: {', '.join(unscored)}."
    )
    return make_table(
        f"Defaults against the {PAPERS_RULES}", name, rows, UNPUBLISHED, note, differences
    )
