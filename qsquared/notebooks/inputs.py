"""Replies and their knowledge from lists, series, data frames and Arrow tables."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from qsquared.errors import UsageError
from qsquared.storage.logs.fields.passages import read_knowledge
from qsquared.storage.logs.fields.values import FieldError, clean

Knowledge = str | Sequence[str]
"""The knowledge of a response: one text, or several passages, which stay apart."""

Frame = Any
"""A data frame of polars or pandas, an Arrow table, or any object that gives an Arrow stream."""

_HINT = "Write score([reply], [knowledge]); knowledge is then one text or a list of passages."


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as a log would be read: its knowledge in passages, and the turns before it."""

    response: str
    knowledge: tuple[str, ...]
    history: tuple[str, ...] = ()


def replies_of(
    responses: Any,
    knowledge: Any = None,
    history: Any = None,
    *,
    response: str = "response",
) -> list[Reply]:
    """Return the replies of a frame, or those of lists or series of the same length.

    Args:
        responses: a frame, or the texts of the replies.
        knowledge: of a frame the name of a column (`knowledge`), else a text or a list of passages
            for each reply.
        history: of a frame the name of a column (`history`, if there is one), else for each reply the
            text before it or the texts, oldest first.
        response: of a frame the name of the column with the replies.

    Raises:
        UsageError: a column is missing, the lengths differ, or something is no text.
    """
    if (columns := _columns(responses)) is not None:
        said = _column(columns, response, "response")
        known = _column(columns, knowledge or "knowledge", "knowledge")
        name = history or "history"
        before = _column(columns, name, "history") if history or name in columns else None
    else:
        said = _listed(responses)
        if knowledge is None:
            raise UsageError("There is no knowledge to hold the replies against.", _HINT)
        known = _listed(knowledge)
        before = None if history is None else _listed(history)
    for other in (known, before):
        if other is not None and len(other) != len(said):
            raise UsageError(
                f"There are {len(said)} responses, but knowledge for {len(known)}."
                if other is known
                else f"There are {len(said)} responses, but histories for {len(other)}.",
                "Give one text or one list of texts for each response.",
            )
    frame = columns is not None
    return [
        Reply(
            clean(_text(text, number, or_empty=frame)),
            tuple(_passages(known[number], number, or_empty=frame)),
            tuple(_texts(before[number], number, or_empty=True)) if before is not None else (),
        )
        for number, text in enumerate(said)
    ]


def _columns(given: Any) -> Mapping[str, list[Any]] | None:
    """Return the columns of a frame; None for what is no frame."""
    if isinstance(given, str | list | tuple) or not hasattr(given, "__arrow_c_stream__"):
        return None
    if not hasattr(given, "columns") and not hasattr(given, "schema"):
        return None  # a series or an array
    is_pandas = type(given).__module__.partition(".")[0] == "pandas"
    names = [
        str(name) for name in (given.columns if is_pandas else getattr(given, "column_names", ()))
    ]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"The frame has two columns {twice[0]!r}.", "Give each a name of its own.")
    if is_pandas:
        # Its columns may hold lists, arrays and missing values together, which Arrow refuses.
        return {str(name): given[name].tolist() for name in given.columns}
    return {series.name: series.to_list() for series in pl.DataFrame(given)}


def _column(columns: Mapping[str, list[Any]], name: Any, option: str) -> list[Any]:
    if not isinstance(name, str) or name not in columns:
        raise UsageError(
            f"The frame has no column {name!r}.",
            f"Its columns: {', '.join(columns)}. Name the right one: score(frame, {option}='…')",
        )
    return columns[name]


def _listed(given: Any) -> list[Any]:
    if isinstance(given, str | bytes):
        raise UsageError("One text was given where a list of them is needed.", _HINT)
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise UsageError(f"{type(given).__name__} is no list of texts and no frame.", _HINT)
    return list(_plain(given))


def _plain(value: Any) -> Any:
    """Return a series or an array as a list, or the value of one that has no length."""
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(value, method):
            return getattr(value, method)()
    return value


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or _is_na(value)


def _is_na(value: Any) -> bool:
    """Whether a value is pandas' own mark of a missing one, which has no truth value."""
    return type(value).__name__ in {"NAType", "NaTType"}


def _text(value: Any, number: int, *, or_empty: bool = False) -> str:
    if or_empty and _is_missing(value):
        return ""
    if not isinstance(value, str):
        raise UsageError(
            f"Number {number} holds {type(value).__name__} where a text is needed.",
            "Replace what is missing by an empty text; it gets a status and no score."
            if _is_missing(value)
            else "Give a text, or a list of texts.",
        )
    return value


def _passages(value: Any, number: int, *, or_empty: bool) -> list[str]:
    """Return the texts of knowledge, also of documents with a title and the like."""
    found = [value] if isinstance(value, Mapping) else _plain(value)
    if isinstance(found, Iterable) and not isinstance(found, str | bytes):
        found = list(found)
    if isinstance(found, list) and any(isinstance(item, Mapping) for item in found):
        try:
            found = read_knowledge("knowledge", found)[0]
        except FieldError as error:
            raise UsageError(
                f"Number {number} holds knowledge that cannot be read: {error}",
                "Give a text, a list of texts, or documents with a text each.",
            ) from error
    return _texts(found, number, or_empty=or_empty)


def _texts(value: Any, number: int, *, or_empty: bool) -> list[str]:
    """Return one or several texts, as a log is read: blank ones are none."""
    value = _plain(value)
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        texts = [_text(value, number, or_empty=or_empty)]
    else:
        texts = [_text(text, number, or_empty=or_empty) for text in value]
    return [clean(text) for text in texts if text.strip()]
