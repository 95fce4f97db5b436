"""Rows of YAML and XML: the documents of a file, or the items of the list that it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

import yaml

from qsquared.storage.logs.fields.texts.markup import from_xml
from qsquared.storage.logs.rows import BOM, RawRow, UnreadableRow, ends_early, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qsquared.storage.logs.file_types.streams import LogStream

_ALIASED = (
    "It repeats parts by aliases (*name), which are not read, since they may expand without end."
)
_TOO_DEEP = "It is nested too deeply."
_MOST_DEPTH = 200
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


def iterate_yaml(stream: LogStream, lines: BinaryIO) -> Iterator[RawRow | UnreadableRow]:
    """Yield the documents of a file, or the items of a document that is a list.

    Tags of a program's own classes are passed over, and no code of theirs is run; aliases are refused.
    """
    text, unread = _text(stream, lines)
    if unread is not None:
        yield unread
        return
    position = 0
    try:
        if reason := _refused(text):
            yield UnreadableRow(0, 1, reason, excerpt(text))
            return
        for document in yaml.load_all(text, _Plain):
            for value in document if isinstance(document, list) else [document]:
                yield _row(position, value, text)
                position += 1
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        told = (
            getattr(error, "problem", None) or "it is nested too deeply or has a value out of range"
        )
        yield UnreadableRow(
            position,
            line,
            f"The file is not valid YAML from line {line} on: {told}.",
            excerpt(text),
        )
    if stream.problem:
        yield ends_early(position, 1, stream.problem)


def _refused(text: str) -> str:
    """Return why the documents of a text are not read, empty if they may be."""
    depth = 0
    for event in yaml.parse(text, _Plain):
        if isinstance(event, yaml.AliasEvent):
            return _ALIASED
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MOST_DEPTH:
            return _TOO_DEEP
    return ""


def iterate_xml(stream: LogStream, lines: BinaryIO) -> Iterator[RawRow | UnreadableRow]:
    """Yield the root of a file as one row, whose elements are fields and lists of fields."""
    text, unread = _text(stream, lines)
    held = from_xml(text) if unread is None else None
    yield unread or (_row(0, held, text) if held else UnreadableRow(0, 1, _NO_XML, excerpt(text)))
    if stream.problem:
        yield ends_early(1, 1, stream.problem)


def _text(stream: LogStream, lines: BinaryIO) -> tuple[str, UnreadableRow | None]:
    """Return the text of a file, or the reject of one that is no text or longer than a row may be."""
    data = lines.read(stream.limits.row_bytes + 1).removeprefix(BOM)
    reason = stream.limits.too_long("file") if len(data) > stream.limits.row_bytes else ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = ""
        reason = reason or f"The file is not valid UTF-8 (byte {error.start + 1} of the file)."
    return text, UnreadableRow(0, 1, reason, excerpt(data)) if reason else None


def _row(position: int, value: Any, text: str) -> RawRow | UnreadableRow:
    if isinstance(value, dict):
        return RawRow(position, 1, {str(name): held for name, held in value.items()}, excerpt(text))
    return UnreadableRow(
        position, 1, "The document is a single value, not an object.", excerpt(text)
    )
