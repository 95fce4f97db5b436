"""The layout of a store, and its small JSON files with their checksums."""

import json
import logging
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from qsquared.errors import DeniedError, StoreError, UsageError
from qsquared.storage.files.atomic import move_within, write_json
from qsquared.storage.files.file_errors import DamagedFile, is_denial, refuse_if_unreadable
from qsquared.storage.files.parquet import stated_version
from qsquared.storage.files.remote_paths import get, is_remote, is_there
from qsquared.storage.keys import digest
from qsquared.storage.tables import SCHEMA_VERSION

logger = logging.getLogger("qsquared")

_KEY = re.compile(r"[0-9a-f]{8,64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,199}")
_FOLDERS = ("inputs", "turns", "rejects", "pairs", "situations", "stages", "lineages")
_TABLES = "[!.]*.parquet"
_BESIDE = frozenset({"formats", "locks", "lost+found", "prefect", "runs"})
"""Folders that may be there before a store is."""


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of Parquet tables and JSON files, which hold the whole state of the program."""

    root: Path

    @classmethod
    def open(cls, root: Path, create: bool = False) -> Self:
        """Open the store at ``root``, or make one there.

        With ``create`` a damaged ``store.json`` is put aside and written anew, if a sound table
        states the version.

        Raises:
            StoreError: there is none (and ``create`` is not set), or it is of another version.
            UsageError: it would be made in a folder that holds other things, such as logs.
            UnreachableError: it has a URL and does not answer.
            DamagedFile: its ``store.json`` is damaged.
        """
        store = cls(root)
        path = root / "store.json"
        there = is_there(path)
        try:
            if not there:
                store._begin(create)
            store.check_version()
        except DamagedFile as damage:
            if not create:
                raise
            store._restore(damage)
        return store

    def check_version(self) -> None:
        """Refuse a store that this program would misread.

        Raises:
            DamagedFile: ``store.json`` is damaged or gone.
            StoreError: the store is of another version.
        """
        path = self.root / "store.json"
        try:
            content = _parse(path)
        except DamagedFile as damage:
            raise DamagedFile(path, damage.reason, _repair(self.root)) from damage
        version = content.get("schema_version")
        # Version 1 had no checksum; a later one may check itself in another way.
        if isinstance(version, int) and version != SCHEMA_VERSION:
            if "checksum" not in content or _is_sound(content):
                raise _other_version(self.root, version)
        elif _is_sound(content) and version == SCHEMA_VERSION:
            return
        raise DamagedFile(path, "it does not have the checksum that it states", _repair(self.root))

    def _begin(self, create: bool) -> None:
        """Make a new store, but never in a folder that holds parts of one."""
        path = self.root / "store.json"
        present = [name for name in _FOLDERS if (self.root / name).exists()]
        if present:
            reason = f"it is missing, though there is a folder {present[0]!r} beside it"
            raise DamagedFile(path, reason, _repair(self.root))
        if not create:
            raise StoreError(
                f"There is no store at {self.root}.",
                "Ingest a log into it first, or check the path.",
            )
        if others := _others(self.root):
            raise UsageError(
                f"The folder {self.root} holds other things, such as {others[0]}; no store is made "
                "among them.",
                "Name a new or an empty folder: --store DIR",
            )
        try:
            self.write_json(path, {"schema_version": SCHEMA_VERSION})
        except OSError as error:
            kind = DeniedError if is_denial(error) else StoreError
            raise kind(
                f"The store {self.root} cannot be made: {error.strerror or error}.",
                "Choose a folder that can be written to: --store DIR",
            ) from error

    def _restore(self, damage: DamagedFile) -> None:
        """Write ``store.json`` anew, with the version that the first sound table states."""
        tables = (path for name in _FOLDERS for path in sorted((self.root / name).rglob(_TABLES)))
        version = next(filter(None, map(stated_version, tables)), None)
        if version is None:
            raise StoreError(
                f"{damage.message} No table of the store tells its version.",
                "Choose another folder for the store, or put store.json back.",
            ) from damage
        if version != SCHEMA_VERSION:
            raise _other_version(self.root, version) from damage
        self.quarantine(damage.path, damage.reason)
        self.write_json(damage.path, {"schema_version": SCHEMA_VERSION})

    def manifest_path(self, fingerprint: str) -> Path:
        """Return the path of the manifest of an input."""
        return self.root / "inputs" / f"{_key(fingerprint)}.json"

    def table_path(self, table: str, key: str) -> Path:
        """Return the path of a table of an input, a shard or a draw; those of stages lie in lineages."""
        return self.root / table / f"{_key(key)}.parquet"

    def tables(self, folder: str) -> list[Path]:
        """Return the tables in a folder of the store (slashes allowed), sound or not, by name."""
        return sorted((self.root / folder).glob(_TABLES))

    def stage_path(self, stage: str, lineage: str, shard: str) -> Path:
        """Return the path of a stage's output in one lineage on one shard."""
        return self.root / "stages" / _name(stage) / _key(lineage) / f"{_key(shard)}.parquet"

    def small_file(self, folder: str, name: str) -> Path:
        """Return the path of a JSON file: a lineage, a configuration, a calibration, a run or a date."""
        return self.root / folder / f"{_name(name)}.json"

    def small_files(self, folder: str) -> list[Path]:
        """List the JSON files of a folder of the store, by name."""
        return sorted((self.root / folder).glob("[!.]*.json"))

    def write_json(self, path: Path, value: Mapping[str, Any]) -> None:
        """Write a JSON object atomically, with a checksum of its content in the field `checksum`.

        Raises:
            ValueError: the value is not plain JSON.
        """
        plain = json.loads(json.dumps(value, allow_nan=False))
        write_json(path, plain | {"checksum": digest(plain)})

    def read_json(self, path: Path) -> dict[str, Any]:
        """Read a JSON object that `write_json` wrote; check its checksum and leave it out.

        Raises:
            DamagedFile: it is missing, broken or changed.
        """
        value = _parse(path)
        if not _is_sound(value):
            raise DamagedFile(path, "its content does not have the checksum that it states")
        del value["checksum"]
        return value

    def quarantine(self, path: Path, reason: str = "it is damaged") -> Path | None:
        """Move a damaged file to the quarantine and return its new path (None: it is gone).

        The log reports its name and the reason.
        """
        time = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        name = "__".join(path.absolute().relative_to(self.root.absolute()).parts)
        target = self.root / "quarantine" / f"{name}.{time}"
        try:
            move_within(path, target)
        except FileNotFoundError:
            return None
        logger.warning(
            "%s is damaged: %s. It was moved to %s.", path, reason, target.relative_to(self.root)
        )
        return target


