"""Values that stand for no knowledge: null words, empty results, and errors of tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_NULLS = {"null", "none", "nan", "nil", "n/a", "<na>", "undefined", "[]", "{}", "[[]]", '""', "''"}
_HITS = r"results?|match(?:es)?|hits"
_THINGS = rf"{_HITS}|documents?|docs|articles?|entries|passages?|records?|sources?|information|content|context|data"
_SEARCHED = (
    r"(?:for|in|on|about|regarding|matching|within|that match(?:es)?|with|containing)\b[^\n]{0,80}"
)
_OF_QUERY = (
    r"(?:for|in|within) (?:your|this|that|the) (?:[\w-]+ )?(?:query|question|search|request|topic|knowledge base|"
    r"database|index|collection|documents?)"
)
_AGAIN = r"(?:\W+(?:please )?(?:try|rephrase|refine|check)\b[^\n]{0,80})?"
_NONE = r"(?:no|zero|0)\s+(?:[\w-]+\s+){0,3}?"
_NOTHING = re.compile(
    rf"\W*(?:sorry\W+)?(?:"
    rf"(?:(?:i|we|it|the search|search|the query|query|the tool)\s+)?(?:found|returned|got|retrieved)\s+{_NONE}(?:{_THINGS})(?:\s+{_SEARCHED})?"
    rf"|(?:there (?:are|is|were|was)\s+)?{_NONE}(?:(?:{_THINGS})(?:"
    rf"\s+(?:(?:was|were|are|is|have been|has been|could be)\s+)?(?:found|returned|retrieved|matched)(?:\s+{_SEARCHED})?"
    rf"|\s+(?:(?:was|were|are|is)\s+)?available(?:\s+{_OF_QUERY})?"
    rf"|\s+match(?:es|ed|ing)?\b[^\n]{{0,80}}|\s+{_OF_QUERY})?|(?:{_HITS})\s+(?:for|matching|about)\b[^\n]{{0,80}})"
    rf")[.!]?{_AGAIN}\W*",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(
    r"\W*(?:(?:i'm |i am )?sorry\W+(?:but )?)?"
    r"(?:(?:(?:i|we|the (?:search|tool|query|system|retriever))\s+)?(?:could(?:n['\u2019]t|\s+not)|did(?:n['\u2019]t|\s+not)|"
    r"(?:was |were |am )?unable to)|(?:i\s+)?(?:can['\u2019]t|cannot|can not))\s+(?:find|locate|retrieve|get)\s+"
    rf"(?:anything|something|(?:an answer|(?:any|an?)\s+)?(?:[\w-]+\s+){{0,3}}?(?:{_THINGS}|answers?))\b[^\n.!;]{{0,120}}[.!]?{_AGAIN}\W*"
    rf"|\W*nothing (?:was |has been )?(?:found|matched|retrieved)(?:\s+(?:(?:for|matching|about)\b[^\n.!]{{0,80}}|{_OF_QUERY}))?[.!]?\W*",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\W*(?:ok(?:ay)?|done|success(?:ful(?:ly)?)?|(?:(?:the )?(?:e-?mail|mail|message|notification|sms) )?(?:has been |was )?sent(?: successfully)?)\W*",
    re.IGNORECASE,
)
_REASONS = (
    "internal server error|bad gateway|service unavailable|gateway timeout|unauthorized|forbidden|not found|bad request|"
    "too many requests|connection refused|(?:request |connection )?timed out|timeout"
)
_BROKEN = re.compile(
    r"\W{0,3}(?:the\s+)?(?:\w+\s+)?(?:tool|request|search|retrieval|query|function|api|lookup)(?:\s+(?:call|execution|request))?"
    r"\s+(?:has\s+)?(?:failed|errored|timed out)(?=\s*(?:[.:!(\u2013-]|$|(?:with|after|due to|because)\b))"
    r"|\W{0,3}(?:the\s+)?(?:call|execution)\s+(?:has\s+)?(?:failed|errored|timed out)(?=\s*(?:[.:!(]|$))"
    r"|\W{0,3}(?:\w+\s+)?(?:(?:http\b|status\b)[^\w\n]{0,3})?(?:status |code )?(?:[45]\d\d\b[^\w\n]{0,3})?"
    rf"(?:{_REASONS})[.!]?\s*$"
    r"|\W{0,3}(?:the\s+)?(?:\w+\s+)?(?:tool|search|index|service|api)\s+(?:is\s+)?(?:currently\s+|temporarily\s+)?unavailable[.!]?\s*$"
    r"|\W{0,3}[45]\d\d (?:client|server) error\b|\W{0,3}error code: \d{3} - \{",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\W{0,3}(?:tool\s+)?error\s*[:!]|\W{0,3}traceback\b"
    r"|\W{0,3}(?:an\s+)?(?:error|exception)\s+(?:executing|calling|invoking|running|while|occurred)\b[^:\n]{0,120}"
    r"|\W{0,3}failed to (?:execute|call|invoke|run|fetch|retrieve|query|search)\s+(?:the\s+)?"
    rf"(?:tool|function|api|url|index|knowledge base|database|{_THINGS})\b",
    re.IGNORECASE,
)
_PLAIN_ERROR = re.compile(r"\W{0,3}error\s*:\s*[^.!?\n]+[.!]\s+[A-Z][^.!?\n]+", re.IGNORECASE)
_OF_MACHINES = re.compile(
    r"[(){}\[\]'\"`_=/\\<>]|\d{3}|\b(?:time(?:d )?out|not found|invalid|failed|fail(?:ure)?|unavailable|offline|refused|denied|"
    r"unauthorized|forbidden|exception|try again|please fix|retry|tool|index|server|connection|request|query|null|none)\b",
    re.IGNORECASE,
)
"""Marks and words of an error that a program prints; a manual says what the error is and what to do."""
_EXCEPTION = re.compile(r"\W{0,3}(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout)\s*[:(]")
_MOST_CHARACTERS = 300
_LONGEST_NULL = 40
_ERRORS = ("error", "errors", "exception", "error_message", "errorMessage", "errorText")
_FLAGS = ("is_error", "isError")
_CODES = ("statusCode", "status_code", "httpStatusCode", "status")
_SIGNS = {*_FLAGS, *_CODES, *_ERRORS, "status", "state", "type"}
_STATES = {"error", "failed", "failure", "timeout", "timed_out", "output-error"}
_BESIDES = {"query", "q", "status", "message", "next", "page", "object", "type", "took", "id"}
_OF_ERRORS = {
    *_SIGNS, "message", "msg", "detail", "details", "code", "success", "ok", "reason", "description", "trace",
    "traceback", "stack", "hint", "help", "request_id", "requestId", "timestamp", "path", "instance", "tool", "tool_name",
    "retryable", "param", "error_type", "error_code", "errorCode", "errorType", "error_description", "query", "input", "id",
}  # fmt: skip
"""Names of fields beside which an object's error is its tool's; another one says more than that."""
_OF_HITS = {
    "results", "result", "documents", "docs", "matches", "items", "data", "passages", "chunks", "records", "context",
    "contexts", "hits",
}  # fmt: skip
_OF_COUNTS = {
    "count",
    "total",
    "total_count",
    "totalCount",
    "num_results",
    "total_results",
    "hits",
    "took",
}
_OF_SUCCESS = {"success", "ok", "sent", "done", "status", "result", "message", "error", "errors"}


def is_null(text: str) -> bool:
    """Whether a text is blank, or a word that programs write where there is no value."""
    if len(text) > _LONGEST_NULL and not text.isspace():
        return False
    stripped = text.strip().strip("()").strip()
    return not stripped or (len(stripped) <= len("undefined") and stripped.lower() in _NULLS)


def says_nothing(text: str) -> bool:
    """Whether the text of a tool says that it found nothing, or that it did what it was asked to.

    The text says this alone: *No documents are required* is knowledge.
    """
    found = text.strip()
    return len(text) <= _MOST_CHARACTERS and any(
        form.fullmatch(found) for form in (_NOTHING, _NOT_FOUND, _DONE)
    )


def is_failure(result: Any) -> bool:
    """Whether the result of a tool is its error: a short text that says so, or an object's fields."""
    if isinstance(result, str):
        found = result.strip()
        if _PLAIN_ERROR.match(found) and not _OF_MACHINES.search(found):
            return False
        return len(result) <= _MOST_CHARACTERS and any(
            form.match(found) for form in (_FAILED, _BROKEN, _EXCEPTION)
        )
    return isinstance(result, Mapping) and _is_failed(result)


