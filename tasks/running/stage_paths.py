"""Paths of a configuration's tables in a store, by stage and shard."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from qsquared.storage.store import Store
from qsquared.storage.tables.units import PAIR, SITUATION, UNITS, ScoredUnit
from qsquared.tasks.jobs.configuration import Configuration
from qsquared.tasks.stage import Stage


@dataclass
class StagePaths:
    """The files of a configuration's stages in a store."""

    store: Store
    configuration: Configuration
    _units: dict[str, ScoredUnit] = field(default_factory=dict)

    @cached_property
    def stages(self) -> dict[str, Stage]:
        """The stages by name, each after those that it reads."""
        return {stage.name: stage for stage in self.configuration.graph.stages}

    @property
    def units(self) -> tuple[ScoredUnit, ...]:
        """The units that the stages score: pairs, situations, or both."""
        return self.configuration.graph.units

    def path(self, stage: str, shard: str) -> Path:
        """The file of a stage's output on a shard."""
        if stage in UNITS:
            return self.store.units_path(stage, shard)
        return self.store.stage_path(stage, self.configuration.lineages[stage], shard)

    def stages_of(self, shard: str) -> list[Stage]:
        """The stages that score the units of a shard, in order."""
        units = self.units
        unit = units[0] if len(units) == 1 else self._unit_of(shard)
        return [stage for stage in self.stages.values() if stage.unit is unit]

    def _unit_of(self, shard: str) -> ScoredUnit:
        """The unit that a shard holds, by the folder that has its file."""
        if shard not in self._units:
            is_of_situations = self.path(SITUATION.name, shard).exists()
            self._units[shard] = SITUATION if is_of_situations else PAIR
        return self._units[shard]

    def outputs(self, names: Iterable[str], shards: Iterable[str]) -> dict[str, list[Path]]:
        """Stage → the files of its outputs on some shards."""
        found: dict[str, list[Path]] = {name: [] for name in names}
        for shard in shards:
            for stage in self.stages_of(shard):
                if stage.name in found:
                    found[stage.name].append(self.path(stage.name, shard))
        return found

    def measured(self, shards: Iterable[str]) -> dict[str, list[Path]]:
        """Stage that gives values → the files of its outputs on some shards."""
        names = [name for name, stage in self.stages.items() if stage.table.measures]
        return self.outputs(names, shards)
