"""Proposals for the rows of a log of an unknown program, by what its values are.

A reply shares rare words with its knowledge far more than with that of other rows, and less with its
question; knowledge is the longer, and often a list.
Names of fields only decide between what the values leave open.
Each list in the rows is offered to each shape (``shapes/``), and the proposals are put in order here.
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

_Lists = Mapping[str, NumberedUnits]
"""The lists in the rows of a log, by their paths; the rows themselves have the empty path."""
_NESTED = re.compile(r"(.*?)(?:\[\])?\.?([^.\[\]]+)\[\]\.\2\[\]")
"""The path of a list in the objects of a list of the same name, with the path of what holds these."""
_WEAK = 0.65
"""The confidence below which another way to read a log is kept at hand."""


def discover(
    rows: Sequence[Unit], *, joined: bool = True, events: bool = False
) -> tuple[list[Proposal], str]:
    """Return the proposals for the rows of a log that are sure enough, the best one first, and what it lacks.

    Args:
        rows: the fields of the rows.
        joined: also read lists of a row together that refer to each other by ids.
        events: the rows are the records of a server's log, whose threads are no conversations.
    """
    lists = levels(rows)
    long = {path: units for path, units in lists.items() if len(units) >= len(rows)}
    if early := _sure([*_of_trees(rows, lists), *(_of_events(long) if events else ())]):
        return early, ""
    sure = _sure(joined_turns(rows, records_in)) or _sure(_of_rows_together(long))
    # What an agent thinks stands with what it found, and in a conversation nobody says it.
    if sure and (said := _sure(messages_in(path, units) for path, units in long.items())):
        sure = max(sure, said, key=lambda proposals: proposals[0].confidence)
    tried: list[Proposal] = []
    for propose in (_of_all, _of_kinds):
        if not sure:
            tried += [p for path, units in long.items() for p in cut_texts(path, units, propose)]
            sure = _sure(tried)
    sure = _sure([*_or_events(sure, rows, long), *_of_parts(rows, lists)])
    # What reads each message alone, and the rows as one conversation.
    sure += _sure(_of_parts(rows, lists, whole=True))
    if sure and sure[0].confidence < _WEAK:
        sure += _sure(p for path, units in long.items() for p in _of_kinds(path, units))[:1]
    # A prompt repeats passages that may stand in a list of their own.
    loose = not sure or "cut" in sure[0].described or sure[0].confidence < _WEAK
    linked = related(rows, lists, _alone) if loose and joined else []
    if linked and (not sure or _tells_more(linked[0], sure[0])):
        return linked, ""
    sure = sure or _sure(_of_inner(rows, long)) or _sure(_of_events(long))
    sure = [p for p in sure if not any(_is_copy(p.rows, one.rows, lists) for one in sure)]
    if sure and (apart := _apart(sure[0].rows, lists)):
        return [], apart
    lacks = [proposal.lacks for proposal in tried if proposal.lacks and proposal.described]
    # That knowledge lacks is said only where nothing else does.
    others = [sentence for sentence in lacks if sentence != NO_KNOWLEDGE]
    none = "No field of the rows holds texts that could be replies."
    return sure, [none, *lacks, *others][-1]


def _sure(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Return the proposals that are sure enough, the best one first."""
    sure = (proposal for proposal in proposals if proposal.is_sure)
    return sorted(sure, key=lambda proposal: -proposal.confidence)


def _or_events(sure: list[Proposal], rows: Sequence[Unit], lists: _Lists) -> list[Proposal]:
    """Return proposals, or those for the events of requests if the best one mixes requests of the same time.

    Such events, of which one stands between those of another request, are no conversation.
    """
    if not sure or sure[0].rows or sure[0].described.keys() & {"unit", "group"} != {"unit"}:
        return sure
    requests = _sure(_of_events({"": lists[""]}))
    requests = [proposal for proposal in requests if _interleave(proposal, rows)]
    close = requests and requests[0].confidence > sure[0].confidence - 0.1
    return requests if close else sure


