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
    for path in sorted(store.root.iterdir()):
        if path.name in _OWN or _NOT_CHECKED.fullmatch(path.name):
            continue
        if path.name == "stages" and path.is_dir():
            yield from _unknown_in_stages(path)
        elif path.name in _SUFFIXES and path.is_dir():
            yield from _unknown_in_folder(path, _SUFFIXES[path.name])
        elif not _is_temporary(path):
            yield path


def _unknown_in_stages(folder: Path) -> Iterator[Path]:
    for stage in sorted(folder.iterdir()):
        if stage.name not in STAGES or not stage.is_dir():
            yield stage
            continue
        for lineage in sorted(stage.iterdir()):
            if lineage.is_dir():
                yield from _unknown_in_folder(lineage, ".parquet")
            else:
                yield lineage


def _unknown_in_folder(folder: Path, suffix: str) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        known = path.suffix == suffix and not path.name.startswith(".")
        if not known and not _is_temporary(path):
            yield path


def _is_temporary(path: Path) -> bool:
    return path.name.startswith(".") and path.suffix == ".tmp"
