"""Configurations: the stages of some metrics with parameters and models, and their content keys.

This module chooses what goes into a key; ``storage/keys.py`` hashes it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import Any

from qsquared.storage.keys import digest, stage_key
from qsquared.storage.records.indexes.checks import put_aside_small_files
from qsquared.storage.store import Store
from qsquared.storage.tables import UNITS
from qsquared.tasks.jobs.graph import AS_PUBLISHED, Graph, graph
from qsquared.tasks.metrics import Metric
from qsquared.tasks.stage import Stage

_SHARDS_REMEMBERED = 4096


@dataclass(frozen=True)
class Configuration:
    """Metrics with their parameters and the identities of their models (role → identity).

    A stage's *lineage* is its content key without a shard: it names the folder that holds the
    stage's output for all shards.
    """

    graph: Graph
    profile: str
    parameters: Mapping[str, Any]
    identities: Mapping[str, str]

    def key(self, stage: str, shard: str) -> str:
        """Return the content key of a table on a shard; of `pairs` and `situations` the shard's."""
        return shard if stage in UNITS else self._keys(shard)[stage]

    @cached_property
    def _keys(self) -> Callable[[str], dict[str, str]]:
        """The function from a shard to stage → content key, which caches the last shards."""

        def keys(shard: str) -> dict[str, str]:
            made = dict.fromkeys(UNITS, shard)
            for stage in self.graph.stages:
                made[stage.name] = stage_key(
                    stage.name,
                    stage.version,
                    self._read_by(stage),
                    {role: self.identities[role] for role in stage.roles},
                    {name: made[name] for name in self._inputs(stage)},
                )
            return made

        return lru_cache(maxsize=_SHARDS_REMEMBERED)(keys)

    def _read_by(self, stage: Stage) -> dict[str, Any]:
        """Return a stage's parameters that are not ``None``, and the versions of their rules.

        So a new parameter that is ``None`` leaves the keys as they were.
        """
        read = {name: self.parameters[name] for name in stage.parameters}
        asked = {name: value for name, value in read.items() if value is not None}
        versions = {
            f"{name}_version": stage.versions[name] for name in asked if name in stage.versions
        }
        return asked | versions

    def _inputs(self, stage: Stage) -> list[str]:
        """Return the inputs that a stage's key hashes: not those whose ``only_with`` is unset."""
        idle = {
            other.name
            for other in self.graph.stages
            if other.only_with and self.parameters[other.only_with] is None
        }
        return [name for name in stage.inputs if name not in idle]

    @property
    def label(self) -> str:
        """The profile and the parameters that are not the default, as ``compact+variant=multi``."""
        return self.label_of(*self.graph.metrics)

    def label_of(self, *metrics: Metric) -> str:
        """Return the label with the parameters of some metrics and of the metrics that they read only."""
        read = graph(metric.name for metric in metrics)
        changed = {
            name: value
            for name, value in sorted(self.parameters.items())
            if name in read.defaults and read.defaults[name] != value
        }
        named = ""
        if read.published and read.published.items() <= self.parameters.items():
            # One word for all parameters of the papers' rules.
            named = f"+{AS_PUBLISHED}"
            changed = {name: value for name, value in changed.items() if name not in read.published}
        return self.profile + named + "".join(f"+{k}={_shown(v)}" for k, v in changed.items())

    @cached_property
    def lineages(self) -> dict[str, str]:
        """Stage → lineage."""
        return {stage.name: self.key(stage.name, "") for stage in self.graph.stages}

    @cached_property
    def digests(self) -> dict[str, str]:
        """Metric → hash of its name and its stages' lineages."""
        return {
            metric.name: digest([metric.name, self.lineages_of(metric)])
            for metric in self.graph.metrics
        }

    @cached_property
    def digest(self) -> str:
        """The hash of the whole configuration, which is printed with every score."""
        if len(self.digests) == 1:
            return next(iter(self.digests.values()))
        return digest(self.digests)

    def lineages_of(self, metric: Metric) -> dict[str, str]:
        """Return stage → lineage, of the metric's own stages."""
        return {stage.name: self.lineages[stage.name] for stage in metric.stages}

    def describe_metric(self, metric: Metric) -> dict[str, Any]:
        """Return the configuration of one metric as the JSON that the store keeps."""
        read = graph([metric.name]).defaults
        return {
            "metric": metric.name,
            "profile": self.label_of(metric),
            "parameters": {name: self.parameters[name] for name in read},
            "digest": self.digests[metric.name],
            "lineages": self.lineages_of(metric),
        }

    def describe(self, stage: str) -> dict[str, Any]:
        """Return everything that a stage's lineage hashes, as JSON."""
        definition = self.graph.stage(stage)
        return {
            "stage": stage,
            "version": definition.version,
            "parameters": self._read_by(definition),
            "models": {role: self.identities[role] for role in definition.roles},
            "inputs": {name: self.lineages.get(name, "") for name in self._inputs(definition)},
        }


def _shown(value: Any) -> Any:
    """Return a value as labels show it: an object by the first digits of its hash."""
    return digest(value)[:8] if isinstance(value, Mapping) else value


def write_configuration(store: Store, configuration: Configuration, completed: bool) -> None:
    """Write a configuration and its lineages as JSON, before a run and at its end."""
    if not completed:
        # A run goes on without damaged files, and writes its own anew.
        put_aside_small_files(store)
    for stage, lineage in configuration.lineages.items():
        path = store.small_file("lineages", lineage)
        if not path.exists():
            store.write_json(path, configuration.describe(stage))
    # Empty until a run completes, so that a failed one hides no earlier scores.
    now = datetime.now(UTC).isoformat(timespec="microseconds") if completed else ""
    for metric in configuration.graph.metrics:
        content = configuration.describe_metric(metric)
        name = f"{metric.name}.{configuration.profile}.{content['digest'][:8]}"
        path = store.small_file("configurations", name)
        if completed or not path.exists():
            store.write_json(path, content | {"last_used": now})
