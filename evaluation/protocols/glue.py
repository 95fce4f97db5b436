"""Tables of the GLUE proxy indicators on USR's annotations (Nedelchev et al. 2021, section 4)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, minmax_scale

from qsquared.evaluation.data.usr import CRITERIA
from qsquared.evaluation.measured import Measured, Published, make_table, published
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
    """Make tables 1 and 2, the ablation, and figure 1, for each corpus that is there."""
    tables = []
    for corpus in dict.fromkeys(measured.facts("corpus")):
        tables += _corpus_tables(measured, str(corpus))
    return tables


def _corpus_tables(measured: Measured, corpus: str) -> list[ResultTable]:
    within = measured.having(corpus=corpus)
    clusters = measured.clusters(within)
    every = {name: measured.values(name)[within] for name in INDICATORS}
    indicators = {name: values for name, values in every.items() if not np.isnan(values).any()}
    rated = [item.facts["criteria"] for item in measured.items if item.facts["corpus"] == corpus]
    criteria = {name: np.array([one[name] for one in rated]) for name in CRITERIA}
    overall = criteria["Overall"]
    combined = {
        f"regression, {kind}": fitted_on_all(indicators, names, overall)
        for kind, names in (*KINDS.items(), ("all", INDICATORS))
    }
    held_out = cross_validated(indicators, INDICATORS, overall, clusters)
    combined["regression, all, cross-validated"] = held_out
    known = published("usr", corpus)
    missing = ", ".join(name for name in INDICATORS if name not in indicators)
    about_missing = f" Missing in this profile, so NULL and in no regression: {missing or 'none'}."
    values = {**indicators, **combined}
    return [
        _correlations(corpus, 0, values, criteria, clusters, known, about_missing),
        _correlations(corpus, 1, values, criteria, clusters, known),
        _weights(corpus, indicators, overall),
    ]


def _regression() -> Pipeline:
    """Make a linear regression on indicators that are each rescaled to 0 to 1."""
    return make_pipeline(MinMaxScaler(), LinearRegression())


def _matrix(values: Mapping[str, Array], names: Sequence[str]) -> Array | None:
    """Return (turns, indicators that are there); ``None`` without indicators."""
    columns = [values[name] for name in names if name in values]
    return np.column_stack(columns) if columns else None


def fitted_on_all(values: Mapping[str, Array], names: Sequence[str], ratings: Array) -> Array:
    """Return the paper's combination, fitted on the turns that it predicts; NaN without indicators."""
    matrix = _matrix(values, names)
    if matrix is None:
        return np.full(len(ratings), np.nan)
    found: Array = _regression().fit(matrix, minmax_scale(ratings)).predict(matrix)
    return found


def cross_validated(
    values: Mapping[str, Array], names: Sequence[str], ratings: Array, clusters: Sequence[str]
) -> Array:
    """Return the same, each turn predicted by ranges and a regression on other contexts."""
    matrix = _matrix(values, names)
    folds = min(FOLDS, len(set(clusters)))
    if matrix is None or folds < 2:
        return np.full(len(ratings), np.nan)
    found: Array = cross_val_predict(
        _regression(), matrix, ratings, groups=list(clusters), cv=GroupKFold(folds)
    )
    return found


def _correlations(
    corpus: str,
    kind: int,
    values: Mapping[str, Array],
    criteria: Mapping[str, Array],
    clusters: Sequence[str],
    known: Published,
    more: str = "",
) -> ResultTable:
    """Correlate all measures with every criterion, and mark the significant correlations."""
    name, statistic, test = _CORRELATIONS[kind]
    rows = []
    for place, (criterion, ratings) in enumerate(criteria.items()):
        for metric, found in values.items():
            if np.isnan(found).all():
                continue
            sure = test(ratings, found).pvalue < _SIGNIFICANT
            figure = bootstrap(statistic, ratings, found, clusters)
            marked = f"{metric} *" if sure else metric
            rows.append(Row(criterion, marked, figure, _paper(known, metric, 2 * place + kind)))
    note = (
        f"* p < {_SIGNIFICANT} by scipy's test of the correlation. The regressions are fitted on "
        "Overall of the very turns that they are measured on, as in the paper; cross-validated, "
        f"each turn is predicted from other contexts ({FOLDS} folds). Published values of QNLI and "
        "RTE are of not-entailment and stand here with their sign turned."
    )
    return make_table(f"{corpus}: {name} with each criterion", name, rows, known, note + more)


def _paper(known: Published, metric: str, place: int) -> float | None:
    # One list of figures for each metric, in the order that published.toml states.
    figures: Mapping[str, Any] = known.confirmed
    if metric not in figures:
        return None
    value = float(figures[metric][place])
    return -value if metric.endswith(_TURNED) else value


def _weights(corpus: str, values: Mapping[str, Array], ratings: Array) -> ResultTable:
    """Make figure 1: the weights of the regression over all indicators."""
    matrix = _matrix(values, INDICATORS)
    rows = []
    if matrix is not None:
        model = _regression().fit(matrix, minmax_scale(ratings))[-1]
        weights = {"bias": model.intercept_, **dict(zip(values, model.coef_, strict=True))}
        rows = [
            Row("weight", name, Figure(float(weight), None, len(ratings)))
            for name, weight in weights.items()
        ]
    note = "Of indicators and Overall rescaled to 0 to 1. The paper's are in a picture only."
    title = f"{corpus}: figure 1, weights of the regression"
    return make_table(title, "Weight", rows, note=note)
