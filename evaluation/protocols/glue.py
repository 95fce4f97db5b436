"""The protocol of the GLUE proxy indicators (Nedelchev et al. 2021, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import MinMaxScaler

from qsquared.evaluation.data.usr import CRITERIA
from qsquared.evaluation.measured import Measured, Published, published
from qsquared.evaluation.reporting.report import ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.statistics import Array, Figure, bootstrap, pearson, spearman
from qsquared.method.glue.indicators import INDICATORS, KINDS

GLUE_RUN = Run("glue", ("glue",), tables=("indicators",))

FOLDS = 10
"""Parts of whole contexts, of which each is predicted by a regression on the others."""

_CORRELATIONS = (
    ("Pearson", pearson, stats.pearsonr),
    ("Spearman", spearman, stats.spearmanr),
)
_TURNED = ("qnli", "rte")
"""Ours are the probability of entailment, the paper's of the last output, which is not it."""

_SIGNIFICANT = 0.05


def usr_tables(measured: Measured) -> list[ResultTable]:
    """Tables 1 and 2, the ablation, and figure 1, for each corpus that is there."""
    tables = []
    for corpus in dict.fromkeys(measured.facts("corpus")):
        tables += _corpus_tables(measured, str(corpus))
    return tables


def _corpus_tables(measured: Measured, corpus: str) -> list[ResultTable]:
    within = measured.where(lambda item: item.facts["corpus"] == corpus)
    clusters = [c for c, one in zip(measured.clusters, within, strict=True) if one]
    every = {name: measured.values(name)[within] for name in INDICATORS}
    there = {name: values for name, values in every.items() if not np.isnan(values).any()}
    facts = [f for f, one in zip(measured.facts("criteria"), within, strict=True) if one]
    criteria = {name: np.array([fact[name] for fact in facts]) for name in CRITERIA}
    overall = criteria["Overall"]
    combined = {
        f"regression, {kind}": fitted_on_all(there, names, overall)
        for kind, names in (*KINDS.items(), ("all", INDICATORS))
    }
    held_out = cross_validated(there, INDICATORS, overall, clusters)
    combined["regression, all, cross-validated"] = held_out
    known = published("usr", corpus)
    tables = [
        _correlations(corpus, at, {**there, **combined}, criteria, clusters, known)
        for at in range(len(_CORRELATIONS))
    ]
    missing = [name for name in INDICATORS if name not in there]
    said = f"Missing in this profile, so NULL and in no regression: {', '.join(missing) or 'none'}."
    tables[0] = _noted(tables[0], said)
    return [*tables, _weights(corpus, there, overall)]


def _scaled(values: Mapping[str, Array], names: Sequence[str]) -> Array:
    """(turns, indicators that are there), each 0 to 1 over the corpus."""
    columns = [values[name] for name in names if name in values]
    if not columns:
        return np.zeros((0, 0))
    scaled: Array = MinMaxScaler().fit_transform(np.column_stack(columns))
    return scaled


def fitted_on_all(values: Mapping[str, Array], names: Sequence[str], ratings: Array) -> Array:
    """The paper's combination: fitted on the turns that it then predicts; NaN without indicators."""
    matrix = _scaled(values, names)
    if not matrix.size:
        return np.full(len(ratings), np.nan)
    truth = MinMaxScaler().fit_transform(ratings[:, None])[:, 0]
    found: Array = LinearRegression().fit(matrix, truth).predict(matrix)
    return found


def cross_validated(
    values: Mapping[str, Array], names: Sequence[str], ratings: Array, clusters: Sequence[str]
) -> Array:
    """The same, each turn predicted by ranges and a regression on other contexts."""
    columns = [values[name] for name in names if name in values]
    folds = min(FOLDS, len(set(clusters)))
    if not columns or folds < 2:
        return np.full(len(ratings), np.nan)
    matrix = np.column_stack(columns)
    found = np.full(len(ratings), np.nan)
    for train, test in GroupKFold(folds).split(matrix, ratings, list(clusters)):
        scaler = MinMaxScaler().fit(matrix[train])
        model = LinearRegression().fit(scaler.transform(matrix[train]), ratings[train])
        found[test] = model.predict(scaler.transform(matrix[test]))
    return found


def _correlations(
    corpus: str,
    at: int,
    values: Mapping[str, Array],
    criteria: Mapping[str, Array],
    clusters: Sequence[str],
    known: Published,
) -> ResultTable:
    """One kind of correlation of everything with every criterion; significant ones are marked."""
    name, statistic, test = _CORRELATIONS[at]
    rows = []
    for place, (criterion, ratings) in enumerate(criteria.items()):
        for metric, found in values.items():
            if np.isnan(found).all():
                continue
            sure = test(ratings, found).pvalue < _SIGNIFICANT
            figure = bootstrap(statistic, ratings, found, clusters)
            marked = f"{metric} *" if sure else metric
            rows.append(Row(criterion, marked, figure, _paper(known, metric, 2 * place + at)))
    note = (
        f"* p < {_SIGNIFICANT} by scipy's test of the correlation. The regressions are fitted on "
        "Overall of the very turns that they are measured on, as in the paper; cross-validated, "
        f"each turn is predicted from other contexts ({FOLDS} folds). Published values of QNLI and "
        "RTE are of not-entailment and stand here with their sign turned."
    )
    title = f"{corpus}: {name} with each criterion"
    return ResultTable(title, name, tuple(rows), known.source, note)


def _paper(known: Published, metric: str, place: int) -> float | None:
    # One list of figures for each metric, in the order that published.toml states.
    figures: Mapping[str, Any] = known.confirmed
    if metric not in figures:
        return None
    value = float(figures[metric][place])
    return -value if metric.endswith(_TURNED) else value


def _weights(corpus: str, values: Mapping[str, Array], ratings: Array) -> ResultTable:
    """Figure 1: the weights of the regression over all indicators."""
    matrix = _scaled(values, INDICATORS)
    rows = []
    if matrix.size:
        truth = MinMaxScaler().fit_transform(ratings[:, None])[:, 0]
        model = LinearRegression().fit(matrix, truth)
        named = [("bias", float(model.intercept_))]
        named += list(zip(values, map(float, model.coef_), strict=True))
        rows = [Row("weight", name, Figure(one, None, len(ratings))) for name, one in named]
    note = "Of indicators and Overall rescaled to 0 to 1. The paper's are in a picture only."
    return ResultTable(
        f"{corpus}: figure 1, weights of the regression", "Weight", tuple(rows), "", note
    )


def _noted(table: ResultTable, more: str) -> ResultTable:
    note = f"{table.note} {more}"
    return ResultTable(table.title, table.statistic, table.rows, table.source, note)
