"""Small stores and logs made in the test."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from qsquared.storage.files.parquet import read_table
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.store import Store
from qsquared.storage.tables import REJECTS, TURNS

Rows = list[dict[str, Any]]
Read = Callable[..., tuple[str, Rows, Rows]]
"""A function that reads a log and returns its format, turns and rejects."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return Store.open(tmp_path / "store", create=True)


@pytest.fixture
def log(tmp_path: Path) -> Callable[..., Path]:
    """Write rows as JSON lines (or bytes as they are) to a named file."""

    def write(name: str, rows: bytes | Iterable[dict[str, Any]]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = (
            rows
            if isinstance(rows, bytes)
            else "".join(json.dumps(row) + "\n" for row in rows).encode()
        )
        path.write_bytes(data)
        return path

    return write


@pytest.fixture
def read(store: Store, log: Callable[..., Path]) -> Read:
    """A function that reads a log into a store: its format, turns and rejects."""

    def call(
        rows: Rows | bytes | Path,
        mapping: dict[str, str] | None = None,
        name: str = "x.jsonl",
        wanted: str = "",
    ) -> tuple[str, Rows, Rows]:
        path = rows if isinstance(rows, Path) else log(name, rows)
        manifest = ingest_file(store, path, mapping, file_format=wanted)
        found = manifest.fingerprint
        turns = read_table(store.table_path("turns", found), TURNS, found).to_pylist()
        rejects = read_table(store.table_path("rejects", found), REJECTS, found).to_pylist()
        positions = sorted(row["position"] for row in turns + rejects)
        assert positions == list(range(manifest.rows))
        return manifest.format, turns, rejects

    return call