def _interleave(proposal: Proposal, rows: Sequence[Unit]) -> bool:
    """Whether the events of requests stand between those of others."""
    names = [value_at(row, proposal.described["group"][0]) for row in rows]
    return len([*groupby(names)]) > len({*map(str, names)})


def _tells_more(linked: Proposal, alone: Proposal) -> bool:
    """Whether a proposal that follows relations reads the same replies as one without, or reads more surely."""
    same = linked.fields.get("response") == alone.fields.get("response")
    weak = alone.confidence < min(_WEAK, linked.confidence)
    return linked.rows == alone.rows and (weak or ("response" in alone.fields and same))


def _alone(rows: Sequence[Unit]) -> list[Proposal]:
    """Return the proposals for rows whose lists are read as they are."""
    proposals, _ = discover(rows, joined=False)
    return [proposal for proposal in proposals if OUTER not in str(proposal.fields)]


def _of_trees(rows: Sequence[Unit], lists: _Lists) -> Iterator[Proposal]:
    """Yield a proposal for messages that hold the messages which answer them, to any depth."""
    if match := next(filter(None, map(_NESTED.fullmatch, lists)), None):
        best = _of_nested(rows, match[1], match[2], parent=OUTER)
        above = [".".join((OUTER, *best.fields.get("id", ())))]
        yield best.with_keys(fields={**best.fields, "parent": above})


def _of_parts(rows: Sequence[Unit], lists: _Lists, *, whole: bool = False) -> Iterator[Proposal]:
    """Yield proposals for messages in parts, of which each says something else: what is asked, found or answered.

    The messages are those of a list, or the rows themselves if ``whole``.
    """
    for path, units in lists.items():
        outer, _, inner = path.removesuffix("[]").rpartition("[].")
        if not path.endswith("[]") or "*" in path or bool(outer) is whole:
            continue
        # A conversation has more messages than a message has parts.
        parts_of_each = Counter(number for number, _ in units)
        if fmean(parts_of_each.values()) < 2.5:
            yield _of_nested(rows, outer, inner, parts=True)


def _of_nested(
    rows: Sequence[Unit], outer: str, inner: str, *, parts: bool = False, parent: str = ""
) -> Proposal:
    """Propose that the units of a list and those in a list within each of them are messages of one conversation.

    Only the inner ones say something if they are parts; the proposal is empty if what users ask around them would
    be lost.
    """
    nested: dict[str, Any] = {"rows": [outer] if outer else [], "children": [inner]}
    nested |= {"fields": {"parent": [parent]}} if parent else {}
    form = read_format("", {"engine": "messages", "unit": "message", **nested}, "")
    cut = [units_of(form, number, dict(row)) for number, row in enumerate(rows)]
    messages = [unit for units in cut if not isinstance(units, str) for unit in units]
    inside = ["trace" in message.fields.get(OUTER, {}) for message in messages]
    plain = [{k: v for k, v in one.fields.items() if k != OUTER} for one in messages]
    if parts:
        around = columns_of([*compress(plain, (not within for within in inside))])
        messages, plain = [*compress(messages, inside)], [*compress(plain, inside)]
        said = {text for column in columns_of(plain).values() for text in column.filled}
        asked = [column for column in around.values() if column.is_said and column.is_typed]
        if any(said.isdisjoint(column.filled) for column in asked):
            return Proposal()
    numbered = [*zip((hash(message.group) for message in messages), plain, strict=True)]
    best = messages_in(f"{outer}[]" if outer else "", numbered)
    return best.with_keys(children=[inner])


def _of_all(path: str, numbered: NumberedUnits) -> Iterator[Proposal]:
    """Yield proposals for units of one kind: messages, records or calls."""
    units = [unit for _, unit in numbered]
    yield messages_in(path, numbered)
    yield records_in(path, units)
    yield calls_in(path, units)


