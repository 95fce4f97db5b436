"""Rows of files that are read whole: the documents of YAML, the root of XML, the tables of a dump of PostgreSQL."""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import yaml

from qsquared.storage.logs.fields.embedded_values import from_xml
from qsquared.storage.logs.file_types.compression import LogStream
from qsquared.storage.logs.file_types.databases import read_inserted
from qsquared.storage.logs.rows import BOM, Outcome, ends_early, excerpt, not_utf8

_ALIASED = "Its aliases (*name) repeat more than a row may hold, or what they stand in themselves."
_TOO_DEEP_OR_FAR = "it is nested too deeply or has a value out of range"
_TOO_DEEP = "It is nested too deeply."
_MOST_DEPTH = 200
_OF_A_PART = 16
"""The characters that a part of a YAML file counts for beside its own, as it takes memory though it be empty."""
_COPIED = re.compile(
    r"""(?m)^COPY (?:(?:\w+|"[^"\n]+")\.)?(?P<name>\w+|"[^"\n]+") \((?P<columns>[^()\n]+)\) FROM stdin;\n"""
    r"(?P<rows>(?:(?!\\\.).*\n)*)(?P<end>\\\.)?"
)
_ESCAPED = re.compile(r"(?s)\\(.)")
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_NO_DUMP = "The file holds no data in the form of pg_dump (COPY … FROM stdin;) or of SQLite (INSERT INTO …)."
_CUT_DUMP = "its last table is not whole"
_NO_XML = "The file is no XML, is a page of HTML, or declares a document type of its own."


class _Plain(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A loader of texts, numbers, lists and objects: times stay texts, and tags of programs are not obeyed."""


def _untagged(loader: Any, _: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


_Plain.add_multi_constructor("", _untagged)
_Plain.yaml_implicit_resolvers = {
    first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def iterate_yaml(stream: LogStream, lines: BinaryIO) -> Iterator[Outcome]:
    """Yield the documents of a file, or the items of a document that is a list.

    Tags of a program's own classes are passed over, and no code of theirs is run.
    What aliases repeat must be no longer than a row may be.
    """
    text, unread, raw = _text(stream, lines)
    if unread:
        yield 1, unread, raw
        return
    try:
        if reason := _refused(text, stream.limits.row_bytes):
            yield 1, reason, raw
            return
        for document in yaml.load_all(text, _Plain):
            for value in document if isinstance(document, list) else [document]:
                yield 1, _fields(value), raw
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        told = getattr(error, "problem", None) or _TOO_DEEP_OR_FAR
        yield line, f"The file is not valid YAML from line {line} on: {told}.", raw


def _refused(text: str, most: int) -> str:
    """Return why the documents of a text are not read, empty if they may be.

    Args:
        text: the documents.
        most: the characters that they may have with what aliases repeat.
    """
    within: list[tuple[str | None, int]] = []
    sizes: dict[str, int] = {}
    size = 0
    for event in yaml.parse(text, _Plain):
        if isinstance(event, yaml.AliasEvent):
            # An alias within what it names would never end.
            size += _OF_A_PART + sizes.get(event.anchor, most + 1)
            if size > most:
                return _ALIASED
        elif isinstance(event, yaml.CollectionStartEvent):
            within.append((event.anchor, size))
            size += _OF_A_PART
            if event.anchor:
                sizes.pop(event.anchor, None)
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, begun = within.pop()
            sizes |= {anchor: size - begun} if anchor else {}
        elif isinstance(event, yaml.ScalarEvent):
            own = len(event.value) + _OF_A_PART
            size += own
            sizes |= {event.anchor: own} if event.anchor else {}
        if len(within) > _MOST_DEPTH:
            return _TOO_DEEP
    return ""


def iterate_xml(stream: LogStream, lines: BinaryIO) -> Iterator[Outcome]:
    """Yield the root of a file as one row, whose elements are fields and lists of fields."""
    text, unread, raw = _text(stream, lines)
    yield 1, unread or from_xml(text) or _NO_XML, raw


def iterate_dump(stream: LogStream, lines: BinaryIO) -> Iterator[Outcome]:
    """Yield the data of all tables as one row: a list of rows under the name of each table.

    The dump is one of ``pg_dump``, of ``COPY … FROM stdin`` (PostgreSQL, "COPY", text format), or holds its rows
    in ``INSERT`` statements, as SQLite's do.
    """
    text, unread, raw = _text(stream, lines)
    text = text.replace("\r\n", "\n")
    tables: dict[str, list[dict[str, Any]]] = {}
    broken: list[Outcome] = []
    whole = True
    for table in _COPIED.finditer(text):
        names = [name.strip().strip('"') for name in table["columns"].split(",")]
        rows = tables.setdefault(table["name"].strip('"'), [])
        first = text.count("\n", 0, table.start("rows")) + 1
        for number, line in enumerate(table["rows"].split("\n")[:-1], start=first):
            cells = [*map(_cell, line.split("\t"))]
            if len(cells) == len(names):
                rows.append(dict(zip(names, cells, strict=True)))
            else:
                told = f"The row has {len(cells)} fields, its table has {len(names)}."
                broken.append((number, told, excerpt(line)))
        whole = bool(table["end"])
    if not (tables or unread):
        tables, broken = read_inserted(text)
    yield 1, unread or tables or _NO_DUMP, raw
    yield from broken
    if not whole:
        yield text.count("\n") + 1, ends_early(stream.problem or _CUT_DUMP), ""


def _cell(written: str) -> str | None:
    """Return a value as it was before ``COPY`` wrote it; NULL is None."""
    if written == r"\N":
        return None
    return _ESCAPED.sub(lambda escape: _LETTERS.get(escape[1], escape[1]), written)


def _text(stream: LogStream, lines: BinaryIO) -> tuple[str, str, str]:
    """Return the text of a file, the reason why it is no text or too long for a row, and its beginning."""
    data = lines.read(stream.limits.row_bytes + 1).removeprefix(BOM)
    reason = stream.limits.too_long("file") if len(data) > stream.limits.row_bytes else ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return "", reason or not_utf8("file", error), excerpt(data)
    return text, reason, excerpt(data)


def _named(value: Any) -> Any:
    """Return a value whose objects have texts as names: YAML takes ``no`` and ``1`` for others."""
    if isinstance(value, dict):
        return {str(name): _named(held) for name, held in value.items()}
    return [_named(one) for one in value] if isinstance(value, list) else value


def _fields(value: Any) -> dict[str, Any] | str:
    if isinstance(value, dict):
        return {str(name): _named(held) for name, held in value.items()}
    return "The document is a single value, not an object."
