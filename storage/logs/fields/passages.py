"""Knowledge passages in the values of a log: their texts, and the ids, titles, scores and addresses.

The texts are in a turn's ``knowledge``, one after another and never joined, and an answer names its
passage by its index.
Other fields of a passage go into the turn's metadata under ``knowledge_sources``, one object for
each passage, in the same order.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from qsquared.storage.logs.fields.embedded_values import looks_like_list, parsed
from qsquared.storage.logs.fields.emptiness import (
    is_failure,
    is_null,
    names_nothing,
    says_done,
    says_nothing,
)
from qsquared.storage.logs.fields.field_paths import first_of_each
from qsquared.storage.logs.fields.hits import (
    SCORES,
    document_in,
    flagged,
    given_of,
    has_text,
    names_of,
    plain_document,
    texts_of_parts,
    without_header,
)
from qsquared.storage.logs.fields.reshaped import uncounted, unlabelled
from qsquared.storage.logs.fields.values import clean, is_absent, is_missing, wrong
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("passages")

Passage = dict[str, Any]
"""A knowledge passage: its ``text``, and its other fields in the log (id, title, score, …)."""

SOURCES = "knowledge_sources"

_LISTS = _V.names("lists")
_OF_MCP = _V.set("of_mcp")
"""The fields of a tool's result in the Model Context Protocol, whose content are parts."""

_COUNTS = re.compile(
    r"\W*(?:found|retrieved|returned) \d{1,4}\b[^\n.]{0,40}"
    r"\b(?:results?|documents?|passages?|chunks?|matches|hits)\b\W*",
    re.IGNORECASE,
)
"""A text that says how many passages follow: ``Found 2 relevant chunks:``."""
_SEVERAL = 2
_SHORT = 80
"""The characters of a text of several that may say that nothing was found."""
_ADDRESS = re.compile(r"\s*(?:https?|s3|gs|file)://\S{1,2000}\s*")
_OF_ANSWERS = {"query", "status", "message", "error", "next", "id"}
"""The texts of an answer of a search beside its hits."""
_FEW_TOLD = 1
_MOST_WORDS = 4
_MOST_DEPTH = 5


def passages_of(value: Any, depth: int = 0, opened: Any = None) -> list[Passage]:
    """Return the passages in the output of a retriever or a tool, each apart.

    A list gives one passage for each item, an object its text under a usual name or its list of
    documents; a value with neither is one passage as it is.
    An error, an empty list and a text that says that nothing was found give none.
    ``opened`` is the object or list in a text, if it is known.
    """
    found = parsed(value) if opened is None else opened
    if isinstance(found, str) or depth > _MOST_DEPTH:
        text = found if isinstance(found, str) else _as_text(value)
        return [] if _is_empty(text, depth) else [{"text": text}]
    if isinstance(found, list):
        if (texts := texts_of_parts(found)) is not None:
            return [one for text in texts for one in passages_of(text, depth)]
        if isinstance(value, str) and _are_records(found):
            return [{"text": value}]
        one_text = len(found) == 1 and isinstance(found[0], str)
        kept = [] if one_text and (says_nothing(found[0]) or is_failure(found[0])) else found
        given = (item for item in given_of(kept) if item is not None)
        read = [one for item in given for one in passages_of(_without_score(item), depth + 1)]
        return without_labels(read)
    if isinstance(found, dict):
        plain = plain_document(found)  # the usual case
        of_document, of_object = _passages_of_document, _passages_of_object
        return of_document(*plain, depth) if plain else of_object(found, value, depth)
    return [] if is_missing(found) else [{"text": _as_text(found)}]


def without_labels(read: Sequence[Passage]) -> list[Passage]:
    """Return passages without labels that count them, and lines that name their sources, if all have such."""
    several = [one for one in read if len(read) < _SEVERAL or not _COUNTS.fullmatch(one["text"])]
    texts = unlabelled(uncounted([one["text"] for one in several]))
    return [{**one, "text": text} for one, text in zip(several, texts, strict=True)]


def _without_score(item: Any) -> Any:
    """Return the document of a pair of a document and its score; any other item as it is."""
    scored = isinstance(item, list) and [type(one) for one in item[1:]] == [float]
    return item[0] if scored and isinstance(item[0], dict) and has_text(item[0]) else item


def _is_empty(text: str, depth: int) -> bool:
    """Whether a text is no passage, such as an address; one of several (``depth`` above 0) may speak of errors."""
    if is_null(text) or ("://" in text and _ADDRESS.fullmatch(text)):
        return True
    if depth:
        return len(text) <= _SHORT and says_nothing(text)
    return says_nothing(text) or is_failure(text)


def _passages_of_object(found: Mapping[str, Any], value: Any, depth: int) -> list[Passage]:
    if is_failure(found):
        return []
    several = found.keys() <= _OF_MCP and isinstance(found.get("content"), list)
    document = None if several else document_in(found)
    if isinstance(found.get("type"), str) and isinstance(found.get("value"), str | list | dict):
        inner = found["value"]  # a typed value, as in Vercel's AI SDK
    elif document is not None:
        return _passages_of_document(*document, depth)
    else:
        inner = _inner_list(found)
    if inner is not None:
        return passages_of(inner, depth + 1)
    if names_nothing(found):
        return []
    single = [one for name, one in found.items() if not says_done(name, one)]
    told = len(single) == 1 and isinstance(single[0], str)
    if told and (len(found) == 1 or " " in single[0]):
        return passages_of(single[0], depth + 1)
    return [{"text": value if isinstance(value, str) else _as_text(found)}]


def _passages_of_document(text: str, others: Mapping[str, Any], depth: int) -> list[Passage]:
    names = names_of(others)
    held = parsed(text)
    if not isinstance(held, str) and not names and depth < _MOST_DEPTH:
        return passages_of(text, depth + 1, held)  # a tool's result, held as text
    return [] if _is_empty(text, depth) else [{"text": text, **names}]


