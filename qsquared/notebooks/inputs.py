"""Replies and their knowledge from lists, series, data frames and Arrow tables."""

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
    responses: Any, knowledge: Any = None, history: Any = None, *, response: str = "response"
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
    frame = None if isinstance(responses, str | list | tuple) else _frame(responses)
    if frame is not None:
        replies = _column(frame, response, "response")
        passages = _column(frame, knowledge or "knowledge", "knowledge")
        there = history or "history" in frame.columns
        before = _column(frame, history or "history", "history") if there else None
    else:
        replies = _listed(responses)
        if knowledge is None:
            raise UsageError("There is no knowledge to hold the replies against.", _HINT)
        passages = _listed(knowledge)
        before = None if history is None else _listed(history)
    for other, noun in ((passages, "knowledge"), (before, "histories")):
        if other is not None and len(other) != len(replies):
            raise UsageError(
                f"There are {len(replies)} responses, but {noun} for {len(other)}.",
                "Give one text or one list of texts for each response.",
            )
    # What a frame lacks is empty; in a list it is a mistake.
    empty = frame is not None
    return [
        Reply(
            clean(_text(text, number, or_empty=empty)),
            _texts(passages[number], number, or_empty=empty, documents=True),
            () if before is None else _texts(before[number], number, or_empty=True),
        )
        for number, text in enumerate(replies)
    ]


def _frame(given: Any) -> Any:
    """Return a frame of pandas or polars, or an Arrow table as one; None for what is no frame."""
    names = getattr(given, "column_names", getattr(given, "columns", None))
    if names is None:
        return None
    if twice := [name for name in names if list(names).count(name) > 1]:
        raise UsageError(f"The frame has two columns {twice[0]!r}.", "Give each a name of its own.")
    return given if hasattr(given, "loc") else pl.DataFrame(given)


def _column(frame: Any, name: Any, option: str) -> list[Any]:
    if not isinstance(name, str) or name not in frame.columns:
        raise UsageError(
            f"The frame has no column {name!r}.",
            f"Its columns: {', '.join(map(str, frame.columns))}. "
            f"Name the right one: score(frame, {option}='…')",
        )
    return _listed(frame[name])


def _listed(given: Any) -> list[Any]:
    if isinstance(given, str | bytes):
        raise UsageError("One text was given where a list of them is needed.", _HINT)
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise UsageError(f"{type(given).__name__} is no list of texts and no frame.", _HINT)
    if isinstance(given, list | tuple):
        return list(given)
    try:
        return pl.Series(given, nan_to_null=True).to_list()
    except (TypeError, ValueError) as error:
        raise UsageError(f"{type(given).__name__} cannot be read: {error}", _HINT) from error


def _text(value: Any, number: int, *, or_empty: bool) -> str:
    if or_empty and value is None:
        return ""
    if not isinstance(value, str):
        raise UsageError(
            f"Number {number} holds {type(value).__name__} where a text is needed.",
            "Give a text, or a list of texts; an empty text, where there is none, gets a status and no score.",
        )
    return value


def _texts(value: Any, number: int, *, or_empty: bool, documents: bool = False) -> tuple[str, ...]:
    """Return one or several texts, as a log is read: blank ones are none.

    Knowledge may also be ``documents`` with a title and the like.
    """
    is_single = value is None or isinstance(value, str | bytes | Mapping)
    items = [value] if is_single else _listed(value)
    if documents and any(isinstance(item, Mapping) for item in items):
        try:
            items = read_knowledge("knowledge", items)[0]
        except FieldError as error:
            raise UsageError(
                f"Number {number} holds knowledge that cannot be read: {error}",
                "Give a text, a list of texts, or documents with a text each.",
            ) from error
    texts = [_text(text, number, or_empty=or_empty) for text in items]
    return tuple(clean(text) for text in texts if text.strip())
