"""Run the stages of a job on the shards of its store; finished tables are checked and reused.

Knows nothing of Prefect; ``flows/score.py`` makes tasks of it.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from qsquared.errors import ModelError
from qsquared.language.checkpoints.registry import locate
from qsquared.language.endpoint.session import Session, Spending, asking_in
from qsquared.language.models import Models, build_models
from qsquared.profiles.loading import get_profile
from qsquared.storage.files import parquet
from qsquared.storage.files.atomic import move_within, remove_stale_temporaries
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.files.remote_paths import place
from qsquared.storage.records.request_journal import RequestJournal
from qsquared.storage.records.runs import current_run, recorded
from qsquared.storage.store import Store
from qsquared.storage.tables import PAIR, SITUATION, UNITS, ScoredUnit
from qsquared.tasks.jobs.graph import graph
from qsquared.tasks.jobs.options import Job
from qsquared.tasks.jobs.stage_keys import Configuration
from qsquared.tasks.running.retries import EarlierTables, failed_units, run_again, shortage
from qsquared.tasks.stage import Rows, Stage


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

    def path(self, stage: str, shard: str) -> Path:
        """The file of a stage's output on a shard."""
        if stage in UNITS:
            return self.store.table_path(stage, shard)
        return self.store.stage_path(stage, self.configuration.lineages[stage], shard)

    def stages_of(self, shard: str) -> list[Stage]:
        """The stages that score the units of a shard, in order."""
        units = self.configuration.graph.units
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
        paths: dict[str, list[Path]] = {name: [] for name in names}
        for shard in shards:
            for stage in self.stages_of(shard):
                if stage.name in paths:
                    paths[stage.name].append(self.path(stage.name, shard))
        return paths

    def measured(self, shards: Iterable[str]) -> dict[str, list[Path]]:
        """Stage that gives values → the files of its outputs on some shards."""
        names = [name for name, stage in self.stages.items() if stage.table.measures]
        return self.outputs(names, shards)