def _inner_list(found: Mapping[str, Any], depth: int = 0) -> Any:
    """Return the list of documents in an object, or the object that has it; None if there is none."""
    listing = [name for name, one in found.items() if isinstance(one, list)]
    if told := {name: kind for name in listing if (kind := flagged(str(name)))}:
        if kept := [found[name] for name, kind in told.items() if kind == "given"]:
            return kept[0]
        found = {name: one for name, one in found.items() if told.get(name) != "dropped"}
    for name in filter(found.__contains__, _LISTS):
        inner = found[name]
        listed = _listed(inner) if isinstance(inner, dict) else inner
        if not isinstance(listed, list):
            continue
        # Numbers are those of a measurement.
        counts = listed and any(isinstance(one, int | float) for one in listed)
        if not listed or not (_is_of_a_record(found, listed) or counts):
            return inner
    full = [one for one in found.values() if isinstance(one, list) and one]
    lists = [held for held in full if all(isinstance(one, dict) and has_text(one) for one in held)]
    if not lists and sum(isinstance(one, str) for one in found.values()) <= _FEW_TOLD:
        lists = [held for held in full if all(map(_says, held))]
    if len(lists) == 1 or depth >= _MOST_DEPTH:
        return lists[0] if len(lists) == 1 else None
    objects = [item for item in found.values() if isinstance(item, dict)]
    return _inner_list(objects[0], depth + 1) if len(found) == len(objects) == 1 else None


def _are_records(found: Sequence[Any]) -> bool:
    """Whether a list has data alone, such as the free times of a calendar: objects without a text, and no hits."""
    objects = [one for one in found if isinstance(one, dict) and SCORES.isdisjoint(one)]
    if not 0 < len(objects) == len(found) or any(map(has_text, objects)):
        return False
    told = any(_says(value) for one in objects for value in one.values())
    return not told and all(_inner_list(one) is None and not names_nothing(one) for one in objects)


def _is_of_a_record(found: Mapping[str, Any], inner: Sequence[Any]) -> bool:
    """Whether a list is a detail of a record, as the items of an order are: the record itself tells several things."""
    told = [k for k, value in found.items() if isinstance(value, str) and k not in _OF_ANSWERS]
    if len(told) <= _FEW_TOLD:
        return False
    hits = not all(isinstance(one, dict) and SCORES.isdisjoint(one) for one in inner)
    said = any(_says(value) for one in inner if isinstance(one, dict) for value in one.values())
    return not (hits or said or any(map(has_text, inner)))


def _says(value: Any) -> bool:
    """Whether a value is a sentence."""
    ended = isinstance(value, str) and value.rstrip().endswith((".", "!", "?"))
    return ended and len(value.split()) > _MOST_WORDS


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def distinct(passages: Iterable[Passage]) -> list[Passage]:
    """Return the passages without repeated texts; the first of equal ones stays."""
    return first_of_each(passages, itemgetter("text"))


def without_repeated(found: Sequence[Any]) -> list[Any]:
    """Return texts and documents without those that repeat the text of an earlier one."""

    def text_of(item: Any) -> str:
        document = document_in(item) if isinstance(item, dict) else None
        return document[0] if document else _as_text(item)

    return first_of_each(found, text_of)


def read_knowledge(name: str, value: object) -> tuple[list[str], list[dict[str, Any]]]:
    """Read the passages of a field: their texts, and their other fields (an empty list if none has any).

    Raises:
        FieldError: the value is neither a text, nor a list of texts or of objects with a text.
    """
    found = parsed(value)
    if isinstance(value, str):
        if isinstance(found, str) and looks_like_list(value):
            raise wrong(name, value, "a list that can be read")
        if not _are_texts(found):
            found = [value]
    if is_missing(found):
        return [], []
    if isinstance(found, dict) and found:
        listed = None if has_text(found) else _listed(found)
        found = [found] if listed is None else listed
    if not isinstance(found, list):
        raise wrong(name, value, "a text or a list of texts")
    return _texts_and_others(name, value, found)


def _texts_and_others(
    name: str, value: object, found: list[Any]
) -> tuple[list[str], list[dict[str, Any]]]:
    others: list[dict[str, Any]] = []
    plain = [_text_alone(item) for item in found]
    texts = [] if None in plain else [clean(text) for text in plain if text and not is_null(text)]
    for item in given_of(found) if None in plain else ():
        document = document_in(item) if isinstance(item, dict) else None
        text, rest = document or (item, {})
        if is_absent(text):
            continue
        if not isinstance(text, str):
            raise wrong(name, value, "a list of texts")
        texts.append(clean(text))
        others.append({key: held for key, held in rest.items() if not is_missing(held)})
    if len(texts) == 1 and says_nothing(texts[0]):
        return [], []
    return texts, others if any(others) else []


def _text_alone(item: Any) -> str | None:
    """Return a text, or that of a document with nothing beside it; None for any other item."""
    if isinstance(item, str):
        return item
    text = item.get("text") if isinstance(item, dict) and len(item) == 1 else None
    return without_header(text) if isinstance(text, str) else None


def _are_texts(found: Any) -> bool:
    """Whether a list that a cell held as text is one of texts or documents."""
    if isinstance(found, list):
        return all(item is None or isinstance(item, str | dict) for item in found)
    return isinstance(found, dict) and (has_text(found) or _listed(found) is not None)


def _listed(found: Mapping[str, Any]) -> list[Any] | None:
    """Return the list that an object has under a usual name, None if it has none."""
    return next((found[name] for name in _LISTS if isinstance(found.get(name), list)), None)
