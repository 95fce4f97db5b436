"""Texts and lists within the JSON values of other programs' logs.

Such values come as objects or as text in a cell, and no type in them can be relied upon.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from qsquared.storage.logs.fields.embedded_values import (
    by_ids,
    by_numbers,
    opened,
    parsed,
    unquoted,
)
from qsquared.storage.logs.fields.field_paths import EMPTY
from qsquared.storage.logs.fields.hits import has_text
from qsquared.storage.logs.fields.passages import Passage, distinct
from qsquared.storage.logs.fields.passages import passages_of as _passages_of
from qsquared.storage.logs.fields.values import asks
from qsquared.storage.logs.prompts.divide_passages import split_result

__all__ = ["Passage", "distinct", "has_text", "parsed"]

_TEXT_PARTS = {"", "text", "input_text", "output_text", "refusal"}


def passages_of(value: Any, depth: int = 0) -> list[Passage]:
    """Return the passages in the output of a retriever or a tool, also out of a text that lists them.

    ``depth`` is above 0 for an item of a list, whose text is one passage.
    """
    held = unquoted(value)
    if depth == 0 and isinstance(held, str) and (several := split_result(held)) is not None:
        return several
    # An object that is a text stays as it is written.
    return _passages_of(held, depth) if isinstance(held, str) else _passages_of(value, depth, held)


def mapping(value: Any) -> Mapping[str, Any]:
    """Return an object, also one that is held as text; an empty one for any other value."""
    if type(value) is dict:  # the usual case, which the general check is slow for
        return value
    value = parsed(value)
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return a list, or the values of an object with the keys ``0``, ``1``, …; else an empty list."""
    value = parsed(value)
    return value if isinstance(value, list) else by_numbers(value) or []


def text_of(content: Any, glue: str = "\n") -> str:
    """Return the text of a message's content: a text, or the text parts of a list; or empty."""
    if isinstance(content, str):
        return content
    texts = []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and word(part, "type") in _TEXT_PARTS:
            text = part.get("text", part.get("content", part.get("refusal")))
            if isinstance(text, dict):
                text = text.get("value")  # as the Assistants API nests it
            if isinstance(text, str):
                texts.append(text)
    return glue.join(texts)


def first(fields: Mapping[str, Any], *names: str) -> Any:
    """Return the first of these fields that is not empty, None if all are."""
    for name in names:
        if (value := fields.get(name)) not in EMPTY:
            return value
    return None


def word(fields: Mapping[str, Any], name: str) -> str:
    """Return a field that is a text, such as a type or a status; an empty text for any other value."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


Unit = Mapping[str, Any]
TOGETHER = "&"
"""The mark between the names of lists that are the columns of a table."""
_MOST_UNITS = 200
_LEAST_ALIKE = 3
_MOST_DEPTH = 8
_MOST_CELLS = 100


def levels(rows: Sequence[Unit]) -> dict[str, list[tuple[int, Unit]]]:
    """Return the lists of like objects in rows, at any depth, by their paths; each unit with its row's number.

    The rows themselves have the empty path.
    """
    found: dict[str, list[tuple[int, Unit]]] = {"": []}
    for number, row in enumerate(rows[:_MOST_UNITS]):
        found[""].append((number, row))
        inside = _alike(row)
        names = [set(one) for one in inside]
        same = names and len(set.intersection(*names)) >= 0.6 * len(set.union(*names))
        # A file may hold each conversation under its id.
        inner = {"*": inside} if same else row
        for path, group, unit in _lists(inner, "", str(number), 0):
            held = found.setdefault(path, [])
            if len(held) < _MOST_UNITS:
                held.append((hash(group), unit))
    return found


def _alike(held: Unit) -> list[dict[str, Any]]:
    """Return the objects in an object that holds nothing else, if they have a field in common; else none."""
    inside = [one for one in held.values() if isinstance(one, dict)]
    whole = len(inside) == len(held) >= _LEAST_ALIKE
    return inside if whole and set.intersection(*map(set, inside)) else []


def as_object(value: Any) -> dict[str, Any]:
    """Return an object; of a short list, such as a row of a table, its items by number; else an empty one."""
    held = parsed(value)
    if isinstance(held, list) and len(held) <= _MOST_CELLS:
        spoken = any(isinstance(one, str) for one in held)
        return {str(number): one for number, one in enumerate(held)} if spoken else {}
    return held if isinstance(held, dict) else {}


def objects_in(listed: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the objects and rows of cells in a list, and those in the lists of objects within it."""
    found: list[dict[str, Any]] = []
    for one in listed:
        nested = isinstance(one, list) and any(isinstance(inner, dict) for inner in one)
        found += map(as_object, one if nested else [one])
    return [one for one in found if one]


def as_table(value: Unit, names: str) -> list[dict[str, Any]]:
    """Return the rows of a table whose columns are the lists of an object with these names (``a&b``)."""
    held = {name: listed for name in names.split(TOGETHER) if (listed := items(value.get(name)))}
    return [dict(zip(held, row, strict=True)) for row in zip_longest(*held.values())]


def _columns_of(lists: Mapping[str, list[Any]]) -> list[str]:
    """Return the names of the lists that are the columns of a conversation: as long as that of who speaks.

    Who speaks has several texts in it, and what is said is another list of texts; or one list has questions,
    and another, which may lack some, their answers.
    """
    texts = [held for held in lists.values() if held and all(isinstance(one, str) for one in held)]
    who = next((len(held) for held in texts if 1 < len(set(held)) < len(held)), 0)
    if not who or sum(len(held) == who for held in texts) < 2:
        who = next((len(held) for held in texts if _answered_by(held, lists.values())), 0)
    alike = (name for name, held in lists.items() if who and len(held) == who)
    return [name for name in alike if not any(isinstance(one, dict) for one in lists[name])]


def _answered_by(questions: Sequence[str], lists: Iterable[Sequence[Any]]) -> bool:
    """Whether most texts of a list are questions, and another list of as many has texts that are none."""
    asked = sum(map(asks, questions))
    said = [one for one in lists if len(one) == len(questions) and one is not questions]
    told = [[text for text in one if isinstance(text, str)] for one in said]
    return 2 * asked > len(questions) and any(
        texts and all(" " in text and not asks(text) for text in texts) for texts in told
    )


def _lists(value: Unit, path: str, group: str, depth: int) -> Iterator[tuple[str, str, Unit]]:
    lists: dict[str, list[Any]] = {}
    for name, inner in value.items() if depth < _MOST_DEPTH else ():
        held = opened(inner)
        lists |= {name: held} if isinstance(held, list) else {}
        where = f"{path}{name}"
        listed = by_ids(held) or (held if isinstance(held, list) else [])
        if isinstance(held, dict) and not listed:
            if inside := _alike(held):
                listed, where = inside, f"{where}.*"
            else:
                yield from _lists(held, f"{where}.", group, depth + 1)
        units = objects_in(listed)
        for place, one in enumerate(units):
            yield f"{where}[]", f"{group}/{where}", one
            yield from _lists(one, f"{where}[].", f"{group}/{where}/{place}", depth + 1)
    if names := TOGETHER.join(_columns_of(lists)):
        for unit in as_table(value, names):
            yield f"{path}{names}[]", f"{group}/{path}", unit