@dataclass
class StageRunner:
    """A job opened in this process: its store, keys and models; models load when first used."""

    store: Store
    configuration: Configuration
    models: Models
    shard_size: int
    spending: Spending = field(default_factory=Spending)
    may_send: bool = False
    executed: list[tuple[str, str]] = field(default_factory=list)
    """(stage, shard) that this process computed, in order."""

    def __post_init__(self) -> None:
        self.paths = StagePaths(self.store, self.configuration)
        self._damaged: set[str] = set()
        self.new_damage()
        self.journal = RequestJournal(self.store)
        self._earlier = EarlierTables(self.store.root / "retry", self.configuration)

    def new_damage(self) -> list[str]:
        """Return the files that damage moved to quarantine since the last call, by their names there."""
        names = {path.name for path in (self.store.root / "quarantine").glob("*")}
        new = sorted(names - self._damaged)
        self._damaged = names
        return new

    def finished(self, stage: str, shard: str) -> parquet.Receipt | None:
        """Return the receipt of a stage's output if it is there and sound.

        A damaged file is moved to quarantine and reported, so that the stage runs again.
        """
        path = self.paths.path(stage, shard)
        table = self.paths.stages[stage].table
        try:
            return parquet.check_table(path, table, self.configuration.key(stage, shard))
        except parquet.MissingTable:
            return None
        except parquet.DamagedTable as damage:
            self.store.quarantine(path, damage.reason)
            return None

    def missing_stages(self, shard: str) -> list[str]:
        """Return the stages that a shard still lacks, in order."""
        return [s.name for s in self.paths.stages_of(shard) if self.finished(s.name, shard) is None]

    def run(self, stage: str, shard: str) -> parquet.Receipt:
        """Return the receipt of a stage's output, computed now unless the store has it.

        What is computed has its begin and end in the record of the run.

        Raises:
            DamagedTable: an input of the stage is not there or damaged.
            NoMemoryError: a model or the stage ran out of memory.
            NoSpaceError: the table does not fit on the disk.
        """
        receipt = self.finished(stage, shard)
        if receipt is not None:
            return receipt
        try:
            with recorded(self.store, stage, shard, self.configuration.key(stage, shard)):
                receipt = self._make(self.paths.stages[stage], shard)
        except Exception as error:
            short = shortage(error, self.paths, stage, shard)
            if short is None:
                raise
            raise short from error
        self.executed.append((stage, shard))
        if self._earlier.exist(shard) and not self.missing_stages(shard):
            self._earlier.forget(shard)
        return receipt

    def _make(self, stage: Stage, shard: str) -> parquet.Receipt:
        tables = {name: self._read(name, shard) for name in stage.inputs}
        # Before the stage, so that a model that cannot be loaded ends the run and no pair pays.
        for role in stage.roles:
            self.models.load(role)

        # What models of servers may send and spend.
        session = Session(
            self.journal, self.spending, self.may_send, stage.name, shard, current_run()
        )

        def run(inputs: dict[str, Rows]) -> Rows:
            with asking_in(session):
                return stage.run(inputs, self.models, self.configuration.parameters)

        earlier = self._earlier.find(stage.name, shard)
        if earlier is None:
            rows = run(tables)
        else:
            id_column = stage.unit.key
            order = [row[id_column] for row in self._read(stage.unit.name, shard)]
            rows = run_again(earlier, order, tables, run, id_column)
        key = self.configuration.key(stage.name, shard)
        return write_table(self.paths.path(stage.name, shard), rows, stage.table, key)

    def _read(self, name: str, shard: str) -> Rows:
        table = UNITS[name].table if name in UNITS else self.paths.stages[name].table
        key = self.configuration.key(name, shard)
        rows: Rows = parquet.read_table(self.paths.path(name, shard), table, key).to_pylist()
        return rows

    def set_failed_aside(self, shard: str) -> None:
        """Set the stages of a shard aside from the first on that has a failed row.

        They run again, for the failed pairs only.
        A retry that was interrupted is left as it is, to be completed first.
        """
        if self._earlier.exist(shard):
            if self.missing_stages(shard):
                return
            self._earlier.forget(shard)
        failed = False
        for stage in self.paths.stages_of(shard):
            name = stage.name
            if self.finished(name, shard) is None:
                continue
            failed = failed or bool(failed_units(stage, self._read(name, shard)))
            if failed:
                move_within(self.paths.path(name, shard), self._earlier.path(name, shard))


def _identities(models: Models, job: Job, roles: frozenset[str]) -> dict[str, str]:
    """Return the identities of the models, which have to be on this machine."""
    try:
        for name, role in models.profile.roles.items():
            if name.partition(".")[0] in roles and role.source in {"hub", "local", "bundled"}:
                locate(role.checkpoint, role.revision)
        return models.identities(sorted(roles))
    except ModelError as error:
        option = f" --profiles {job.profiles}" if job.profiles else ""
        hint = error.hint.replace("q2 models pull PROFILE", f"q2 models pull {job.profile}{option}")
        raise ModelError(error.message, hint) from error


@lru_cache(maxsize=8)
def open_job(job: Job) -> StageRunner:
    """Return the runner of a job in this process, from a cache after the first call.

    Raises:
        UsageError: there is no such profile, metric or parameter.
        ModelError: a model is not there.
        StoreError: the store cannot be used.
    """
    profile = get_profile(job.profile, Path(job.profiles) if job.profiles else None)
    if job.precision:
        profile = profile.in_precision(job.precision)
    models = build_models(profile, job.device)
    asked = graph(job.metrics)
    # Parameters that no asked metric reads decide nothing.
    parameters = asked.parameters(json.loads(job.parameters))
    identities = _identities(models, job, asked.roles)
    configuration = Configuration(asked, job.profile, parameters, identities)
    store = Store.open(place(job.store), create=True)
    remove_stale_temporaries(store.root)
    spending = Spending(job.max_requests, job.max_cost)
    return StageRunner(store, configuration, models, profile.shard_size, spending, job.yes)
