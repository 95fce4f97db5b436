"""Where a stage meets the store: check what is there, run what is missing, write it whole.

Knows nothing of Prefect; ``tasks/running/cached.py`` wraps it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from qsquared.errors import ModelError, UsageError
from qsquared.language.checkpoints.registry import locate
from qsquared.language.models import Models, build_models
from qsquared.profiles.loading import get_profile
from qsquared.storage.files.atomic import remove_stale_temporaries
from qsquared.storage.files.parquet import (
    DamagedTable,
    MissingTable,
    Receipt,
    check_table,
    read_table,
)
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.files.places import place
from qsquared.storage.records.checks import put_aside_small_files
from qsquared.storage.store import Store
from qsquared.storage.tables.units import PAIR, SITUATION, UNITS, ScoredUnit
from qsquared.tasks.jobs.configuration import Configuration
from qsquared.tasks.jobs.graph import Graph, graph
from qsquared.tasks.metric import METRICS
from qsquared.tasks.running.failed_pairs import EarlierTables, failed_units, run_again
from qsquared.tasks.running.resource_errors import shortage
from qsquared.tasks.stage import Rows, Stage


@dataclass(frozen=True, slots=True)
class Job:
    """All that says what to compute and where, in plain values that any process can be handed.

    ``metrics`` are the names of those that are asked for;
    ``parameters`` is a JSON object of those that differ from the metrics' defaults;
    ``profiles`` is a TOML file with further profiles, or empty;
    ``device`` is where the models run, as torch names it, and is no part of a key.
    """

    store: str
    profile: str = "compact"
    profiles: str = ""
    metrics: tuple[str, ...] = ("q2",)
    parameters: str = "{}"
    device: str = "cpu"

    @property
    def metric(self) -> str:
        """The asked metrics in one text."""
        return ", ".join(self.metrics)


@dataclass
class StageRunner:
    """A job opened in this process: its store, keys and models; models load when first used."""

    store: Store
    configuration: Configuration
    models: Models
    shard_size: int
    executed: list[tuple[str, str]] = field(default_factory=list)
    """(stage, shard) that this process computed, in order."""
    _known_damage: set[str] = field(default_factory=set)
    _units: dict[str, ScoredUnit] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.quarantined()

    @cached_property
    def _earlier(self) -> EarlierTables:
        return EarlierTables(self.store.root / "retry", self.configuration)

    @cached_property
    def _stages(self) -> dict[str, Stage]:
        return {stage.name: stage for stage in self.configuration.graph.stages}

    def roles(self, stage: str) -> tuple[str, ...]:
        """The models that a stage uses."""
        return self._stages[stage].roles

    def path(self, stage: str, shard: str) -> Path:
        """Where a stage's output on a shard lies."""
        if stage in UNITS:
            return self.store.units_path(stage, shard)
        return self.store.stage_path(stage, self.configuration.lineages[stage], shard)

    def measured(self, shards: Iterable[str]) -> dict[str, list[Path]]:
        """Stage that gives values → where its outputs on some shards lie."""
        names = [name for name, stage in self._stages.items() if stage.table.measures]
        return self.outputs(names, shards)

    def outputs(self, names: Iterable[str], shards: Iterable[str]) -> dict[str, list[Path]]:
        """Stage → where its outputs on some shards lie."""
        found: dict[str, list[Path]] = {name: [] for name in names}
        for shard in shards:
            for stage in self.stages_of(shard):
                if stage.name in found:
                    found[stage.name].append(self.path(stage.name, shard))
        return found

    @property
    def units(self) -> tuple[ScoredUnit, ...]:
        """What the job scores: pairs, situations, or both."""
        return self.configuration.graph.units

    def stages_of(self, shard: str) -> list[Stage]:
        """The stages of a shard, in order: those that are about what it holds."""
        units = self.units
        unit = units[0] if len(units) == 1 else self._unit_of(shard)
        return [stage for stage in self._stages.values() if stage.unit is unit]

    def _unit_of(self, shard: str) -> ScoredUnit:
        """What a shard holds, by the folder that it lies in."""
        if shard not in self._units:
            there = self.path(SITUATION.name, shard).exists()
            self._units[shard] = SITUATION if there else PAIR
        return self._units[shard]

    def finished(self, stage: str, shard: str) -> Receipt | None:
        """The receipt of a stage's output if it is there and sound.

        A damaged file is moved to quarantine and reported, so that the stage runs again.
        """
        path = self.path(stage, shard)
        try:
            return check_table(
                path, self._stages[stage].table, self.configuration.key(stage, shard)
            )
        except MissingTable:
            return None
        except DamagedTable as damage:
            self.store.quarantine(path, damage.reason)
            return None

    def missing_stages(self, shard: str) -> list[str]:
        """The stages that a shard still lacks, in order."""
        return [s.name for s in self.stages_of(shard) if self.finished(s.name, shard) is None]

    def run(self, stage: str, shard: str) -> Receipt:
        """The receipt of a stage's output, computed now unless the store has it.

        Raises:
            DamagedTable: an input of the stage is not there or damaged.
            NoMemoryError: a model or the stage ran out of memory.
            NoSpaceError: the table does not fit on the disk.
        """
        there = self.finished(stage, shard)
        if there is not None:
            return there
        try:
            receipt = self._make(self._stages[stage], shard)
        except Exception as error:
            short = shortage(error, self, stage, shard)
            if short is None:
                raise
            raise short from error
        self.executed.append((stage, shard))
        if self._earlier.exist(shard) and not self.missing_stages(shard):
            self._earlier.forget(shard)
        return receipt

    def _make(self, stage: Stage, shard: str) -> Receipt:
        tables = {name: self._read(name, shard) for name in stage.inputs}
        # Before the stage, so that a model that cannot be loaded ends the run and no pair pays.
        for role in stage.roles:
            self.models.load(role)

        def run(inputs: dict[str, Rows]) -> Rows:
            return stage.run(inputs, self.models, self.configuration.parameters)

        earlier = self._earlier.find(stage.name, shard)
        if earlier is None:
            rows = run(tables)
        else:
            key = stage.unit.key
            order = [row[key] for row in self._read(stage.unit.name, shard)]
            rows = run_again(earlier, order, tables, run, key)
        key = self.configuration.key(stage.name, shard)
        return write_table(self.path(stage.name, shard), rows, stage.table, key)

    def _read(self, name: str, shard: str) -> Rows:
        table = UNITS[name].table if name in UNITS else self._stages[name].table
        key = self.configuration.key(name, shard)
        found: pa.Table = read_table(self.path(name, shard), table, key)
        rows: Rows = found.to_pylist()
        return rows

    def forget_errors(self, shard: str) -> None:
        """Set the stages of a shard aside from the first on that has a failed row.

        They run again, for the failed pairs only.
        A retry that was interrupted is left as it is, to be completed first.
        """
        if self._earlier.exist(shard):
            if self.missing_stages(shard):
                return
            self._earlier.forget(shard)
        failed = False
        for stage in self.stages_of(shard):
            name = stage.name
            if self.finished(name, shard) is None:
                continue
            failed = failed or bool(failed_units(stage, self._read(name, shard)))
            if failed:
                self._earlier.set_aside(name, shard, self.path(name, shard))

    def smaller_batches(self) -> dict[str, int]:
        """Role → rows a batch, where memory was too small for the usual number."""
        batches = {
            role: getattr(getattr(self.models, role), "batch", None)
            for role in self.configuration.graph.roles
        }
        return {
            role: batch.size
            for role, batch in batches.items()
            if batch is not None and batch.size < batch.first_size
        }

    def quarantined(self) -> list[str]:
        """What was moved to quarantine since the last call, by the names in that folder."""
        found = {path.name for path in (self.store.root / "quarantine").glob("*")}
        new = sorted(found - self._known_damage)
        self._known_damage = found
        return new

    def describe(self, completed: bool) -> None:
        """Write down in the store what this configuration's lineages are, for people and SQL."""
        if not completed:
            # A run goes on without what is damaged, and writes its own anew.
            put_aside_small_files(self.store)
        configuration = self.configuration
        for stage, lineage in configuration.lineages.items():
            path = self.store.lineage_path(lineage)
            if not path.exists():
                self.store.write_json(path, configuration.describe(stage))
        # Empty until a run completes, so that a failed one hides no earlier scores.
        now = datetime.now(UTC).isoformat(timespec="microseconds") if completed else ""
        for metric in configuration.graph.metrics:
            told = configuration.describe_metric(metric)
            name = f"{metric.name}.{configuration.profile}.{told['digest'][:8]}"
            path = self.store.configuration_path(name)
            if completed or not path.exists():
                self.store.write_json(path, told | {"last_used": now})


