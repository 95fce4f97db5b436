"""Map a log's field names to ours."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from pathlib import Path
from typing import Any

from qsquared.errors import InputError, UsageError
from qsquared.storage.logs.fields.embedded_values import parsed
from qsquared.storage.logs.fields.field_paths import ABSENT, first_name, heads_of, joined_at
from qsquared.storage.logs.fields.passages import without_repeated
from qsquared.storage.logs.fields.reshaped import without_dropped
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.fields.values import asks
from qsquared.storage.logs.format_engines.formats import Format, read_format
from qsquared.storage.logs.read_options import ReadOptions, joined_format
from qsquared.toml_files import read_toml

AND = "\n"
"""The mark between the fields of a log that are one field of ours together."""
FIELDS = ("id", "conversation_id", "turn", "timestamp", "history", "knowledge", "response")
"""The fields that a turn is made of; all others become its metadata."""


NAMELESS = re.compile(r"column \d+")
"""The name of a column that has none in its table."""
_SENTENCE = 5
"""The words from which on a text that ends as a sentence is none of a column's names."""


def parse_mapping(pairs: Sequence[str]) -> dict[str, str]:
    """Read ``theirs=ours`` pairs into a dict from their names to ours.

    Raises:
        UsageError: a pair has no ``=``, names no field of ours, or repeats a name.
    """
    mapping: dict[str, str] = {}
    for pair in pairs:
        theirs, separator, ours = (part.strip() for part in pair.rpartition("="))
        if not separator or not theirs or not ours:
            told = f"The mapping {pair!r} is not of the form theirs=ours."
            raise UsageError(told, "For example: answer=response")
        if ours not in FIELDS:
            told = f"The mapping {pair!r} names an unknown field {ours!r}."
            raise UsageError(told, f"The fields are {', '.join(FIELDS)}.")
        if theirs in mapping:
            told = f"The field {theirs!r} of the log is mapped twice."
            raise UsageError(told, "Map each field once.")
        if ours in mapping.values() and ours != "knowledge":
            told = f"Two fields of the log are mapped to {ours!r}."
            hint = "Map one field to each of ours; only knowledge may have several."
            raise UsageError(told, hint)
        mapping[theirs] = ours
    return mapping


def read_mapping_file(path: Path) -> tuple[dict[str, str], str]:
    """Read the mapping and the format (empty: to be detected) from a TOML file.

    A file with an ``engine`` describes a format (`format_engines.formats`); of others the table
    ``fields`` has the log's names and ours, as in ``answer = "response"``.

    Raises:
        UsageError: it cannot be read or has other content.
    """
    stated = read_toml("The format", path)
    keys = stated.keys() - {"fields"}
    if "format" not in keys and not keys.isdisjoint(Format.model_fields):
        read_format(path.stem, stated, str(path))
        return {}, joined_format("", ReadOptions(described=stated))
    named, file_format = stated.get("fields", {}), stated.get("format", "")
    strange = sorted(stated.keys() - {"fields", "format"})
    texts = isinstance(named, dict) and all(isinstance(ours, str) for ours in named.values())
    if strange or not texts or not isinstance(file_format, str):
        problem = f"states {strange[0]!r}" if strange else "has a value that is no text"
        raise UsageError(
            f"The mapping {path} {problem}.",
            'It may have: format = "jsonl", and below [fields] lines like answer = "response"; '
            'names with dots stand in quotes, as in "output.answer" = "response".',
        )
    return parse_mapping([f"{theirs}={ours}" for theirs, ours in named.items()]), file_format


def sources(mapping: Mapping[str, str]) -> dict[str, str]:
    """Return our fields with the field of the log that each is read from."""
    named: dict[str, str] = {}
    for theirs, ours in mapping.items():
        named[ours] = f"{named[ours]}{AND}{theirs}" if ours in named else theirs
    return {ours: named.get(ours, ours) for ours in FIELDS if ours in named or ours not in mapping}


def expected_columns(mapping: Mapping[str, str]) -> list[str]:
    """Return the columns that a table needs to hold turns, and those that the mapping names."""
    response = sources(mapping).get("response", "response")
    return [response, *(theirs for theirs in mapping if theirs != response)]


def split_fields(
    fields: Mapping[str, Any], source: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split a row into our fields and the rest.

    A path leads into nested objects and lists (``output.answer``), which stay in the rest as a
    whole.
    """
    nested, taken = _paths_of(tuple(source.items()))
    ours = {name: fields[path] for name, path in source.items() if path in fields}
    ours |= {name: joined_at(fields, held) for name, held in nested.items() if name != "knowledge"}
    if known := nested.get("knowledge"):
        held = joined_at(reduce(without_dropped, known, fields), known)
        # Several searches may find the same.
        listed = isinstance(held, list) and any("[]" in path for path in known)
        ours["knowledge"] = without_repeated(held) if listed else held
    if nested:
        ours = {name: value for name, value in ours.items() if value is not ABSENT}
    return ours, {name: value for name, value in fields.items() if name not in taken}


@lru_cache(maxsize=64)
def _paths_of(source: tuple[tuple[str, str], ...]) -> tuple[dict[str, list[str]], frozenset[str]]:
    """Return the paths of those of our fields that are no plain names, and the log's names of all."""
    paths = {name: theirs.split(AND) for name, theirs in source}
    nested = {
        name: held for name, held in paths.items() if heads_of(tuple(held)) != frozenset(held[:1])
    }
    return nested, frozenset(path for held in paths.values() for path in held)


def header_of(path: Path, cells: Sequence[Any], expected: Sequence[str]) -> tuple[list[str], bool]:
    """Return the names of a table's columns by its first row, and whether that row is data: then they are numbered.

    Raises:
        InputError: a column is missing or occurs twice.
    """
    # Tables written with their row numbers have a column without a name.
    names = [str(name).strip() or f"column {n}" for n, name in enumerate(cells, start=1)]
    data = _states_data(names) and not any(name in names for name in expected)
    if data:
        names = [f"column {n}" for n, _ in enumerate(cells, start=1)]
    check_columns(path, names, expected)
    return names, data


def _states_data(cells: Sequence[str]) -> bool:
    """Whether cells hold what is said, found and counted, and no names: statements, and half of them or ids beside.

    Questions alone are the names of the columns of a form.
    """
    said = [len(cell.split()) >= _SENTENCE and cell.endswith((".", "!")) for cell in cells]
    asked = [len(cell.split()) >= _SENTENCE - 1 and asks(cell) for cell in cells]
    dated = [moment_of(cell) is not None for cell in cells]
    coded = [" " not in cell and any(map(str.isdigit, cell)) for cell in cells]
    data = [any(held) for held in zip(said, asked, dated, coded, strict=True)]
    held = any(isinstance(parsed(cell), dict) for cell in cells)
    return held or (any(said) and (all(data) or 2 * sum(said) >= len(cells) > 1))


def check_columns(path: Path, columns: Sequence[str], expected: Sequence[str]) -> None:
    """Refuse a table that cannot hold a turn.

    Raises:
        InputError: a column is missing or occurs twice.
    """
    twice = [name for name, count in Counter(columns).items() if count > 1]
    if twice:
        told = f"The log {path} has two columns named {twice[0]!r}."
        raise InputError(told, "Rename one of them.")
    missing = [name for name in expected if name not in columns and first_name(name) not in columns]
    if missing:
        raise InputError(
            f"The log {path} has no column {' or '.join(map(repr, missing))}; "
            f"it has {', '.join(map(repr, columns))}.",
            "Say which columns play which part with --map, for example: --map answer=response",
        )
