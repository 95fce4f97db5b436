"""The published files: found below a path, checked against the hashes that are known."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from qsquared.errors import InputError
from qsquared.hashing import sha256_of_file

_KNOWN: dict[str, Any] = tomllib.loads(
    files("qsquared.evaluation.data").joinpath("datasets.toml").read_text(encoding="utf-8")
)


def find_file(data: Path, dataset: str, name: str) -> Path:
    """A dataset's file: ``data`` itself, or in ``data``, or in a folder of it.

    Raises:
        InputError: it is not there; the hint says where to get it.
    """
    if data.is_file():
        return data
    found = sorted(data.glob(name)) or sorted(data.glob(f"*/{name}"))
    if not found:
        where = _KNOWN.get(dataset, {}).get("source", "the place where it was published")
        raise InputError(f"The file {name} of {dataset} is not in {data}.", f"Get it from {where}.")
    return found[0]


def describe_file(path: Path, dataset: str) -> tuple[str, str]:
    """The file's SHA-256 and a sentence if it is not the one that the published figures are for."""
    try:
        digest = sha256_of_file(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}.", "Check the path.") from error
    known = _KNOWN.get(dataset, {}).get("sha256", {}).get(path.name)
    if known is None:
        return digest, f"No SHA-256 is known for {path.name}: whether it is as published is open."
    if known != digest:
        return digest, f"{path.name} is not the published file: its SHA-256 differs."
    return digest, ""


def read_csv(path: Path, delimiter: str = ",") -> Iterator[dict[str, str]]:
    """The rows of a CSV or TSV file with a header.

    Raises:
        InputError: it is not UTF-8 text.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            if delimiter == "\t":
                yield from csv.DictReader(handle, delimiter=delimiter, quoting=csv.QUOTE_NONE)
            else:
                yield from csv.DictReader(handle, delimiter=delimiter)
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is no readable table: {error}.", "Check the file.") from error


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file, or of one JSON list.

    Raises:
        InputError: a line is not JSON.
    """
    text = path.read_text(encoding="utf-8")
    if text.lstrip().startswith("["):
        yield from json.loads(text)
        return
    # Not splitlines: texts may hold other line separators of Unicode.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield json.loads(line)
        except ValueError as error:
            raise InputError(f"{path}, line {number}: {error}.", "Check the file.") from error


def field_of(row: dict[str, Any], name: str, path: Path) -> Any:
    """A field of a row.

    Raises:
        InputError: the row lacks it.
    """
    if row.get(name) is None:
        raise InputError(
            f"{path} has a row without the field {name!r}; it has {', '.join(map(str, row))}.",
            "The file is not in the published format: see docs/evaluation.md.",
        )
    return row[name]
