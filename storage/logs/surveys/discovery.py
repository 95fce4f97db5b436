"""Discover how a log of an unknown program is to be read, by what its values are.

A reply shares rare words with its knowledge far more than with that of other rows, and less with its
question; knowledge is the longer, and often a list.
Names of fields only decide between what the values leave open.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, groupby
from statistics import fmean
from typing import Any

from qsquared.storage.logs.fields.field_paths import value_at
from qsquared.storage.logs.fields.objects import levels
from qsquared.storage.logs.format_engines.cut_units import entered_units, units_of
from qsquared.storage.logs.format_engines.formats import read_format
from qsquared.storage.logs.format_engines.units import OUTER
from qsquared.storage.logs.surveys.columns.described import NO_KNOWLEDGE, Proposal
from qsquared.storage.logs.surveys.columns.threads import (
    names_of_requests,
    role_columns,
    with_texts,
)
from qsquared.storage.logs.surveys.columns.values import NumberedUnits, Unit, columns_of
from qsquared.storage.logs.surveys.shapes.calls import calls_in
from qsquared.storage.logs.surveys.shapes.messages import messages_in
from qsquared.storage.logs.surveys.shapes.records import records_in
from qsquared.storage.logs.surveys.shapes.templates import cut_texts
from qsquared.storage.logs.surveys.shapes.together import joined_turns, parts_of_turns, related

_NESTED = re.compile(r"(.*?)(?:\[\])?\.?([^.\[\]]+)\[\]\.\2\[\]")
"""The path of a list in the objects of a list of the same name, with the path of what holds these."""
_LEAST_OF_KIND = 4
_COMPARED = 50
_WEAK, _CLOSE = 0.65, 0.1
"""The confidence below which another way to read a log is kept at hand."""
_MOST_GIVEN = 3
"""The passages of a log's only row that all of its replies may have been given; more are a knowledge base."""
_MOST_NAMES = 3
_MOST_PARTS = 2.5
"""The mean number of parts of a message; a conversation has more messages."""


def discover(
    rows: Sequence[Unit], *, joined: bool = True, events: bool = False
) -> tuple[list[Proposal], str]:
    """Return the proposals for the rows of a log that are sure enough, the best one first, and what it lacks.

    Args:
        rows: the fields of the rows.
        joined: also read lists of a row together that refer to each other by ids.
        events: the rows are the records of a server's log, whose threads are no conversations.
    """
    found = levels(rows)
    long = {path: held for path, held in found.items() if len(held) >= len(rows)}
    made: list[Proposal] = []
    if told := _sure([*_of_trees(rows, found), *(_of_events(long) if events else ())]):
        return told, ""
    sure = _sure(joined_turns(rows, records_in)) or _sure(_of_rows_together(long))
    # What an agent thinks stands with what it found, and in a conversation nobody says it.
    if sure and (said := _sure(messages_in(path, held) for path, held in long.items())):
        sure = max(sure, said, key=lambda found: found[0].confidence)
    for propose in (_of_all, _of_kinds):
        if not sure:
            made += [one for path, held in long.items() for one in cut_texts(path, held, propose)]
            sure = _sure(made)
    if sure and not sure[0].rows and sure[0].described.keys() & {"unit", "group"} == {"unit"}:
        # Events of requests at the same time are no conversation.
        requests = [one for one in _sure(_of_events({"": long[""]})) if _at_once(one, rows)]
        if requests and requests[0].confidence > sure[0].confidence - _CLOSE:
            sure = requests
    sure = _sure([*sure, *_of_parts(rows, found)])
    # What reads each message alone, and the rows as one conversation.
    sure += _sure(_of_parts(rows, found, whole=True))
    if sure and sure[0].confidence < _WEAK:
        sure += _sure(one for path, held in long.items() for one in _of_kinds(path, held))[:1]
    # A prompt repeats passages that may stand in a list of their own.
    loose = not sure or "cut" in sure[0].described or sure[0].confidence < _WEAK
    linked = related(rows, found, _alone) if loose and joined else []
    if linked and (not sure or _tells_more(linked[0], sure[0])):
        return linked, ""
    sure = sure or _sure(_of_inner(rows, long)) or _sure(_of_events(long))
    sure = [p for p in sure if not any(_is_copy(p.rows, one.rows, found) for one in sure)]
    if sure and (apart := _apart(sure[0].rows, found)):
        return [], apart
    lacks = [one.lacks for one in made if one.lacks and one.described]
    lacks.sort(key=lambda told: told != NO_KNOWLEDGE)
    return sure, lacks[-1] if lacks else "No field of the rows holds texts that could be replies."


