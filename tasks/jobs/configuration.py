"""A graph of stages with parameters and models: it has content keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from qsquared.storage.keys import digest, stage_key
from qsquared.storage.tables.units import UNITS
from qsquared.tasks.jobs.graph import Graph, graph
from qsquared.tasks.metric import Metric
from qsquared.tasks.stage import Stage

_SHARDS_REMEMBERED = 4096


@dataclass(frozen=True)
class Configuration:
    """Metrics with their parameters and the identities of their models.

    A stage's *lineage* is its content key with the shard left out: it names the folder that holds
    the stage's output for all shards.
    """

    graph: Graph
    profile: str
    parameters: Mapping[str, Any]
    identities: Mapping[str, str]

    def key(self, stage: str, shard: str) -> str:
        """Content key of a stage's output on a shard (``shard`` itself for what it holds)."""
        return shard if stage in UNITS else self._keys(shard)[stage]

    @cached_property
    def _keys(self) -> Callable[[str], dict[str, str]]:
        """The keys of all stages on a shard; those of the last shards are remembered."""

        def keys(shard: str) -> dict[str, str]:
            made = dict.fromkeys(UNITS, shard)
            for stage in self.graph.stages:
                made[stage.name] = stage_key(
                    stage.name,
                    stage.version,
                    self._read_by(stage),
                    {role: self.identities[role] for role in stage.roles},
                    {name: made[name] for name in stage.inputs},
                )
            return made

        return lru_cache(maxsize=_SHARDS_REMEMBERED)(keys)

    def _read_by(self, stage: Stage) -> dict[str, Any]:
        """A stage's parameters; one that is ``None`` asks for nothing, and so is left out."""
        read = {name: self.parameters[name] for name in stage.parameters}
        return {name: value for name, value in read.items() if value is not None}

    @property
    def label(self) -> str:
        """The profile, with the parameters that differ from the defaults."""
        return self._label(self.graph.defaults)

    def label_of(self, metric: Metric) -> str:
        """The same, with the parameters of one metric and of those below it only."""
        return self._label(graph([metric.name]).defaults)

    def _label(self, read: Mapping[str, Any]) -> str:
        own = [
            f"+{name}={_shown(value)}"
            for name, value in sorted(self.parameters.items())
            if name in read and read[name] != value
        ]
        return self.profile + "".join(own)

    @cached_property
    def lineages(self) -> dict[str, str]:
        """Stage → lineage."""
        return {stage.name: self.key(stage.name, "") for stage in self.graph.stages}

    @cached_property
    def digests(self) -> dict[str, str]:
        """Metric → hash of its part of the configuration."""
        return {
            metric.name: digest([metric.name, self.lineages_of(metric)])
            for metric in self.graph.metrics
        }

    @cached_property
    def digest(self) -> str:
        """Hash of the whole configuration; it is printed beside every score."""
        if len(self.digests) == 1:
            return next(iter(self.digests.values()))
        return digest(self.digests)

    def lineages_of(self, metric: Metric) -> dict[str, str]:
        """Stage → lineage, of the metric's own stages."""
        return {stage.name: self.lineages[stage.name] for stage in metric.stages}

    def describe_metric(self, metric: Metric) -> dict[str, Any]:
        """What the store keeps of one metric of the configuration, as JSON."""
        read = graph([metric.name]).defaults
        return {
            "metric": metric.name,
            "profile": self.label_of(metric),
            "parameters": {name: self.parameters[name] for name in read},
            "digest": self.digests[metric.name],
            "lineages": self.lineages_of(metric),
        }

    def describe(self, stage: str) -> dict[str, Any]:
        """What a lineage stands for, as JSON."""
        definition = self.graph.stage(stage)
        return {
            "stage": stage,
            "version": definition.version,
            "parameters": self._read_by(definition),
            "models": {role: self.identities[role] for role in definition.roles},
            "inputs": {name: self.lineages.get(name, "") for name in definition.inputs},
        }


def _shown(value: Any) -> Any:
    """A value as a label has it: of a whole object the first digits of its hash."""
    return digest(value)[:8] if isinstance(value, Mapping) else value
