"""Hits of a search: which the assistant was given, by flags beside them; their texts, ids, titles and addresses."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from qsquared.storage.logs.fields.embedded_values import by_names, parsed
from qsquared.storage.logs.fields.emptiness import SIGNS, is_null
from qsquared.storage.logs.fields.values import is_missing
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("passages")
_LISTS = _V.set("lists")
NAMES = _V.names("names")
_DETAILS = ("metadata", "meta", "attributes")
_MOST_DEPTH, _DEEPEST_TEXT = 50, 5
"""The levels of objects that are searched for flags, and for the text of a hit."""

_TRUTH = dict.fromkeys(("true", "t", "yes", "y", "1"), True)
_TRUTH |= dict.fromkeys(("false", "f", "no", "n", "0"), False)
_TEXTS = _V.names("texts")
_TEXT_NAMES = frozenset(_TEXTS)
SCORES = _V.set("scores")
_BESIDE = {*NAMES, *SCORES, *_V.names("beside")}
"""Names of fields that a passage's text has beside it."""
_HEADER = re.compile(r"\A\s*<(\w{0,40}metadata)>[^<>]*</\1>\s*", re.IGNORECASE)
"""The element that a program writes above the text of a document, as ``<document_metadata>``."""
_ID = re.compile(r"(?=\S{0,63}\d)(?=\S{0,63}[A-Za-z])\S{6,64}")
_TEXT_PARTS = {"text", "input_text", "output_text"}


def given_of(found: Sequence[Any]) -> list[Any]:
    """Return the hits of a list that the assistant was given: without those that a flag says were dropped.

    ``kept`` or ``in_prompt`` may be false for all of them; ``selected`` may be of what a person clicked, and
    counts if it is true for some.
    """
    names = {name for item in found if isinstance(item, dict) for name in item}
    if not any(map(flagged, map(str, names))):
        return list(found)
    flags = [_flags(item) if isinstance(item, dict) else {} for item in found]
    some_chosen = any(held.get("chosen") is True for held in flags)
    dropped = [
        held.get("given") is False
        or held.get("dropped") is True
        or (some_chosen and held.get("chosen") is False)
        for held in flags
    ]
    return [item for item, out in zip(found, dropped, strict=True) if not out]


def without_unsent(held: Any, depth: int = 0) -> Any:
    """Return an object or list without the hits of which a flag says that no model was given them.

    What lies very deep stays.
    """
    if depth < _MOST_DEPTH and isinstance(held, dict):
        return {name: without_unsent(one, depth + 1) for name, one in held.items()}
    if depth < _MOST_DEPTH and isinstance(held, list):
        return [without_unsent(one, depth + 1) for one in held if not _is_unsent(one)]
    return held


def _is_unsent(hit: Any) -> bool:
    named = hit.items() if isinstance(hit, dict) else ()
    told = (value for name, value in named if _V["of_prompt"].fullmatch(str(name)))
    return any(_TRUTH.get(str(value).lower()) is False for value in told)


@lru_cache(maxsize=4096)
def flagged(name: str) -> str:
    """Return whether a name says that hits were given, chosen or dropped, has why, or a word for it; else nothing."""
    kinds = ("given", "chosen", "dropped", "why_dropped", "state")
    return next((kind for kind in kinds if _V[kind].fullmatch(name)), "")


def _flags(hit: Mapping[str, Any]) -> dict[str, bool]:
    """Return what a hit says of itself: true or false, also as 1 or 0 or in a word, as tables write them."""
    held = ((kind, hit[name]) for name in hit if (kind := flagged(str(name))))
    told = ((kind, one) for kind, one in held if one in (0, 1) or isinstance(one, str))
    flags: dict[str, bool] = {}
    for kind, one in told:
        value = str(one).lower()
        if kind == "state":
            flags |= {"dropped": True} if _V["discarded"].fullmatch(value) else {}
        elif kind == "why_dropped":
            flags |= {} if is_null(value) or _V["passed"].match(value) else {"dropped": True}
        elif value in _TRUTH:
            # Of several that say so one is enough: that it was not given, that it was dropped or chosen.
            either, own = kind != "given", _TRUTH[value]
            before = flags.get(kind, not either)
            flags[kind] = (before or own) if either else (before and own)
    return flags


def found_nothing(output: Any) -> bool:
    """Whether a search returned an empty list, alone or as its hits."""
    held = parsed(output)
    if not isinstance(held, dict):
        return bool(held == [])
    lists = {name for name, one in held.items() if one == []}
    return any(name in _LISTS or flagged(str(name)) == "given" for name in lists)


