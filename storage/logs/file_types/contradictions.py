"""Contradictions between the file format that a person stated and what a file plainly holds."""

from __future__ import annotations

import json
from pathlib import Path

from qsquared.errors import UnusableLogError
from qsquared.storage.logs.file_types.detect import FILE_TYPES
from qsquared.storage.logs.file_types.record_batches import type_by_magic
from qsquared.storage.logs.file_types.streams import head_of
from qsquared.storage.logs.rows import BOM

_HEAD = 1 << 16


def refuse_other_content(path: Path, file_type: str) -> None:
    """Refuse a log whose first bytes are plainly of another format than the one it is read as.

    Raises:
        UnusableLogError: they are; the message names both, and the option to leave out or to give.
    """
    found = _plain_content(head_of(path, _HEAD)[0])
    json_for_table = found in {"jsonl", "json"} and file_type in {"csv", "tsv"}
    binary = found != file_type and bool({found, file_type} & {"parquet", "arrow"})
    table = found == "csv" and file_type in {"jsonl", "json"}
    if found is not None and (json_for_table or binary or table):
        raise UnusableLogError(
            f"The log {path} would be read as {FILE_TYPES[file_type]} ({file_type}), and holds "
            f"{FILE_TYPES[found]}.",
            f"Leave out the format to have it detected, or state: --format {found}",
        )


def _plain_content(head: bytes) -> str | None:
    """Return the format that the first bytes of a file show beyond doubt, None if they show none."""
    if binary := type_by_magic(head):
        return binary
    line, newline, _ = head.removeprefix(BOM).lstrip().partition(b"\n")
    if not line or (not newline and len(head) == _HEAD):
        return None
    if line.startswith((b"{", b"[")):
        try:
            return "jsonl" if isinstance(json.loads(line), dict) else "json"
        except (ValueError, RecursionError):
            return None
    # A log of JSON lines may begin within a line.
    objects = any(other.lstrip().startswith((b"{", b"[")) for other in head.splitlines())
    separated = any(line.count(mark) for mark in (b",", b";", b"\t", b"|"))
    return "csv" if separated and not objects else None
