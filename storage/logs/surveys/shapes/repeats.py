"""Rows of an unknown log of which several make a turn: each with another of its passages, or with a part of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from qsquared.storage.logs.engines.formats import Format
from qsquared.storage.logs.engines.grouping import joined
from qsquared.storage.logs.fields.related import united
from qsquared.storage.logs.rows import Limits, RawRow
from qsquared.storage.logs.surveys.columns.described import Proposal, all_fit, is_name
from qsquared.storage.logs.surveys.columns.values import Column, Unit, columns, share_of

_SOME, _NEARLY = 0.2, 0.9
_Propose = Callable[[str, Sequence[Unit]], Proposal]
_LEAST_GROUPS = 2
_MOST_TRIED = 6
_LEAST_TEXTS = 2
"""A question and its reply, which rows of a turn have alike."""


def joined_turns(rows: Sequence[Unit], propose: _Propose) -> Iterator[Proposal]:
    """Yield what is proposed for rows that are joined, if the passages are what differs in the rows of a turn."""
    same, others = _repeated(rows)
    raw = [RawRow(n, n, dict(row), "") for n, row in enumerate(rows)]
    for other in others if same else ():
        known = {"knowledge": (other,)}
        form = Format(name="", about="", engine="records", join=same, fields=known)
        units = [one.fields for one in joined(raw, form, Limits()) if isinstance(one, RawRow)]
        found = propose("", units)
        sure = found.is_sure and found.fields["response"][0] in same
        if sure and found.fields["knowledge"][0].removesuffix("[]") == other:
            yield found.but(join=list(same), fields={**found.fields, "knowledge": [other]})


def _repeated(rows: Sequence[Unit]) -> tuple[tuple[str, ...], list[str]]:
    """Return the fields that rows repeat together one after another, and the texts that differ in these rows."""
    alike: dict[tuple[bool, ...], list[Column]] = defaultdict(list)
    for column in columns(rows).values():
        if "[]" not in column.path and share_of(column.values) >= _NEARLY:
            alike[tuple(a == b for a, b in pairwise(column.values))].append(column)
    found = [
        pairs
        for pairs, held in alike.items()
        if _SOME * len(pairs) <= sum(pairs) < len(pairs)
        and sum(one.is_prose for one in held) >= _LEAST_TEXTS
    ]
    if len(found) != 1:
        return (), []
    least = (1 - _NEARLY) * sum(found[0])
    differ = (
        several
        for equal, several in alike.items()
        if sum(a and b for a, b in zip(found[0], equal, strict=True)) <= least
    )
    others = [one.path for several in differ for one in several if one.is_prose]
    return tuple(one.path for one in alike[found[0]]), others


def parts_of_turns(path: str, rows: Sequence[Unit], propose: _Propose) -> Iterator[Proposal]:
    """Yield what is proposed for rows that are put together by the id of a request, if no row says it alone."""
    made = columns(rows)
    prose = [one for one in made.values() if one.is_prose and one.is_single]
    tried = 0
    for name, ids in made.items():
        groups: dict[str, list[int]] = defaultdict(list)
        for place, held in enumerate(ids.values):
            if held and is_name(held[0]):
                groups[str(held[0])].append(place)
        several = [places for places in groups.values() if len(places) > 1]
        if "[" in name or len(several) < _LEAST_GROUPS or not all_fit(ids, is_name, _SOME):
            continue
        # Rows that say most things anew are no parts of one turn.
        if tried == _MOST_TRIED or 2 * sum(_differ(one, several) for one in prose) > len(prose):
            continue
        tried += 1
        found = propose(path, [united([rows[n] for n in places]) for places in groups.values()])
        if not found.is_sure:
            continue
        fields = dict(found.fields)
        said = (made[one] for part in ("response", "question") for one in fields.get(part, ()))
        replies, known = ({*_rows_of(made, fields[part])} for part in ("response", "knowledge"))
        # What one row says alone is no part of several, and who says several things in a group talks.
        if replies.isdisjoint(known) and not any(_differ(one, several) for one in said):
            fields.pop("conversation_id", None)
            yield found.but(unit="part", group=[name], fields=fields)


def _rows_of(made: Mapping[str, Column], paths: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the rows that have a value at or below one of some paths."""
    for path, column in made.items():
        if path.startswith(tuple(paths)):
            yield from (place for place, held in enumerate(column.values) if held)


def _differ(column: Column, groups: Sequence[Sequence[int]]) -> bool:
    """Whether a text differs in the rows of a group, as messages of a conversation do."""
    found = [len({column.texts[place] for place in places} - {""}) > 1 for places in groups]
    return share_of(found) > 1 - _NEARLY
