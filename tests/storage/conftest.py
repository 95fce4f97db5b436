"""Small stores and logs made in the test."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from qsquared.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


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
