"""Decide how a log writes its times, by the whole column: 11/05 is in May or in November for all rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qsquared.errors import UnusableLogError
from qsquared.storage.logs.fields.emptiness import is_null
from qsquared.storage.logs.fields.mapping import split_fields
from qsquared.storage.logs.fields.times import (
    DAY_FIRST,
    EITHER,
    MONTH_FIRST,
    ORDERS,
    moment_of,
    order_of,
)
from qsquared.storage.logs.fields.values import is_missing
from qsquared.storage.logs.reading import First
from qsquared.storage.logs.rows import RawRow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from qsquared.storage.logs.reading import Reading

_LOOKED_AT = 1000


def with_order(reading: Reading, path: Path, size: int | None = None) -> Reading:
    """Return a reading that knows the order of day and month, if the log's times need one.

    Args:
        reading: how the log is read.
        path: the log.
        size: read no further than this many bytes.

    Raises:
        UnusableLogError: a stated form reads none of the first thousand times, no time says which of
            day and month comes first, or two times contradict each other.
    """
    form = reading.options.time_form
    head = list(_times(reading, path, size, First(_LOOKED_AT)))
    if form and head and not any(moment_of(value, form) for value in head):
        raise UnusableLogError(
            f"--time-format {form} reads none of the first {len(head):,} times of {path}, such as "
            f"{str(head[0])!r}. Nothing was changed.",
            f"Give the form of that time, or {' or '.join(ORDERS)}, or leave the option away.",
        )
    if form or not any(map(order_of, head)):
        return reading
    seen: dict[str, str] = {}
    for value in _times(reading, path, size):
        seen.setdefault(order_of(value), str(value))
    proven = [order for order in ORDERS if order in seen]
    if len(proven) == 1:
        return replace(reading, options=replace(reading.options, time_form=proven[0]))
    if proven:
        problem = f"{seen[MONTH_FIRST]!r} has the month first and {seen[DAY_FIRST]!r} the day"
    else:
        month, day = (f"{moment_of(seen[EITHER], order):%-d %B %Y}" for order in ORDERS)
        problem = f"{seen[EITHER]!r} is {month} or {day}, and no other time decides"
    raise UnusableLogError(
        f"The times of {path} can be read in two ways: {problem}.",
        f"Say how they are: --time-format {MONTH_FIRST}, or --time-format {DAY_FIRST}",
    )


def _times(
    reading: Reading, path: Path, size: int | None, first: First | None = None
) -> Iterator[Any]:
    """Yield the values of a log's times as they stand in it."""
    for row in reading.rows(path, size, first, any_columns=True):
        if isinstance(row, RawRow):
            value = split_fields(row.fields, reading.source)[0].get("timestamp")
            if not is_missing(value) and not (isinstance(value, str) and is_null(value)):
                yield value
