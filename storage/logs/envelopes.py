"""Envelopes: rows that hold the rows of a log as a list, as the answers of many interfaces do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from qsquared.storage.logs.fields.cells import parsed
from qsquared.storage.logs.rows import RawRow, UnreadableRow

_LISTS = (
    "data", "traces", "records", "rows", "items", "logs", "sessions", "conversations",
    "testCases", "conversationalTestCases", "test_cases", "samples", "threads", "runs", "trackers", "entries", "results",
)  # fmt: skip
_NAMES = frozenset(_LISTS)
_BESIDES = {
    "meta", "object", "has_more", "hasMore", "first_id", "last_id", "next", "next_page", "nextPageToken",
    "next_page_token", "page", "pageInfo", "page_info", "cursor", "cursors", "total", "totalCount", "count",
    "limit", "offset", "version", "schema_version", "exported_at", "exportedAt", "name", "pagination",
    "alias", "fileName", "testFile", "url", "status", "nextToken", "identifier", "hyperparameters", "prompts",
    "metricsScores", "traceMetricsScores", "testPassed", "testFailed", "runDuration",
    "evaluationCost", "datasetAlias", "datasetId", "confident_link", "test_run_id",
}  # fmt: skip
_OF_CALLS = frozenset(
    {"request", "response", "input", "output", "inputs", "outputs", "body", "values"}
)


def unwrapped(rows: Iterable[RawRow | UnreadableRow]) -> Iterator[RawRow | UnreadableRow]:
    """Yield the rows of a log, and in place of an envelope the rows that it holds."""
    position = 0
    for row in rows:
        inner = held_rows(row.fields) if isinstance(row, RawRow) else None
        if inner is None:
            yield row if row.position == position else replace(row, position=position)
            position += 1
            continue
        for part, fields in enumerate(inner, start=1):
            yield RawRow(position, row.line, dict(fields), row.raw, part)
            position += 1


def held_rows(fields: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the rows that an envelope holds, None if a row is no envelope."""
    if _NAMES.isdisjoint(fields):
        inner = next(iter(fields.values())) if len(fields) == 1 else None
        within = held_rows(inner) if isinstance(inner, Mapping) else None
        return within or _by_name(fields)
    lists = [name for name in _LISTS if name in fields]
    lists = [name for name in lists if fields[name] not in (None, [])] or lists
    if len(lists) != 1 or fields.keys() - _NAMES - _BESIDES:
        return None
    held = parsed(fields[lists[0]])
    if not isinstance(held, list) or not held:
        return None
    if not all(isinstance(item, Mapping) for item in held):
        return None
    # The messages of one conversation are no rows of their own.
    spoken = all(item.keys() & {"role", "from", "speaker"} or _is_item(item) for item in held)
    return None if spoken else held


def _by_name(fields: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the conversations of an object that holds each under its id, None if it is another."""
    held = [value for value in fields.values() if isinstance(value, Mapping)]
    several = len(fields) > 1 and _OF_CALLS.isdisjoint(fields)
    if (
        not several
        or len(held) < len(fields)
        or not all(isinstance(one.get("messages"), list) for one in held)
    ):
        return None
    return [{"id": name, **value} for name, value in fields.items()]


def _is_item(item: Mapping[str, Any]) -> bool:
    """Whether an object is an item of a conversation of the Responses API that nobody speaks."""
    kind = item.get("type")
    return isinstance(kind, str) and (
        kind.endswith(("_call", "_call_output")) or kind == "reasoning"
    )
