"""Find files of a store that the program did not write."""

import re
from collections.abc import Iterator
from pathlib import Path

from qsquared.storage.records.indexes.checks import PLAIN_TABLES, SMALL_FILES, STAGES
from qsquared.storage.records.requests import FOLDER as REQUESTS
from qsquared.storage.records.runs import FOLDER as EXECUTIONS
from qsquared.storage.store import Store
from qsquared.storage.upkeep.retention import PINS

EVALUATED = "evaluated"
"""The folder in which stores of earlier versions keep a copy of what was evaluated; nothing reads it."""

_OWN = {"store.json", PINS, ".ingest.lock", ".plan.lock", "catalog.duckdb"}
# Prefect, DuckDB and people look after these.
_NOT_CHECKED = re.compile(r"prefect(-\d+)?|\.spill(-.*)?|quarantine")
_SUFFIXES = {
    **dict.fromkeys(SMALL_FILES, ".json"),
    **dict.fromkeys(PLAIN_TABLES, ".parquet"),
    EVALUATED: ".jsonl",
    EXECUTIONS: ".jsonl",
    REQUESTS: ".jsonl",
    "locks": ".lock",
    "retry": ".parquet",
}


def unknown_files(store: Store) -> Iterator[Path]:
    """Yield the files and folders that the program did not write; nothing reads them."""
    for path in _in(store.root):
        if path.name in _OWN or _NOT_CHECKED.fullmatch(path.name):
            continue
        if path.name == "stages" and path.is_dir():
            for stage in _in(path):
                if stage.name not in STAGES or not stage.is_dir():
                    yield stage
                    continue
                for lineage in _in(stage):
                    yield from _unknown_in_folder(lineage, ".parquet")
        elif path.name in _SUFFIXES:
            yield from _unknown_in_folder(path, _SUFFIXES[path.name])
        else:
            yield path


def _in(folder: Path) -> list[Path]:
    """Return the entries of a folder by name, without files that are being written."""
    return sorted(path for path in folder.iterdir() if not re.fullmatch(r"\..*\.tmp", path.name))


def _unknown_in_folder(folder: Path, suffix: str) -> Iterator[Path]:
    """Yield the files of a folder that are not of its kind; itself, if it is none."""
    if not folder.is_dir():
        yield folder
        return
    for path in _in(folder):
        if path.suffix != suffix or path.name.startswith("."):
            yield path