def _of_kinds(path: str, numbered: NumberedUnits) -> Iterator[Proposal]:
    """Yield proposals for the records and calls among units of several kinds, four or more of a kind."""
    units = [unit for _, unit in numbered]
    columns = columns_of(units)
    for _, kinds in role_columns(columns):
        for kind, count in Counter(kinds).items():
            of_kind = [*compress(units, (own == kind for own in kinds))]
            tried = (records_in, calls_in) if count >= 4 else ()
            for proposal in (propose(path, of_kind) for propose in tried):
                replies = [columns[name] for name in proposal.fields.get("response", ())]
                # A text that units of other kinds have, too, is what several people say.
                if all(len(column.filled) <= count for column in replies):
                    yield proposal


def _of_inner(rows: Sequence[Unit], lists: _Lists) -> Iterator[Proposal]:
    """Yield proposals for units in the lists of objects that hold what they rest on, such as a document."""
    for path in (path for path in lists if path and "*" not in path):
        steps = path.removesuffix("[]").split("[]")
        entered = [entered_units(dict(row), steps) for row in rows]
        units = [(number, unit) for number, of_row in enumerate(entered) for unit in of_row]
        record = records_in(path, [unit for _, unit in units], around=True)
        proposals = [record] if "question" in record.fields else []
        proposals.append(messages_in(path, units, around=True))
        yield from (one for one in proposals if not _reads_a_base(rows, one))


def _of_events(lists: _Lists) -> Iterator[Proposal]:
    """Yield proposals for units that are the events of requests: a question, each hit of a search, an answer.

    Of each list up to three columns are tried as the names of the requests, until one is sure.
    """
    for path, units in lists.items():
        columns = columns_of([unit for _, unit in units])
        for name in names_of_requests(columns)[:3] if "*" not in path else ():
            named = [units[n] for n in with_texts(columns) if columns[name].values[n]]
            proposal = messages_in(path, named, request=name)
            yield proposal
            if proposal.is_sure:
                return


def _reads_a_base(rows: Sequence[Unit], proposal: Proposal) -> bool:
    """Whether a proposal takes all texts of the only row for what each of its replies was given."""
    if len(rows) != 1:
        return False
    paths = [path for path in proposal.fields.get("knowledge", ()) if path.startswith(f"{OUTER}.")]
    outer = [value_at(rows[0], path[len(OUTER) + 1 :].partition("[]")[0]) for path in paths]
    # All replies may have been given three passages; more are a knowledge base.
    return any(isinstance(held, list) and len(held) > 3 for held in outer)


def _of_rows_together(lists: _Lists) -> Iterator[Proposal]:
    """Yield proposals for units of which several are the parts of a turn."""
    for path, units in lists.items():
        if "*" not in path:
            yield from parts_of_turns(path, [unit for _, unit in units], _of_unit)


def _of_unit(path: str, units: Sequence[Unit]) -> Proposal:
    """Propose that each unit is a record, or if it is none a call."""
    record = records_in(path, units)
    return record if record.is_sure else calls_in(path, units)


def _is_copy(path: str, other: str, lists: _Lists) -> bool:
    """Whether another list holds the units of a list, and more."""
    return len(lists[other]) > len(lists[path]) and _holds(other, path, lists)


def _holds(path: str, other: str, lists: _Lists) -> bool:
    """Whether a list holds the first 50 units of another list."""
    own = [unit for _, unit in lists[path]]
    return all(unit in own for _, unit in lists[other][:50])


def _apart(path: str, lists: _Lists) -> str:
    """Return that rows lie in other lists, too, which a description with one path would lose; else empty."""
    names = lists[path][0][1].keys()
    others = [other for other in lists if path and not other.startswith(path)]
    alike = [other for other in others if lists[other][0][1].keys() == names and len(names) > 1]
    lost = [other for other in alike if not _holds(path, other, lists)]
    sentence = f"Rows lie in {path} and in {', '.join(lost[:3])}; write them as one list."
    return sentence if lost else ""
