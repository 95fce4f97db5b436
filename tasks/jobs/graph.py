"""The graph of the stages of several metrics: each once, each after the stages that it reads."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from qsquared.errors import UsageError
from qsquared.method.glue import read_range
from qsquared.method.q2.roundtrip import VARIANTS
from qsquared.method.q2.score import FALLBACK_PREMISES
from qsquared.storage.tables import ScoredUnit, units_of
from qsquared.tasks.metrics import METRICS, Metric
from qsquared.tasks.stage import Stage

ALLOWED = {"variant": VARIANTS, "fallback_premise": FALLBACK_PREMISES}
"""The values of the parameters that have some values only."""

AS_PUBLISHED = "as_published"
"""The name that, given beside parameters, makes the papers' rules the defaults."""


@dataclass(frozen=True)
class Graph:
    """The metrics that were asked for and the metrics that they read.

    ``stages`` are the stages of all, in an order in which each comes after its inputs;
    ``defaults`` are the parameters that they read; ``published`` are those by which they follow
    their papers where the defaults deviate.
    """

    metrics: tuple[Metric, ...]
    stages: tuple[Stage, ...]
    defaults: Mapping[str, Any]
    published: Mapping[str, Any] = field(default_factory=dict)

    def parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of its stages: those given, else the defaults.

        With a true ``as_published`` among the given ones the papers' rules come before the defaults.

        Raises:
            UsageError: no metric has a parameter of that name, or it cannot have that value.
        """
        names = {name for metric in METRICS.values() for name in metric.defaults}
        if unknown := sorted(given.keys() - names - {AS_PUBLISHED}):
            raise UsageError(
                f"No metric has a parameter {', '.join(unknown)}.",
                f"Parameters: {', '.join(sorted(names))}, and {AS_PUBLISHED} for the papers' rules.",
            )
        for name in ALLOWED.keys() & given.keys():
            if given[name] not in ALLOWED[name]:
                raise UsageError(
                    f"The parameter {name} is {given[name]!r}.",
                    f"Use one of: {', '.join(ALLOWED[name])}",
                )
        if (glue_range := given.get("glue_range")) is not None:
            try:
                read_range(glue_range)
            except ValueError as error:
                raise UsageError(
                    f"The parameter glue_range is no range: {error}.", "See docs/papers/glue.md."
                ) from error
        rules = dict(self.defaults)
        if given.get(AS_PUBLISHED):
            rules |= self.published
        return {name: given.get(name, value) for name, value in rules.items()}

    def refuse_unread(self, given: Mapping[str, Any]) -> None:
        """Refuse a parameter that a person gave and that decides nothing here.

        Raises:
            UsageError: no metric has it, it cannot have that value, or only other metrics read it.
        """
        self.parameters(given)
        others = {name: value for m in METRICS.values() for name, value in m.defaults.items()}
        for name in given.keys() - self.defaults.keys() - {AS_PUBLISHED}:
            if given[name] != others[name]:
                names = ", ".join(metric.name for metric in self.metrics)
                raise UsageError(
                    f"The parameter {name} means nothing to the metrics {names}.",
                    "Leave it out, or add the metric that it is for.",
                )

    def stage(self, name: str) -> Stage:
        """Return the stage of that name."""
        return next(stage for stage in self.stages if stage.name == name)

    @property
    def units(self) -> tuple[ScoredUnit, ...]:
        """The units that the stages score: pairs, situations, or both."""
        return units_of(stage.table for stage in self.stages)

    @property
    def roles(self) -> frozenset[str]:
        """The roles of a profile that the stages use."""
        return frozenset(role for stage in self.stages for role in stage.roles)


def graph(names: Iterable[str]) -> Graph:
    """Return the graph of the metrics of these names and of all that they read.

    A metric whose table is read runs whole, since its scores are then known, too; of the stages that
    only prepare a reply (`Stage.only_with`) those run that are read.

    Raises:
        UsageError: there is no metric of that name.
    """
    owners = {stage.name: metric for metric in METRICS.values() for stage in metric.stages}
    made = {stage.name: stage for metric in METRICS.values() for stage in metric.stages}
    metrics: set[str] = set()
    wanted: set[str] = set()

    def add_metric(metric: Metric) -> None:
        if metric.name not in metrics:
            metrics.add(metric.name)
            for stage in metric.stages:
                add_stage(stage)

    def add_stage(stage: Stage) -> None:
        if stage.name not in wanted:
            wanted.add(stage.name)
            for name in made.keys() & stage.inputs:
                if made[name].only_with:
                    add_stage(made[name])
                else:
                    add_metric(owners[name])

    for name in names:
        add_metric(get_metric(name))
    # Metrics and their stages are listed after what they read.
    listed = [stage for stage in made.values() if stage.name in wanted]
    read = {name for stage in listed for name in stage.parameters}
    rules = {owners[name].name: owners[name] for name in owners if name in wanted}.values()
    return Graph(
        tuple(metric for metric in METRICS.values() if metric.name in metrics),
        tuple(listed),
        {name: m.defaults[name] for m in rules for name in m.defaults if name in read},
        {name: m.published[name] for m in rules for name in m.published if name in read},
    )


def get_metric(name: str) -> Metric:
    """Return the metric of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in METRICS:
        several = " Name several by --metric again." if "," in name else ""
        raise UsageError(
            f"There is no metric {name!r}.", f"Use one of: {', '.join(sorted(METRICS))}.{several}"
        )
    return METRICS[name]
