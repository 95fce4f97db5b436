"""Hits of a search: which the assistant was given, by flags beside them, and their ids, titles and addresses."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from qsquared.storage.logs.fields.embedded_values import parsed
from qsquared.storage.logs.fields.emptiness import is_null
from qsquared.storage.logs.fields.values import is_missing
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("passages")
_LISTS = _V.set("lists")
NAMES = _V.names("names")
_DETAILS = ("metadata", "meta", "attributes")
_MOST_DEPTH = 50

_TRUTH = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}


def given_of(found: Sequence[Any]) -> list[Any]:
    """Return the hits of a list that the assistant was given: without those that a flag says were dropped.

    ``kept`` or ``in_prompt`` may be false for all of them; ``selected`` may be of what a person clicked, and
    counts if it is true for some.
    """
    flags = [_flags(item) if isinstance(item, dict) else {} for item in found]
    if not any(flags):
        return list(found)
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
    told = (
        (kind, str(value).lower())
        for kind, value in held
        if value in (0, 1) or isinstance(value, str)
    )
    flags: dict[str, bool] = {}
    for kind, value in told:
        if kind == "state":
            flags |= {"dropped": True} if _V["discarded"].fullmatch(value) else {}
        elif kind == "why_dropped":
            flags |= {} if is_null(value) or _V["passed"].match(value) else {"dropped": True}
        elif value in _TRUTH:
            # Of several that say so one is enough: that it was not given, that it was dropped or chosen.
            either = kind != "given"
            own = _TRUTH[value]
            flags[kind] = (
                (flags.get(kind, False) or own) if either else flags.get(kind, True) and own
            )
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
