"""Items to score, from the published files below a path: found, checked by their hashes, and read."""

import csv
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from qsquared.errors import InputError
from qsquared.language.checkpoints.checksums import sha256_of_file


@dataclass(frozen=True, slots=True)
class Item:
    """A reply (or sentence) to score.

    ``unit`` names the judgement; several items may share one.
    ``cluster`` names the context: items that share one are not independent.
    ``label`` is people's judgement, higher for more consistent.
    ``previous`` is the turn before the reply, where the data has it.
    ``facts`` are further values that a protocol needs, such as the system that gave the reply.
    """

    unit: str
    cluster: str
    knowledge: str
    response: str
    label: float
    facts: dict[str, Any] = field(default_factory=dict)
    previous: str | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """Items, and the files that they came from.

    ``files`` is name → SHA-256, ``notes`` are sentences for the report.
    """

    name: str
    items: tuple[Item, ...]
    files: dict[str, str]
    notes: tuple[str, ...] = ()


_KNOWN: dict[str, Any] = tomllib.loads(
    files("qsquared.evaluation.data").joinpath("datasets.toml").read_text(encoding="utf-8")
)


def look_for(data: Path, *names: str) -> Path | None:
    """Return the first of several names that is in a folder, or up to two folders below it."""
    for name in names:
        for place in (name, f"*/{name}", f"*/*/{name}"):
            if found := sorted(data.glob(place)):
                return found[0]
    return None


def find_file(data: Path, dataset: str, name: str) -> Path:
    """Return a dataset's file: ``data`` itself, or in ``data``, or in a folder of it.

    Raises:
        InputError: it is not there; the hint says where to get it.
    """
    found = data if data.is_file() else look_for(data, name)
    if found is None:
        where = _KNOWN.get(dataset, {}).get("source", "the place where it was published")
        raise InputError(f"The file {name} of {dataset} is not in {data}.", f"Get it from {where}.")
    return found


def make_dataset(
    name: str, items: Sequence[Item], paths: Mapping[Path, str], *notes: str
) -> Dataset:
    """Make a dataset of items, with the hash of each file that they were read from.

    Args:
        name: of the protocol.
        items: in the order of the files.
        paths: each file with the name that it has in ``datasets.toml``.
        notes: sentences for the report, after those on the files.

    Raises:
        InputError: there is no item, or a file cannot be read.
    """
    if not items:
        raise InputError(f"There is no item in {', '.join(map(str, paths))}.", "Check the file.")
    hashes, about_files = {}, []
    for path, published in paths.items():
        hashes[path.name], note = _describe(path, published)
        about_files += [note] if note else []
    return Dataset(name, tuple(items), hashes, (*about_files, *notes))


def _describe(path: Path, dataset: str) -> tuple[str, str]:
    """Return a file's SHA-256, and a sentence unless it is the one of the published figures."""
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


class Fields(dict[str, Any]):
    """Fields of a row of a file; to take one that the row lacks raises an `InputError`."""

    def __init__(self, fields: Mapping[str, Any], path: Path) -> None:
        super().__init__(fields)
        self.path = path

    def __getitem__(self, name: str) -> Any:
        value = self.get(name)
        if value is None:
            raise InputError(
                f"{self.path} has a row without the field {name!r}; it has "
                f"{', '.join(map(str, self))}.",
                "The file is not in the published format: see docs/evaluation.md.",
            )
        return value

    def text(self, name: str) -> str:
        """Return a field as text."""
        return str(self[name])


def read_csv(path: Path, delimiter: str = ",") -> Iterator[Fields]:
    """Read the rows of a CSV or TSV file with a header; tabs come without quoting.

    Raises:
        InputError: it is not UTF-8 text.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            for row in csv.DictReader(
                handle,
                delimiter=delimiter,
                quoting=csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL,
            ):
                yield Fields(row, path)
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is no readable table: {error}.", "Check the file.") from error


def read_jsonl(path: Path) -> Iterator[Fields]:
    """Read the objects of a JSON Lines file, or of one JSON list; objects in them are alike.

    Raises:
        InputError: a line is not JSON.
    """

    def read(fields: dict[str, Any]) -> Fields:
        return Fields(fields, path)

    text = path.read_text(encoding="utf-8")
    if text.lstrip().startswith("["):
        yield from json.loads(text, object_hook=read)
        return
    # Not splitlines: texts may hold other line separators of Unicode.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield json.loads(line, object_hook=read)
        except ValueError as error:
            raise InputError(f"{path}, line {number}: {error}.", "Check the file.") from error
