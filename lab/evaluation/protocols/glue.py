"""Tables of the GLUE proxy indicators on USR's annotations (Nedelchev et al. 2021, section 5)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, minmax_scale

from qsquared.evaluation.data.usr import CONTEXTS, CRITERIA
from qsquared.evaluation.measured import Mask, Measured, Published, make_table, published
from qsquared.evaluation.pairs import MetricDifference, compare_all
from qsquared.evaluation.reporting.report import ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.statistics import pearson, spearman
from qsquared.method.bootstrap import Array, Figure, bootstrap
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

OF_PAPER = "the paper's "
"""Begins the name of a measure by the values of the paper's own models."""
_COMPARED = ("context_stsb", "fact_stsb", "regression, all")
_COMPARED_ON = ("Maintains Context", "Uses Knowledge", "Overall")
"""The measures and criteria on which ours are tested against the paper's models, reply by reply."""


def usr_tables(measured: Measured) -> list[ResultTable]:
    """Make tables 1 and 2, the ablation and figure 1 of each corpus, with either context."""
    tables = []
    for corpus in dict.fromkeys(measured.facts("corpus")):
        for context in CONTEXTS:
            within = measured.having(corpus=corpus, context=context)
            values = {name: measured.values(name)[within] for name in INDICATORS}
            if context == CONTEXTS[0]:
                tables += _corpus_tables(measured, within, values, str(corpus))
            else:
                tables += _last_turn_tables(measured, within, values, str(corpus))
    return tables


def indicator_tables(measured: Measured) -> list[ResultTable]:
    """Make the same tables from the values that the paper's own models gave."""
    tables = []
    for corpus in dict.fromkeys(measured.facts("corpus")):
        within = measured.having(corpus=corpus)
        rated = [
            facts for facts, one in zip(measured.facts("indicators"), within, strict=True) if one
        ]
        values = {name: np.array([one[name] for one in rated]) for name in INDICATORS}
        tables += _corpus_tables(measured, within, values, str(corpus), turned=False)
    return tables


def _criteria(measured: Measured, within: Mask) -> dict[str, Array]:
    rated = [facts for facts, one in zip(measured.facts("criteria"), within, strict=True) if one]
    return {name: np.array([one[name] for one in rated]) for name in CRITERIA}


def _combined(
    indicators: Mapping[str, Array], overall: Array, kinds: Mapping[str, Sequence[str]]
) -> dict[str, Array]:
    return {
        f"regression, {kind}": fitted_on_all(indicators, names, overall)
        for kind, names in kinds.items()
    }


_ALL_KINDS: Mapping[str, Sequence[str]] = {**KINDS, "all": INDICATORS}


def _there(values: Mapping[str, Array]) -> dict[str, Array]:
    """Leave out the indicators that the models do not give."""
    return {name: found for name, found in values.items() if not np.isnan(found).any()}


def _corpus_tables(
    measured: Measured,
    within: Mask,
    values: Mapping[str, Array],
    corpus: str,
    turned: bool = True,
) -> list[ResultTable]:
    """Make the tables of one corpus; ``turned`` says that QNLI and RTE are of entailment."""
    clusters = measured.clusters(within)
    indicators = _there(values)
    criteria = _criteria(measured, within)
    overall = criteria["Overall"]
    combined = _combined(indicators, overall, _ALL_KINDS)
    held_out = cross_validated(indicators, INDICATORS, overall, clusters)
    combined["regression, all, cross-validated"] = held_out
    known = published("usr", corpus)
    missing = ", ".join(name for name in INDICATORS if name not in indicators)
    note = (
        f"* p < {_SIGNIFICANT} by scipy's test of the correlation. The regressions are fitted on "
        "Overall of the very turns that they are measured on, as in the paper; cross-validated, "
        f"each turn is predicted from other contexts ({FOLDS} folds). The paper calls Engaging "
        "Interesting. "
    )
    if turned:
        note += (
            "The context is the whole dialogue. Published values of QNLI and RTE are of "
            "not-entailment and stand here with their sign turned. Missing in this profile, so NULL "
            f"and in no regression: {missing or 'none'}."
        )
    else:
        note += "QNLI and RTE are the probability of not-entailment, as in the paper's code."
    shown = {**indicators, **combined}
    return [
        *(
            _correlations(
                f"{corpus}: {_CORRELATIONS[kind][0]} with each criterion",
                kind,
                shown,
                criteria,
                clusters,
                lambda metric, place: _paper(known, metric, place, turned),
                known,
                note,
                _against_paper(measured, within, shown, criteria, kind),
            )
            for kind in (0, 1)
        ),
        _weights(corpus, indicators, overall),
    ]


def _against_paper(
    measured: Measured,
    within: Mask,
    shown: Mapping[str, Array],
    criteria: Mapping[str, Array],
    kind: int,
) -> tuple[MetricDifference, ...]:
    """Compare ours with the values of the paper's own models on the same replies, if they are there."""
    rated = [facts for facts, one in zip(measured.facts("papers"), within, strict=True) if one]
    if None in rated:
        return ()
    values = {name: np.array([one[name] for one in rated]) for name in INDICATORS}
    values |= _combined(values, criteria["Overall"], {"all": INDICATORS})
    found: list[MetricDifference] = []
    for criterion in _COMPARED_ON:
        for name in _COMPARED:
            if name in shown:
                both = {name: shown[name], f"{OF_PAPER}{name}": values[name]}
                statistic, clusters = _CORRELATIONS[kind][1], measured.clusters(within)
                found += compare_all(criterion, statistic, criteria[criterion], both, clusters)
    return tuple(found)


def _last_turn_tables(
    measured: Measured, within: Mask, values: Mapping[str, Array], corpus: str
) -> list[ResultTable]:
    """Make the correlations of what reads the context, with the last turn only as context."""
    indicators = _there(values)
    criteria = _criteria(measured, within)
    kinds = {kind: _ALL_KINDS[kind] for kind in ("context", "all")}
    shown = {name: found for name, found in indicators.items() if name in KINDS["context"]}
    shown |= _combined(indicators, criteria["Overall"], kinds)
    known = published("usr", corpus)
    note = (
        "As for a log, whose context is the turn before the reply; the published figures are of the "
        f"whole dialogue. * p < {_SIGNIFICANT}."
    )
    return [
        _correlations(
            f"{corpus}, last turn as context: {_CORRELATIONS[kind][0]} with each criterion",
            kind,
            shown,
            criteria,
            measured.clusters(within),
            lambda metric, place: _paper(known, metric, place, True),
            known,
            note,
        )
        for kind in (0, 1)
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
    title: str,
    kind: int,
    values: Mapping[str, Array],
    criteria: Mapping[str, Array],
    clusters: Sequence[str],
    paper: Callable[[str, int], float | None],
    known: Published,
    note: str,
    comparisons: Sequence[MetricDifference] = (),
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
            rows.append(Row(criterion, marked, figure, paper(metric, 2 * place + kind)))
    return make_table(title, name, rows, known, note, comparisons)


def _paper(known: Published, metric: str, place: int, turned: bool) -> float | None:
    # One list of figures for each metric, in the order that published.toml states.
    figures: Mapping[str, Any] = known.confirmed
    if metric not in figures:
        return None
    value = float(figures[metric][place])
    return -value if turned and metric.endswith(_TURNED) else value


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
    note = (
        "Of indicators and Overall rescaled to 0 to 1. The paper's are in a picture only; the "
        "protocol usr-published computes them from the paper's indicator values."
    )
    title = f"{corpus}: figure 1, weights of the regression"
    return make_table(title, "Weight", rows, note=note)