def names_of(others: Mapping[str, Any]) -> dict[str, Any]:
    """Return the id, title, score and address among a hit's fields beside its text."""
    if not others:
        return {}
    named: dict[str, Any] = {}
    for detail in (*(parsed(others[key]) for key in _DETAILS if key in others), others):
        if isinstance(detail, dict):
            named |= {key: detail[key] for key in NAMES if key in detail}
    place = others.get("location")
    for inner in place.values() if isinstance(place, dict) else ():
        if isinstance(inner, dict) and (address := inner.get("uri", inner.get("url"))):
            named["url"] = address
    named = {_V.table("same").get(key, key): value for key, value in named.items()}
    plain = {k: v for k, v in named.items() if isinstance(v, str | int | float)}
    return {key: value for key, value in plain.items() if not is_missing(value)}


def texts_of_parts(found: list[Any]) -> list[str] | None:
    """Return the texts of a message's text parts, None if the list is something else."""
    for item in found:
        kind = item.get("type", item.get("block_type")) if isinstance(item, dict) else None
        if not isinstance(kind, str) or kind not in _TEXT_PARTS:
            return None
    return [one["text"] for one in found if isinstance(one.get("text"), str)] if found else None


def document_in(item: Mapping[str, Any], depth: int = 0) -> tuple[str, dict[str, Any]] | None:
    """Return a document's text and its other fields, None if it has no text under a usual name."""
    if item.get("type") == "constructor" and isinstance(item.get("kwargs"), dict):
        item = item["kwargs"]  # LangChain, serialised
    named = _text_name(item)
    if named is None and not any(isinstance(value, str) for value in item.values()):
        # Of a hit that says nothing itself, values beside their names are the fields.
        for pairs in filter(None, map(by_names, item.values())):
            item = {**item, **pairs}
            named = _text_name(item)
    if named is not None:
        return without_header(item[named]), _without(item, named)
    for name in filter(item.__contains__, _V.names("inner")):
        inner = parsed(item[name])
        if isinstance(inner, list) and (text := "\n".join(texts_of_parts(inner) or ())):
            return text, _without(item, name)
        if isinstance(inner, dict) and depth < _DEEPEST_TEXT:
            found = document_in(inner, depth + 1)
            if found is not None:
                return found[0], {**found[1], **_without(item, name)}
    own = _own_text(item) if depth == 0 else None
    return None if own is None else (item[own], _without(item, own))


def plain_document(item: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Return the text that a document has under a usual name, and its other fields; None if it may be an error."""
    named = _text_name(item) if SIGNS.isdisjoint(item) else None
    return (without_header(item[named]), _without(item, named)) if named and item[named] else None


def without_header(text: str) -> str:
    """Return the text of a document without the element of its metadata that stands above it."""
    return _HEADER.sub("", text, count=1) if "<" in text else text


def _without(item: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {str(key): value for key, value in item.items() if key != name}


def _text_name(item: Mapping[str, Any]) -> str | None:
    """Return the usual name under which a document has its text, a blank one only without another."""
    held = _TEXT_NAMES.intersection(item)
    if len(held) < 2:
        for name in held:
            return name if isinstance(item[name], str) else None
    texts = [name for name in _TEXTS if name in held and isinstance(item[name], str)]
    return next((name for name in texts if item[name].strip()), next(iter(texts), None))


def _own_text(item: Mapping[str, Any]) -> str | None:
    """Return the name of a hit's text that has a name of its own (``answer_text``), None if it has none.

    A hit has a score, or nothing beside its text but names.
    """
    held = [name for name, value in item.items() if isinstance(value, str) and value.strip()]
    texts = [name for name in held if _V["text_name"].search(str(name))]
    if SCORES.isdisjoint(item):
        only = len(texts) == 1 and all(
            name == texts[0] or not value or str(name).lower() in _BESIDE or _is_id(value)
            for name, value in item.items()
        )
        return texts[0] if only else None
    spoken = [name for name in held if name not in _BESIDE and " " in item[name].strip()]
    found = texts or spoken or [name for name in held if " " in item[name].strip()]
    return max(found, key=lambda one: len(item[one])) if found else None


def _is_id(value: Any) -> bool:
    """Whether a value is a word with digits, as the ids of programs are."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def has_text(item: Any) -> bool:
    """Whether a document has a text, and not its id and score alone."""
    return not isinstance(item, dict) or document_in(item) is not None