def store_option(store: Store) -> str:
    """Return the option that names a store on the command line."""
    return f"--store {shlex.quote(str(store.root))}"


def content_key(path: Path) -> str:
    """Return the content key in the name of a file of the store.

    Raises:
        DamagedFile: the name is no key, so the store did not write it.
    """
    if not _KEY.fullmatch(path.stem):
        raise DamagedFile(path, "the store gives no file that name")
    return path.stem


def _parse(path: Path) -> dict[str, Any]:
    """Read a JSON object without a look at its checksum.

    Raises:
        DamagedFile: it is missing, or is no JSON object.
        StoreError: it cannot be read, and its content may be sound.
    """
    if not is_remote(path) and path.exists() and not path.is_file():
        raise DamagedFile(path, "it is no file")
    try:
        value = json.loads(get(path))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise DamagedFile(path, "it is missing") from error
    except (OSError, ValueError, RecursionError) as error:
        refuse_if_unreadable(path, error)
        raise DamagedFile(path, "it is not the JSON that was written") from error
    if not isinstance(value, dict):
        raise DamagedFile(path, "it is not the JSON that was written")
    return value


def _is_sound(value: Mapping[str, Any]) -> bool:
    rest = {name: item for name, item in value.items() if name != "checksum"}
    try:
        return value.get("checksum") == digest(rest)
    except ValueError:  # NaN, which nothing here writes
        return False


def _others(root: Path) -> list[str]:
    """Return the names in a folder that no store and no file system puts there, in order."""
    try:
        names = [path.name for path in root.iterdir()]
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []  # There is none yet; that it cannot be written to is said when it is.
    return sorted(name for name in names if not name.startswith(".") and name not in _BESIDE)


def _repair(root: Path) -> str:
    return (
        "Score a log into the store again, or run this, and it is put right if a table of the "
        f"store tells its version: q2 verify --quarantine --store {shlex.quote(str(root))}"
    )


def _other_version(root: Path, version: int) -> StoreError:
    if version > SCHEMA_VERSION:
        todo = "Use the newer program that wrote it (q2 --version), or score"
    else:
        todo = "This program cannot read it; it stays as it is for the program that wrote it. Score"
    return StoreError(
        f"The store {root} has schema version {version}; this program writes {SCHEMA_VERSION}.",
        f"{todo} the logs into a new store: q2 score LOGS --store {shlex.quote(f'{root}-v{SCHEMA_VERSION}')}",
    )


def _key(value: str) -> str:
    if not _KEY.fullmatch(value):
        raise StoreError(f"{value!r} is not a content key.", "Give a key as the store shows it.")
    return value


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise StoreError(
            f"{value!r} cannot name a file.", "Use letters, digits and the characters _ . + - only."
        )
    return value