def _identities(models: Models, job: Job, roles: frozenset[str]) -> dict[str, str]:
    """The identities of models that are on this machine; looks before any work is done."""
    try:
        for name, role in models.profile.roles.items():
            if name.partition(".")[0] in roles and role.source in {"hub", "local", "bundled"}:
                locate(role.checkpoint, role.revision)
        return models.identities(sorted(roles))
    except ModelError as error:
        own = f" --profiles {job.profiles}" if job.profiles else ""
        hint = error.hint.replace("q2 models pull PROFILE", f"q2 models pull {job.profile}{own}")
        raise ModelError(error.message, hint) from error


def _parameters(asked: Graph, job: Job) -> dict[str, Any]:
    """The parameters that the asked metrics read; others that were given decide nothing."""
    given = json.loads(job.parameters)
    known = {name for metric in METRICS.values() for name in metric.defaults}
    if unknown := sorted(given.keys() - known):
        raise UsageError(
            f"No metric has a parameter {', '.join(unknown)}.",
            f"Parameters: {', '.join(sorted(known))}.",
        )
    return {name: given.get(name, default) for name, default in asked.defaults.items()}


@lru_cache(maxsize=8)
def open_job(job: Job) -> StageRunner:
    """The job's workbench in this process, opened once.

    Raises:
        UsageError: there is no such profile, metric or parameter.
        ModelError: a model is not there.
        StoreError: the store cannot be used.
    """
    profile = get_profile(job.profile, Path(job.profiles) if job.profiles else None)
    models = build_models(profile, job.device)
    asked = graph(job.metrics)
    configuration = Configuration(
        asked, job.profile, _parameters(asked, job), _identities(models, job, asked.roles)
    )
    store = Store.open(place(job.store), create=True)
    remove_stale_temporaries(store.root)
    return StageRunner(store, configuration, models, profile.shard_size)
