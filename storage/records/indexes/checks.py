"""Check each file of a store by its path (its name, its key and every byte of it), and name the remedies."""

import shlex
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from qsquared.storage.files.file_errors import DamagedFile
from qsquared.storage.files.parquet import DamagedTable, Receipt, check_table
from qsquared.storage.keys import digest, stage_key
from qsquared.storage.logs.paths import log_is_there
from qsquared.storage.records.date_records import FOLDER as DATES
from qsquared.storage.records.date_records import read_date_file
from qsquared.storage.records.indexes.shard_index import SHARD_IDS
from qsquared.storage.records.inputs.manifests import InputManifest, read_manifest
from qsquared.storage.records.runs import ERASURES, WRITTEN, read_run
from qsquared.storage.store import Store, content_key, store_option
from qsquared.storage.tables import (
    LABEL_TABLES,
    PAIRS,
    REJECTS,
    SITUATIONS,
    STAGE_TABLES,
    TURNS,
    UNITS,
)

_LINEAGE = ("stage", "version", "parameters", "models", "inputs")
"""The fields of a lineage, of which its name is the key."""


def read_lineage(store: Store, path: Path) -> dict[str, Any]:
    """Read stage, version, parameters, models and inputs of a lineage.

    Raises:
        DamagedFile: the file is missing, broken, or describes another lineage.
    """
    record = store.read_json(path)
    try:
        name = stage_key(*(record[key] for key in _LINEAGE))
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFile(path, f"it lacks what a lineage has ({error!r})") from error
    if name != content_key(path):
        raise DamagedFile(path, f"it tells of the lineage {name}")
    return record


def read_configuration(store: Store, path: Path) -> dict[str, Any]:
    """Read a metric and profile with its lineage for each stage; `last_used` is when a run completed.

    Raises:
        DamagedFile: the file is missing, broken, or describes another configuration.
    """
    record = store.read_json(path)
    try:
        # Reads every field that its readers rely on.
        start = f"{record['metric']}.{record['profile'].split('+')[0]}"
        short = digest([record["metric"], record["lineages"]])[:8]
        fits = path.stem.startswith(start) and path.stem.endswith(f".{short}")
        fits = fits and record["digest"].startswith(short) and isinstance(record["last_used"], str)
        fits = fits and all(isinstance(record[name], dict) for name in ("lineages", "parameters"))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DamagedFile(path, f"it lacks what a configuration has ({error!r})") from error
    if not fits:
        raise DamagedFile(path, "it tells of another configuration than its name")
    return record


SMALL_FILES: dict[str, Callable[[Store, Path], object]] = {
    "inputs": lambda store, path: read_manifest(store, content_key(path)),
    "lineages": read_lineage,
    "configurations": read_configuration,
    "runs": read_run,
    DATES: read_date_file,
    **dict.fromkeys(("calibrations", ERASURES, "comparisons", "anchors", WRITTEN), Store.read_json),
}
"""The folders of JSON files, each with a function that reads one or finds it damaged."""

PLAIN_TABLES = {
    table.name: table for table in (TURNS, REJECTS, PAIRS, SITUATIONS, SHARD_IDS, *LABEL_TABLES)
}
STAGES = {table.name: table for table in STAGE_TABLES}


class Checks:
    """Checks of the files of one store, by their paths; each lineage is read and checked once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lineages: dict[str, dict[str, Any]] = {}

    def lineage(self, name: str) -> dict[str, Any]:
        """Return stage, version, parameters, models and inputs of a lineage.

        Raises:
            DamagedFile: its file is missing, broken, or describes another one.
        """
        if name not in self._lineages:
            self._lineages[name] = read_lineage(self.store, self.store.small_file("lineages", name))
        return self._lineages[name]

    def key(self, lineage: str, shard: str) -> str:
        """Return the content key of a lineage's table on a shard.

        Raises:
            DamagedFile: the file of the lineage or of one of its inputs cannot be used.
        """

        @cache
        def find(name: str) -> str:
            record = self.lineage(name)
            inputs = {
                table: shard if table in UNITS else find(other)
                for table, other in record["inputs"].items()
            }
            return stage_key(
                record["stage"], record["version"], record["parameters"], record["models"], inputs
            )

        return find(lineage)

    def table(self, path: Path) -> Receipt:
        """Check a table by its place in the store; every byte of it is read.

        Raises:
            DamagedFile: it, or the file that describes it, cannot be used.
            StoreError: it cannot be read for a reason that says nothing of its content.
        """
        parts = path.relative_to(self.store.root).parts
        shard = content_key(path)
        if len(parts) == 2 and parts[0] in PLAIN_TABLES:
            return check_table(path, PLAIN_TABLES[parts[0]], shard)
        if len(parts) == 4 and parts[0] == "stages" and parts[1] in STAGES:
            lineage = self.lineage(content_key(Path(parts[2])))
            if lineage["stage"] != parts[1]:
                raise DamagedTable(path, f"its folder is a lineage of the stage {lineage['stage']}")
            return check_table(path, STAGES[parts[1]], self.key(parts[2], shard))
        raise DamagedTable(path, "the store has no table at that place")

    def is_sound(self, path: Path) -> bool:
        """Whether a table or a JSON file can be trusted; see `table` and `small_file`."""
        try:
            (self.small_file if path.suffix == ".json" else self.table)(path)
        except DamagedFile:
            return False
        return True

    def tables(self, paths: Iterable[Path]) -> None:
        """Check several tables; see `table`."""
        for path in paths:
            self.table(path)

    def small_file(self, path: Path) -> None:
        """Check a JSON file by its place in the store.

        Raises:
            DamagedFile: it cannot be used.
        """
        SMALL_FILES[path.parent.name](self.store, path)


def damaged_small_files(store: Store) -> Iterator[DamagedFile]:
    """Yield the damage of each damaged JSON file of a store."""
    checks = Checks(store)
    for folder in SMALL_FILES:
        for path in store.small_files(folder):
            try:
                checks.small_file(path)
            except DamagedFile as damage:
                yield damage


def put_aside_small_files(store: Store) -> None:
    """Move damaged JSON files to quarantine, so that a run can go on and write them anew."""
    for damage in list(damaged_small_files(store)):
        store.quarantine(damage.path, damage.reason)


def make_again(store: Store) -> str:
    """Return the remedy for a damaged table that can be made again from other tables."""
    return (
        f"Make it again: q2 score LOGS {store_option(store)}, with the logs and options of before. "
        f"What else is wrong: q2 verify {store_option(store)}"
    )


def put_aside(store: Store) -> str:
    """Return the remedy for a damaged JSON file."""
    return f"Put it aside: q2 verify --quarantine {store_option(store)}; then score the logs again."


def read_again(store: Store, manifest: InputManifest) -> str:
    """Return the remedy for unusable turns of a log."""
    there = [path for path in manifest.paths if log_is_there(path)]
    if there:
        return f"Read its log again: q2 score {shlex.quote(there[0])} {store_option(store)}"
    named = f"Its log {manifest.paths[0]} is gone" if manifest.paths else "Its log has changed"
    return (
        f"{named}, so it cannot be read again as it is. Put the log back and score it, or go on "
        f"without it: q2 verify --quarantine {store_option(store)}"
    )
