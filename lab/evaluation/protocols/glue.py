"""Tables of the GLUE proxy indicators on USR's annotations (Nedelchev et al. 2021, section 5)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, minmax_scale

from qsquared.evaluation.data.usr import CONTEXTS, CRITERIA
from qsquared.evaluation.measured import Mask, Measured, Published, make_table, published
from qsquared.evaluation.report import ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.statistics import MetricDifference, compare_all, pearson, spearman
from qsquared.method.bootstrap import Array, Figure, Statistic, bootstrap
from qsquared.method.glue import INDICATORS, KINDS

GLUE_RUN = Run("glue", ("glue",), tables=("indicators",))

FOLDS = 10
"""Parts of whole contexts, of which each is predicted by a regression on the others."""

_CORRELATIONS: tuple[tuple[str, Statistic, Callable[..., Any]], ...] = (
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
            part = _Part(measured, within, str(corpus), _there(values))
            tables += part.whole_dialogue() if context == CONTEXTS[0] else part.last_turn()
    return tables


def indicator_tables(measured: Measured) -> list[ResultTable]:
    """Make the same tables from the values that the paper's own models gave."""
    tables = []
    for corpus in dict.fromkeys(measured.facts("corpus")):
        part = _Part(measured, measured.having(corpus=corpus), str(corpus), {}, turned=False)
        values = part.each("indicators", INDICATORS)
        tables += replace(part, values=_there(values)).whole_dialogue()
    return tables


_ALL_KINDS: Mapping[str, Sequence[str]] = {**KINDS, "all": INDICATORS}


def _there(values: Mapping[str, Array]) -> dict[str, Array]:
    """Leave out the indicators that the models do not give."""
    return {name: found for name, found in values.items() if not np.isnan(found).any()}


@dataclass(frozen=True)
class _Part:
    """The turns of a corpus with one context, and the indicators of them.

    ``turned`` says that QNLI and RTE are of entailment.
    """

    measured: Measured
    within: Mask
    corpus: str
    values: Mapping[str, Array]
    turned: bool = True

    def fact(self, name: str) -> list[Any]:
        """Return a fact of each turn."""
        facts = self.measured.facts(name)
        return [fact for fact, one in zip(facts, self.within, strict=True) if one]

    def each(self, fact: str, names: Sequence[str]) -> dict[str, Array]:
        """Return numbers that stand under these names in a fact."""
        rated = self.fact(fact)
        return {name: np.array([one[name] for one in rated]) for name in names}

    @property
    def criteria(self) -> dict[str, Array]:
        """People's ratings by criterion."""
        return self.each("criteria", CRITERIA)

    @property
    def clusters(self) -> list[str]:
        """The context of each turn."""
        return self.measured.clusters(self.within)

    def combined(
        self, values: Mapping[str, Array], kinds: Sequence[str] = tuple(_ALL_KINDS)
    ) -> dict[str, Array]:
        """Return regressions on kinds of indicators."""
        overall = self.criteria["Overall"]
        return {
            f"regression, {kind}": fitted_on_all(values, _ALL_KINDS[kind], overall)
            for kind in kinds
        }

    def whole_dialogue(self) -> list[ResultTable]:
        """Make the tables with the whole dialogue as context."""
        overall = self.criteria["Overall"]
        shown = {**self.values, **self.combined(self.values)}
        shown["regression, all, cross-validated"] = cross_validated(
            self.values, INDICATORS, overall, self.clusters
        )
        missing = ", ".join(name for name in INDICATORS if name not in self.values) or "none"
        name = "correlations" if self.turned else "correlations of the paper's models"
        return [*self.correlations(name, shown, missing=missing), self.weights()]

    def last_turn(self) -> list[ResultTable]:
        """Make the correlations of what reads the context, with the last turn only as context."""
        shown = {name: found for name, found in self.values.items() if name in KINDS["context"]}
        return self.correlations(
            "last turn", shown | self.combined(self.values, ("context", "all"))
        )

    def correlations(
        self, table: str, shown: Mapping[str, Array], **said: str
    ) -> list[ResultTable]:
        """Correlate measures with every criterion, and mark the significant correlations."""
        known = published("usr", self.corpus)
        said |= {"corpus": self.corpus, "significant": str(_SIGNIFICANT), "folds": str(FOLDS)}
        tables = []
        for kind, (name, statistic, test) in enumerate(_CORRELATIONS):
            rows = []
            for place, (criterion, ratings) in enumerate(self.criteria.items()):
                for metric, found in shown.items():
                    if np.isnan(found).all():
                        continue
                    sure = test(ratings, found).pvalue < _SIGNIFICANT
                    figure = bootstrap(statistic, ratings, found, self.clusters)
                    paper = self.of_paper(known, metric, 2 * place + kind)
                    rows.append(Row(criterion, f"{metric} *" if sure else metric, figure, paper))
            pairs = () if table == "last turn" else self.against_paper(shown, statistic)
            tables.append(make_table("usr", table, rows, pairs, known, name=name, **said))
        return tables

    def of_paper(self, known: Published, metric: str, place: int) -> float | None:
        """Return a published figure, of the list of a metric in the order that published.toml states."""
        figures: Mapping[str, Any] = known.confirmed
        if metric not in figures:
            return None
        value = float(figures[metric][place])
        return -value if self.turned and metric.endswith(_TURNED) else value

    def against_paper(
        self, shown: Mapping[str, Array], statistic: Statistic
    ) -> list[MetricDifference]:
        """Compare with the values of the paper's own models on the same replies, if they are there."""
        if None in self.fact("papers"):
            return []
        values = self.each("papers", INDICATORS)
        values |= self.combined(values, ("all",))
        found: list[MetricDifference] = []
        for criterion in _COMPARED_ON:
            for name in _COMPARED:
                if name in shown:
                    both = {name: shown[name], f"{OF_PAPER}{name}": values[name]}
                    ratings = self.criteria[criterion]
                    found += compare_all(criterion, statistic, ratings, both, self.clusters)
        return found

    def weights(self) -> ResultTable:
        """Make figure 1: the weights of the regression over all indicators."""
        matrix, ratings = _matrix(self.values, INDICATORS), self.criteria["Overall"]
        rows = []
        if matrix is not None:
            model = _regression().fit(matrix, minmax_scale(ratings))[-1]
            weights = {"bias": model.intercept_, **dict(zip(self.values, model.coef_, strict=True))}
            rows = [
                Row("weight", name, Figure(float(weight), None, len(ratings)))
                for name, weight in weights.items()
            ]
        return make_table("usr", "figure 1", rows, corpus=self.corpus)


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
