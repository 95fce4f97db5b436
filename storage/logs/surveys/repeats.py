"""Rows of an unknown log of which several repeat a turn, each with another of its passages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from qsquared.storage.logs.engines.formats import Format
from qsquared.storage.logs.engines.grouping import joined
from qsquared.storage.logs.rows import Limits, RawRow
from qsquared.storage.logs.surveys.described import SURE, Proposal
from qsquared.storage.logs.surveys.values import Column, Unit, columns

_SOME, _NEARLY = 0.2, 0.9
_LEAST_TEXTS = 2
"""A question and its reply, which rows of a turn have alike."""


def joined_turns(
    rows: Sequence[Unit], propose: Callable[[str, Sequence[Unit]], Proposal]
) -> Iterator[Proposal]:
    """Yield what is proposed for rows that are joined, if the passages are what differs in the rows of a turn."""
    same, others = _repeated(rows)
    raw = [RawRow(n, n, dict(row), "") for n, row in enumerate(rows)]
    for other in others if same else ():
        form = Format(
            name="", about="", engine="records", join=same, fields={"knowledge": (other,)}
        )
        found = propose(
            "", [one.fields for one in joined(raw, form, Limits()) if isinstance(one, RawRow)]
        )
        fields = found.stated.get("fields", {})
        sure = found.confidence >= SURE and fields["response"][0] in same
        if sure and fields["knowledge"][0].removesuffix("[]") == other:
            own = {**fields, "knowledge": [other]}
            yield replace(found, stated={**found.stated, "join": list(same), "fields": own})


def _repeated(rows: Sequence[Unit]) -> tuple[tuple[str, ...], list[str]]:
    """Return the fields that rows repeat together one after another, and the texts that differ in these rows."""
    alike: dict[tuple[bool, ...], list[Column]] = defaultdict(list)
    for column in columns(rows).values():
        if "[]" not in column.path and sum(map(bool, column.values)) >= _NEARLY * len(rows):
            alike[tuple(a == b for a, b in pairwise(column.values))].append(column)
    found = [
        (pairs, held)
        for pairs, held in alike.items()
        if _SOME * len(pairs) <= sum(pairs) < len(pairs)
        and sum(one.is_prose for one in held) >= _LEAST_TEXTS
    ]
    if len(found) != 1:
        return (), []
    pairs, held = found[0]
    others = [
        one.path
        for equal, several in alike.items()
        for one in several
        if one.is_prose
        and sum(a and b for a, b in zip(pairs, equal, strict=True)) <= (1 - _NEARLY) * sum(pairs)
    ]
    return tuple(one.path for one in held), others
