"""Values that stand for no knowledge: null words, empty results, and errors of tools."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("emptiness")

_NULLS = _V.set("nulls")
_MOST_CHARACTERS = 300
_LONGEST_NULL = 40
_ERRORS = _V.names("errors")
_NO_ITEM = re.compile(r"[^\[\]{}]*(?:\[\s*\]|\{\s*\})\s*")
_FLAGS = ("is_error", "isError")
_CODES = _V.names("codes")
_REFUSED = re.compile("[45][0-9][0-9]")
_ERROR_NAMES = ("error", "error_code", "errorCode")
_OF_RESPONSES = {*_ERROR_NAMES, *_V.names("of_responses")}
"""Fields of the error with which a server answers."""
_BESIDES = _V.set("besides")
_OF_ERRORS = {*_FLAGS, *_CODES, *_ERRORS, "status", "state", "type", *_V.names("of_errors")}
"""Names of fields beside which an object's error is its tool's; another one says more than that."""
_OF_HITS = _V.set("of_hits")
SIGNS = {*_FLAGS, *_CODES, *_ERRORS, "type"}


def is_null(text: str) -> bool:
    """Whether a text is blank, or a word that programs write where there is no value."""
    if len(text) > _LONGEST_NULL and not text.isspace():
        return False
    stripped = text.strip().strip("()").strip()
    return not stripped or (len(stripped) <= len("undefined") and stripped.lower() in _NULLS)


def says_nothing(text: str) -> bool:
    """Whether the text of a tool says that it found nothing, or that it did what it was asked to.

    The text says this alone: *No documents are required* is knowledge. It may end with an empty list of results.
    """
    return len(text) <= _MOST_CHARACTERS and _says_nothing(text)


@lru_cache(maxsize=4096)
def _says_nothing(text: str) -> bool:
    """Whether a short text says so; remembered, since a log repeats its passages."""
    found = text.strip().strip("_*")
    found = found if " " in found else found.replace("_", " ")  # a constant such as NO_RESULTS
    return any(form.fullmatch(found) for form in (_V["says_nothing"], _NO_ITEM))


def is_failure(result: Any) -> bool:
    """Whether the result of a tool is its error: a short text that says so, or an object's fields."""
    if isinstance(result, str):
        found = result.strip()
        if _V["plain_error"].match(found) and not _V["of_machines"].search(found):
            return False
        return len(result) <= _MOST_CHARACTERS and _V["failure"].match(found) is not None
    return isinstance(result, dict) and _is_failed(result)


def _is_failed(result: Mapping[str, Any]) -> bool:
    if not SIGNS.isdisjoint(result) and _states_failure(result):
        return True
    # An order whose payment failed, and an article on an error, say more than a tool that failed.
    if any(value for name, value in result.items() if name not in _OF_ERRORS):
        return False
    return is_failed_call(result)


def _states_failure(result: Mapping[str, Any]) -> bool:
    """Whether an object has a code, a type or a flag of an error, whatever else it holds."""
    codes = [result.get(name) for name in _CODES]
    if any(type(code) is int and code // 100 in {4, 5} for code in codes):
        return True
    kind = result.get("type")
    typed = isinstance(kind, str) and (kind.startswith("error-") or kind.endswith("_error"))
    return typed or any(result.get(name) is True for name in (*_FLAGS, *_ERRORS))


def refused_with(request: Mapping[str, Any]) -> str:
    """Return what may be the status of HTTP of a request that failed, empty if there is none.

    A number beside a reply may be anything's: what was answered has to be an error, too (`is_error_alone`).
    """
    found = (str(request[name]) for name in _CODES if name in request)
    return next((one for one in found if _REFUSED.fullmatch(one)), "")


def is_error_alone(response: Any) -> bool:
    """Whether a response is the error with which a server answers, and holds nothing else."""
    told = isinstance(response, dict) and set(response) <= _OF_RESPONSES
    return told and any(response.get(name) for name in _ERROR_NAMES)


def is_failed_call(part: Mapping[str, Any]) -> bool:
    """Whether the wrapper of a tool's result says that the call failed, whatever else it holds."""
    told = any(part.get(name) is True for name in _FLAGS) or any(part.get(name) for name in _ERRORS)
    states = (part.get(name) for name in ("status", "state"))
    return told or any(isinstance(s, str) and s.lower() in _V.set("states") for s in states)


def names_nothing(result: Mapping[str, Any]) -> bool:
    """Whether an object holds empty lists and counts only, or says in words that there is nothing."""
    lists = [value for value in result.values() if isinstance(value, list)]
    if any(lists):
        return False
    given = {name: value for name, value in result.items() if isinstance(value, str | dict)}
    others = [value for name, value in given.items() if value and str(name) not in _BESIDES]
    if not result or (lists and not others) or _counts_nothing(result):
        return True
    told = [value for value in result.values() if isinstance(value, str) and says_nothing(value)]
    if told and all(value in told for value in others):
        return True
    return all(says_done(name, value) for name, value in result.items())


def _counts_nothing(result: Mapping[str, Any]) -> bool:
    """Whether an object holds counts of 0 and hits that are not there, and no more."""
    hits = any(name == "found" or name in _OF_HITS for name in result)
    return hits and all(
        name in _BESIDES
        or (name in _OF_HITS and value is None)
        or (name == "found" and value is False)
        or (name in _V.set("of_counts") and value == 0)
        for name, value in result.items()
    )


def says_done(name: str, value: Any) -> bool:
    """Whether a field says that a tool did its work, and no more."""
    done = isinstance(value, str) and _V["done"].fullmatch(value)
    return name in _V.set("of_success") and (value in (True, None, "") or bool(done))
