"""Index of a store by its small files: the files of each table, checked before they are read.

Of each metric and profile the newest version is shown, and older ones in its gaps: after an upgrade of
models or stages the new version scores new turns only, and until `q2 rescore` the earlier turns keep the
scores that they have, each marked by its configuration.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from qsquared.storage.connection import exact_patterns, open_connection
from qsquared.storage.files.file_errors import DamagedFile
from qsquared.storage.files.parquet import DamagedTable, read_table
from qsquared.storage.records.indexes.checks import (
    STAGES,
    Checks,
    make_again,
    put_aside,
    read_again,
    read_configuration,
)
from qsquared.storage.records.indexes.shard_index import ID_PREFIX, ShardIndex, id_prefixes
from qsquared.storage.records.inputs.manifests import InputManifest, read_manifest
from qsquared.storage.records.runs import read_run
from qsquared.storage.store import Store, content_key
from qsquared.storage.tables import (
    LABEL_TABLES,
    PAIR,
    TABLES,
    TURNS,
    UNITS,
    ScoredUnit,
    unit_of,
)

T = TypeVar("T")

logger = logging.getLogger("qsquared")

_FEW = 4
_NAME = itemgetter("metric", "profile")
"""The metric and profile of a configuration."""

_WANTED_IDS = f"""
SELECT DISTINCT {ID_PREFIX.format(id="id")} AS beginning
FROM (SELECT {{of_turn}} AS id FROM read_parquet($turns)) WHERE id IS NOT NULL
"""

LABEL_NAMES = frozenset(table.name for table in LABEL_TABLES)
TABLE_NAMES = frozenset(table.name for table in TABLES)


@dataclass(frozen=True, slots=True)
class StoreIndex:
    """The inputs, configurations, runs and shards of a store, from its checked small files."""

    store: Store
    manifests: list[InputManifest]
    all_configurations: list[dict[str, Any]]
    runs: list[dict[str, Any]]
    shards_of: dict[str, set[str]]
    """`pairs` and `situations` → their shards."""
    checks: Checks = field(repr=False)
    other_shards: frozenset[str] = frozenset()
    """Shards that are there, and hold nothing of the inputs to which the index is narrowed."""

    @property
    def inputs(self) -> list[InputManifest]:
        """The manifests of the latest content of each log, oldest first."""
        return [manifest for manifest in self.manifests if manifest.paths]

    @property
    def shards(self) -> set[str]:
        """The shards of pairs and of situations."""
        return set().union(*self.shards_of.values())

    @property
    def configurations(self) -> list[dict[str, Any]]:
        """For each metric and profile, the configuration that is shown: a run last completed with it.

        One whose tables were collected as rubbish counts no more.
        """
        kept = [one for one in self.all_configurations if "collected" not in one]
        latest: dict[tuple[str, str], dict[str, Any]] = {}
        for one in sorted(kept, key=itemgetter("last_used"), reverse=True):
            latest.setdefault(_NAME(one), one)
        return [latest[name] for name in sorted(latest)]

    def files(self, table: str) -> list[Path]:
        """The files of `turns`, `rejects`, `pairs`, `situations` or of a table of judgements."""
        if table in LABEL_NAMES:
            return self.store.tables(table)
        if table in UNITS:
            folder = self.store.root / table  # a foreign file has any name
            return [folder / f"{shard}.parquet" for shard in sorted(self.shards_of[table])]
        return [self.store.table_path(table, manifest.fingerprint) for manifest in self.inputs]

    def stage_files(
        self, stage: str, configuration: dict[str, Any], only: Collection[str] | None = None
    ) -> list[Path]:
        """The files of a stage in a configuration, of some shards if ``only`` names them.

        Files of shards without pairs are left out: when damaged pairs were put into another shard,
        their old stages stay behind.
        """
        lineage = configuration["lineages"].get(stage)
        if lineage is None:
            return []
        folder = self.store.stage_path(stage, lineage, "0" * 32).parent
        shards = self.shards_of[unit_of(STAGES[stage]).name] if stage in STAGES else self.shards
        if only is not None:
            shards = shards.intersection(only)
        if len(shards) <= _FEW:
            # A folder of thousands is not listed for one.
            few = (folder / f"{shard}.parquet" for shard in sorted(shards))
            return [path for path in few if path.exists()]
        return [path for path in sorted(folder.glob("[!.]*.parquet")) if path.stem in shards]

    def stages_done(self, configuration: dict[str, Any]) -> Iterator[tuple[str, int, int]]:
        """Yield each stage of a configuration with its shards that are there, and those that it has."""
        for stage in configuration["lineages"]:
            unit = unit_of(STAGES[stage]) if stage in STAGES else PAIR
            done = len(self.stage_files(stage, configuration))
            yield stage, done, len(self.shards_of[unit.name])

    def check(self, tables: Collection[str] | None = None) -> None:
        """Check every byte of the files of some tables; without them, of all tables.

        Raises:
            DamagedFile: one cannot be trusted; the hint says what makes it again.
        """
        tables = TABLE_NAMES if tables is None else tables
        for table in ("turns", "rejects"):
            for manifest in self.inputs if table in tables else ():
                self._check_input(table, manifest)
        try:
            for unit in (UNITS.keys() | LABEL_NAMES) & set(tables):
                self.checks.tables(self.files(unit))
            for version in versions(self):
                for stage in (name for name in STAGES if name in tables):
                    files = self.stage_files(stage, version.configuration, version.shards)
                    self.checks.tables(files)
        except DamagedFile as damage:
            raise DamagedFile(damage.path, damage.reason, make_again(self.store)) from damage

    def _check_input(self, table: str, manifest: InputManifest) -> None:
        """Check the `turns` or `rejects` of an input, also against its manifest.

        Raises:
            DamagedFile: the table cannot be trusted; the hint names the log to read again.
        """
        stated = (manifest.turns_table if table == "turns" else manifest.rejects_table).rows
        path = self.store.table_path(table, manifest.fingerprint)
        try:
            rows = self.checks.table(path).rows
        except DamagedFile as damage:
            todo = read_again(self.store, manifest)
            raise DamagedFile(damage.path, damage.reason, todo) from damage
        # A reading that goes further than an earlier one replaces the tables before the manifest.
        if rows < stated or (rows > stated and manifest.limit is None):
            reason = f"it has {rows:,} rows, where its manifest tells of {stated:,}"
            raise DamagedFile(path, reason, read_again(self.store, manifest))


@dataclass(frozen=True, slots=True)
class Version:
    """A configuration with the shards whose tables are shown; ``outdated``: it is not the newest."""

    configuration: dict[str, Any]
    shards: frozenset[str]
    outdated: bool


def versions(index: StoreIndex) -> Iterator[Version]:
    """Yield the versions that are shown, those of a metric and profile newest first.

    A shard that the newest version has not scored is shown by the latest older one that has every
    table of it.
    """
    used = [one for one in index.all_configurations if one["last_used"] and "collected" not in one]
    used.sort(key=itemgetter("last_used"), reverse=True)
    for newest in index.configurations:
        others = [one for one in used if _NAME(one) == _NAME(newest)]
        rest: set[str] = set()
        older_versions = []
        if any(other["digest"] != newest["digest"] for other in others):
            taken = _complete(index, newest)
            for configuration in others:
                shards = _complete(index, configuration) - taken
                taken |= shards
                if shards and configuration["digest"] != newest["digest"]:
                    rest |= shards
                    older_versions.append(Version(configuration, frozenset(shards), outdated=True))
        yield Version(newest, frozenset(index.shards - rest), outdated=False)
        yield from older_versions


def _complete(index: StoreIndex, configuration: dict[str, Any]) -> set[str]:
    """Return the shards of which a configuration has every table."""
    stages = configuration["lineages"]
    there = ({path.stem for path in index.stage_files(stage, configuration)} for stage in stages)
    return set.intersection(*there) if stages else set()


def open_index(store: Store, *, lenient: bool = False, needs_runs: bool = True) -> StoreIndex:
    """Read the small files of a store; if ``lenient``, leave damaged ones out.

    Unless it ``needs_runs``, a damaged record of a run is left out with a warning: no score rests on it.

    Raises:
        DamagedFile: one of them is broken, and ``lenient`` is not set.
    """
    shards = {name: {path.stem for path in store.tables(unit.name)} for name, unit in UNITS.items()}

    def read(folder: str, reader: Callable[[Store, Path], T]) -> list[T]:
        records = []
        for path in store.small_files(folder):
            try:
                records.append(reader(store, path))
            except DamagedFile as damage:
                error = DamagedFile(damage.path, damage.reason, put_aside(store))
                if folder == "runs" and not needs_runs:
                    logger.warning("%s %s", error.message, error.hint)
                elif not lenient:
                    raise error from damage
        return records

    manifests = read("inputs", lambda at, path: read_manifest(at, content_key(path)))
    return StoreIndex(
        store,
        sorted(manifests, key=lambda manifest: (manifest.ingested_at, manifest.fingerprint)),
        read("configurations", read_configuration),
        read("runs", read_run),
        shards,
        Checks(store),
    )


def narrowed(index: StoreIndex, inputs: Collection[str]) -> StoreIndex:
    """Return the index of some inputs, and of the shards that may hold a pair or situation of them.

    The turns of these inputs are checked, since their ids are read; other tables are not.

    Args:
        index: the index of the whole store.
        inputs: fingerprints; one that the store does not have is left out.

    Raises:
        DamagedFile: the turns of one of the inputs cannot be trusted.
    """
    chosen = frozenset(inputs)
    manifests = [one for one in index.manifests if one.fingerprint in chosen]
    near = replace(index, manifests=manifests)
    near.check({TURNS.name})
    known = ShardIndex(index.store, mends=False)
    shards = {unit.name: set(_holders(near, unit, known)) for unit in UNITS.values()}
    near = replace(near, shards_of=shards)
    return replace(near, other_shards=frozenset(index.shards - near.shards))


def _holders(index: StoreIndex, unit: ScoredUnit, known: ShardIndex) -> Iterator[str]:
    """Yield the shards that may hold a pair or situation of the index's inputs, rather too many."""
    shards, turns = index.shards_of[unit.name], exact_patterns(index.files(TURNS.name))
    if not shards or not turns:
        return
    with open_connection(index.store.root) as connection:
        asked = connection.execute(_WANTED_IDS.format(of_turn=unit.of_turn), {"turns": turns})
        wanted = asked.fetchnumpy()["beginning"]
    yield from shards.intersection(known.holders(wanted))
    for shard in known.unlisted(shards):
        if _may_hold(index, unit, shard, wanted):
            yield shard


def _may_hold(
    index: StoreIndex, unit: ScoredUnit, shard: str, wanted: npt.NDArray[np.uint64]
) -> bool:
    """Whether a shard that no file lists holds one of the ids; a damaged one may, and is checked later."""
    try:
        found = read_table(index.store.table_path(unit.name, shard), unit.table, shard)
    except DamagedTable:
        return True
    ids = np.frombuffer(id_prefixes(found.column(unit.key).to_pylist()), "<u8")
    return bool(np.isin(ids, wanted).any())
