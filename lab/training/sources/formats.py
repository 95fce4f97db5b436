"""Readers of the file formats of the training sets, plain or packed by gzip."""

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any


def _open(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Read the objects of a JSON Lines file."""
    with _open(path) as lines:
        for line in lines:
            yield json.loads(line)


def read_fields(path: Path) -> Iterator[list[str]]:
    """Read the lines of a tab-separated file without quoting, as lists of fields."""
    with _open(path) as lines:
        yield from filter(None, csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_table(path: Path) -> Iterator[dict[str, str]]:
    """Read the rows of a tab-separated file by the names in its first line."""
    rows = read_fields(path)
    head = next(rows)
    for row in rows:
        yield dict(zip(head, row, strict=False))