def _at_once(found: Proposal, rows: Sequence[Unit]) -> bool:
    """Whether the events of requests stand between those of others."""
    values = [value_at(row, found.described["group"][0]) for row in rows]
    return len([*groupby(values)]) > len({*map(str, values)})


def _tells_more(linked: Proposal, alone: Proposal) -> bool:
    """Whether a proposal that follows relations reads the same replies as one without, or reads more surely."""
    same = linked.fields.get("response") == alone.fields.get("response")
    weak = alone.confidence < min(_WEAK, linked.confidence)
    return linked.rows == alone.rows and (weak or ("response" in alone.fields and same))


def _sure(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Return the proposals that are sure enough, the best one first."""
    return sorted((one for one in proposals if one.is_sure), key=lambda one: -one.confidence)


def _alone(rows: Sequence[Unit]) -> list[Proposal]:
    """Return the proposals for rows whose lists are read as they are."""
    found, _ = discover(rows, joined=False)
    return [one for one in found if OUTER not in str(one.fields)]


def _of_trees(rows: Sequence[Unit], found: Mapping[str, NumberedUnits]) -> Iterator[Proposal]:
    """Yield a proposal for messages that hold the messages which answer them, to any depth."""
    if match := next(filter(None, map(_NESTED.fullmatch, found)), None):
        best = _of_nested(rows, match[1], match[2], parent=OUTER)
        above = [".".join((OUTER, *best.fields.get("id", ())))]
        yield best.with_keys(fields={**best.fields, "parent": above})


def _of_parts(
    rows: Sequence[Unit], found: Mapping[str, NumberedUnits], *, whole: bool = False
) -> Iterator[Proposal]:
    """Yield proposals for messages in parts, of which each says something else: what is asked, found or answered.

    The messages are those of a list, or the rows themselves if ``whole``.
    """
    for path, held in found.items():
        outer, _, inner = path.removesuffix("[]").rpartition("[].")
        lists = Counter(number for number, _ in held)
        parts = path.endswith("[]") and "*" not in path and fmean(lists.values()) < _MOST_PARTS
        if parts and bool(outer) is not whole:
            yield _of_nested(rows, outer, inner, parts=True)


def _of_nested(
    rows: Sequence[Unit], outer: str, inner: str, *, parts: bool = False, parent: str = ""
) -> Proposal:
    """Propose that the units of a list and those in a list within each of them are messages of one conversation.

    Only the inner ones say something if they are parts; else what users ask around them would be lost.
    """
    nested: dict[str, Any] = {"rows": [outer] if outer else [], "children": [inner]}
    nested |= {"fields": {"parent": [parent]}} if parent else {}
    form = read_format("", {"engine": "messages", "unit": "message", **nested}, "")
    cut = [units_of(form, number, dict(row)) for number, row in enumerate(rows)]
    units = [one for held in cut if not isinstance(held, str) for one in held]
    inside = ["trace" in one.fields.get(OUTER, {}) for one in units]
    plain = [{k: v for k, v in one.fields.items() if k != OUTER} for one in units]
    if parts:
        around = columns_of([one for one, within in zip(plain, inside, strict=True) if not within])
        units, plain = [*compress(units, inside)], [*compress(plain, inside)]
        said = {text for one in columns_of(plain).values() for text in one.filled}
        asked = [one for one in around.values() if one.is_said and one.is_typed]
        if any(said.isdisjoint(one.filled) for one in asked):
            return Proposal()
    held = [*zip((hash(one.group) for one in units), plain, strict=True)]
    best = messages_in(f"{outer}[]" if outer else "", held)
    return best.with_keys(children=[inner])


def _of_all(path: str, held: NumberedUnits) -> Iterator[Proposal]:
    """Yield proposals for units of one kind: messages, records or calls."""
    units = [unit for _, unit in held]
    yield messages_in(path, held)
    yield records_in(path, units)
    yield calls_in(path, units)


def _of_inner(rows: Sequence[Unit], long: Mapping[str, NumberedUnits]) -> Iterator[Proposal]:
    """Yield proposals for units in the lists of objects that hold what they rest on, such as a document."""
    for path in (one for one in long if one and "*" not in one):
        steps = path.removesuffix("[]").split("[]")
        said = [(n, one) for n, row in enumerate(rows) for one in entered_units(dict(row), steps)]
        found = records_in(path, [unit for _, unit in said], around=True)
        tried = [found] if "question" in found.fields else []
        tried.append(messages_in(path, said, around=True))
        yield from (one for one in tried if not _reads_a_base(rows, one))


def _of_events(long: Mapping[str, NumberedUnits]) -> Iterator[Proposal]:
    """Yield proposals for units that are the events of requests: a question, each hit of a search, an answer."""
    for path, held in long.items():
        made = columns_of([unit for _, unit in held])
        for name in names_of_requests(made)[:_MOST_NAMES] if "*" not in path else ():
            own = [held[n] for n in with_texts(made) if made[name].values[n]]
            if (found := messages_in(path, own, request=name)).is_sure:
                yield found
                return
            yield found


def _reads_a_base(rows: Sequence[Unit], proposal: Proposal) -> bool:
    """Whether a proposal takes all texts of the only row for what each of its replies was given."""
    paths = (path for path in proposal.fields.get("knowledge", ()) if path.startswith(f"{OUTER}."))
    lists = (value_at(rows[0], path[len(OUTER) + 1 :].partition("[]")[0]) for path in paths)
    return len(rows) == 1 and any(isinstance(one, list) and len(one) > _MOST_GIVEN for one in lists)


def _of_rows_together(long: Mapping[str, NumberedUnits]) -> Iterator[Proposal]:
    """Yield proposals for units of which several are the parts of a turn."""
    for path, held in long.items():
        if "*" not in path:
            yield from parts_of_turns(path, [unit for _, unit in held], _of_unit)


def _of_unit(path: str, units: Sequence[Unit]) -> Proposal:
    """Propose that each unit is a record, or if it is none a call."""
    record = records_in(path, units)
    return record if record.is_sure else calls_in(path, units)


def _of_kinds(path: str, held: NumberedUnits) -> Iterator[Proposal]:
    """Yield proposals for the records and calls among units of several kinds."""
    units = [unit for _, unit in held]
    made = columns_of(units)
    for _, values in role_columns(made):
        for value, count in Counter(values).items():
            part = [unit for unit, own in zip(units, values, strict=True) if own == value]
            tried = (records_in, calls_in) if count >= _LEAST_OF_KIND else ()
            for found in (propose(path, part) for propose in tried):
                replies = [made[name] for name in found.fields.get("response", ())]
                # A text that units of other kinds have, too, is what several people say.
                if all(len(one.filled) <= count for one in replies):
                    yield found


def _is_copy(path: str, other: str, found: Mapping[str, NumberedUnits]) -> bool:
    """Whether another list holds the units of a list, and more."""
    return len(found[other]) > len(found[path]) and _holds(other, path, found)


def _holds(rows: str, other: str, found: Mapping[str, NumberedUnits]) -> bool:
    """Whether a list holds the units of another list."""
    own = [unit for _, unit in found[rows]]
    return all(unit in own for _, unit in found[other][:_COMPARED])


def _apart(rows: str, found: Mapping[str, NumberedUnits]) -> str:
    """Return that rows lie in other lists, too, which a description with one path would lose; else empty."""
    names = found[rows][0][1].keys()
    others = {path: held for path, held in found.items() if rows and not path.startswith(rows)}
    alike = [path for path, held in others.items() if held[0][1].keys() == names and len(names) > 1]
    lists = [path for path in alike if not _holds(rows, path, found)]
    told = f"Rows lie in {rows} and in {', '.join(lists[:3])}; write them as one list."
    return told if lists else ""