def _is_failed(result: Mapping[str, Any]) -> bool:
    if result.keys().isdisjoint(_SIGNS):
        return False
    codes = [result.get(name) for name in _CODES]
    if any(type(code) is int and code // 100 in {4, 5} for code in codes):
        return True
    kind = result.get("type")
    typed = isinstance(kind, str) and (kind.startswith("error-") or kind.endswith("_error"))
    if typed or any(result.get(name) is True for name in (*_FLAGS, *_ERRORS)):
        return True
    # An order whose payment failed, and an article on an error, say more than a tool that failed.
    if any(value for name, value in result.items() if name not in _OF_ERRORS):
        return False
    states = (result.get("status"), result.get("state"))
    failed = any(isinstance(state, str) and state.lower() in _STATES for state in states)
    return failed or any(result.get(name) for name in _ERRORS)


def is_failed_call(part: Mapping[str, Any]) -> bool:
    """Whether the wrapper of a tool's result says that the call failed, whatever else it holds."""
    state = part.get("status", part.get("state"))
    return (
        any(part.get(name) is True for name in _FLAGS)
        or any(part.get(name) for name in _ERRORS)
        or (isinstance(state, str) and state.lower() in _STATES)
    )


def names_nothing(result: Mapping[str, Any]) -> bool:
    """Whether an object holds empty lists and counts only, or says in words that there is nothing."""
    lists = [value for value in result.values() if isinstance(value, list)]
    if any(lists):
        return False
    others = {
        str(name): value
        for name, value in result.items()
        if isinstance(value, str | Mapping) and value and str(name) not in _BESIDES
    }
    counted = all(
        name in _BESIDES
        or (name in _OF_HITS and value is None)
        or (name == "found" and value is False)
        or (name in _OF_COUNTS and value == 0)
        for name, value in result.items()
    )
    hits = any(name == "found" or name in _OF_HITS for name in result)
    if not result or (lists and not others) or (counted and hits):
        return True
    told = [value for value in result.values() if isinstance(value, str) and says_nothing(value)]
    if told and all(value in told for value in others.values()):
        return True
    return all(name in _OF_SUCCESS and _is_done(value) for name, value in result.items())


def _is_done(value: Any) -> bool:
    return value in (True, None, "") or (isinstance(value, str) and bool(_DONE.fullmatch(value)))
