"""Values that stand for no knowledge: null words, empty results, and errors of tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_NULLS = {"null", "none", "nan", "nil", "n/a", "<na>", "undefined", "[]", "{}", "[[]]", '""', "''"}
_THINGS = "results?|documents?|docs|match(?:es)?|articles?|entries|passages?|hits|records?|sources?|information|content|context|data"
_NOTHING = re.compile(
    rf"\W*(?:sorry\W+)?(?:(?:i|we|the search|search|query|it)\s+)?"
    rf"(?:(?:found|returned|got|retrieved)\s+)?(?:there (?:are|is|were|was)\s+)?(?:no|zero|0)\s+(?:[\w-]+\s+){{0,3}}(?:{_THINGS})\b"
    r"(?:\s+(?:was|were|are|is|found|available|returned|retrieved|matching|matched|for|in|could|be)\b[^\n]{0,80})?[.!]?\W*",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(
    r"\W*(?:(?:i'm |i am )?sorry\W+(?:but )?)?(?:(?:i|we|the (?:search|tool|query|system|retriever))\s+)?"
    r"(?:(?:could|can|did)(?:n['\u2019]t|not|\s+not)|can['\u2019]t|(?:was |were )?unable to)\s+(?:find|locate|retrieve|get)\s+"
    r"(?:any\b|anything|something|relevant|matching|results?|documents?|information|an? )[^\n.!]{0,120}[.!]?\W*"
    r"|\W*nothing (?:was |has been )?(?:found|matched|retrieved)\b[^\n.!]{0,80}[.!]?\W*",
    re.IGNORECASE,
)
_BROKEN = re.compile(
    r"\W{0,3}(?:the\s+)?(?:\w+\s+)?(?:tool|request|search|retrieval|query|call|function|api|connection|server|service|lookup|"
    r"execution)(?:\s+\w+)?\s+(?:has\s+)?(?:failed|errored|timed out|refused|unavailable)\b"
    r"|\W{0,3}(?:http\s*)?(?:[45]\d\d\b\W{0,3})?(?:internal server error|bad gateway|service unavailable|gateway timeout|"
    r"unauthorized|forbidden|too many requests|connection refused|timed out|timeout\b)",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\W{0,3}(?:tool\s+)?(?:\w*(?:error|exception)|traceback|failed|failure|timeout)\b"
    r"(?:\s+(?:executing|calling|invoking|running|while|in|from|occurred|to)\b[^:\n]{0,120})?\s*[:(]",
    re.IGNORECASE,
)
_MOST_CHARACTERS = 300
_LONGEST_NULL = 40
_ERRORS = ("error", "errors", "exception", "error_message", "errorMessage", "errorText")
_FLAGS = ("is_error", "isError")
_CODES = ("statusCode", "status_code", "httpStatusCode", "status")
_SIGNS = {*_FLAGS, *_CODES, *_ERRORS, "status", "state", "type"}
_STATES = {"error", "failed", "failure", "timeout", "timed_out", "output-error"}
_BESIDES = {"query", "q", "status", "message", "next", "page", "object", "type", "took", "id"}


def is_null(text: str) -> bool:
    """Whether a text is blank, or a word that programs write where there is no value."""
    if len(text) > _LONGEST_NULL and not text.isspace():
        return False
    stripped = text.strip().strip("()").strip()
    return not stripped or (len(stripped) <= len("undefined") and stripped.lower() in _NULLS)


def says_nothing(text: str) -> bool:
    """Whether the text of a tool says that it found nothing."""
    found = text.strip()
    return len(text) <= _MOST_CHARACTERS and bool(
        _NOTHING.fullmatch(found) or _NOT_FOUND.fullmatch(found)
    )


def is_failure(result: Any) -> bool:
    """Whether the result of a tool is its error: a short text that says so, or an object's fields."""
    if isinstance(result, str):
        found = result.strip()
        return len(result) <= _MOST_CHARACTERS and bool(
            _FAILED.match(found) or _BROKEN.match(found)
        )
    return isinstance(result, Mapping) and _is_failed(result)


def _is_failed(result: Mapping[str, Any]) -> bool:
    if result.keys().isdisjoint(_SIGNS):
        return False
    if any(result.get(name) is True for name in _FLAGS):
        return True
    codes = [result.get(name) for name in _CODES]
    if any(type(code) is int and code // 100 in {4, 5} for code in codes):
        return True
    states = (result.get("status"), result.get("state"))
    kind = result.get("type")
    if any(isinstance(state, str) and state.lower() in _STATES for state in states):
        return True
    if isinstance(kind, str) and (kind.startswith("error-") or kind.endswith("_error")):
        return True
    filled = any(isinstance(value, list) and value for value in result.values())
    return not filled and any(result.get(name) for name in _ERRORS)


def names_nothing(result: Mapping[str, Any]) -> bool:
    """Whether an object holds empty lists and counts only, as a search without a hit returns it."""
    lists = [value for value in result.values() if isinstance(value, list)]
    others = {
        str(name)
        for name, value in result.items()
        if isinstance(value, str | Mapping) and value and str(name) not in _BESIDES
    }
    return not result or (bool(lists) and not any(lists) and not others)
