"""Lists and rows of an unknown log that are put together: by ids, by what rows repeat, or by the id of a request.

Where no row tells a turn alone, several may: other shapes are then proposed for the rows that are put together,
and the description says by what (``related``, ``join``, ``group``).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress, pairwise, permutations, product

from qsquared.storage.logs.fields.field_paths import first_name, grouped
from qsquared.storage.logs.fields.objects import levels
from qsquared.storage.logs.fields.reshaped import Relation, nested, united
from qsquared.storage.logs.fields.values import is_name
from qsquared.storage.logs.format_engines.formats import Format
from qsquared.storage.logs.format_engines.recognition import joined
from qsquared.storage.logs.rows import Limits, RawRow
from qsquared.storage.logs.surveys.columns.described import Proposal
from qsquared.storage.logs.surveys.columns.texts import share_of
from qsquared.storage.logs.surveys.columns.threads import (
    leads_elsewhere,
    names_of_rows,
    refers_surely,
)
from qsquared.storage.logs.surveys.columns.values import Column, NumberedUnits, Unit, columns_of

_SPOKEN = ("response", "content", "role", "messages")
"""The parts of a turn that are said by somebody."""
_Lists = Mapping[str, NumberedUnits]
"""The lists in the rows of a log, by their paths."""
_ProposeOne = Callable[[str, Sequence[Unit]], Proposal]
"""Proposes how the units at a path are read."""
_ProposeSeveral = Callable[[Sequence[Unit]], list[Proposal]]
"""Proposes how rows are read, the best way first."""


def related(
    rows: Sequence[Unit], lists: _Lists, propose: _ProposeSeveral, depth: int = 2
) -> list[Proposal]:
    """Return the proposals for rows in which objects of one list hold those of another that belong to them.

    Args:
        rows: the fields of the rows.
        lists: the lists in them, by their paths.
        propose: proposes how such rows are read.
        depth: how many lists may hold each other; the fewest are tried first.
    """
    readings: list[list[Proposal]] = []
    for number in range(1, depth + 1):
        readings += _readings(rows, lists, propose, number)
        # Where a question stands beside a reply, or who speaks beside a message, nothing is the wrong way round.
        messages = [one for one in readings if one[0].described.get("engine") == "messages"]
        certain = [one for one in readings if one in messages or "question" in one[0].fields]
        if certain:
            return max(certain, key=lambda reading: reading[0].confidence)
    return readings[0] if readings else []


def _readings(
    rows: Sequence[Unit],
    lists: _Lists,
    propose: _ProposeSeveral,
    depth: int,
    last: Relation | None = None,
) -> Iterator[list[Proposal]]:
    """Yield the proposals by each chain of relations, of which the next one begins or ends where the ``last`` ends."""
    relations = _relations(lists)
    chained = [one for one in relations if not last or last.into in (one.rows, one.into)]
    for relation in chained[:8]:
        holding = [nested(row, [relation]) for row in rows]
        readings: Iterator[list[Proposal]]
        if depth > 1:
            readings = _readings(holding, levels(holding), propose, depth - 1, relation)
        else:
            # The other lists of the rows are not read.
            field = first_name(relation.into)
            alone = [{name: row[name] for name in row if name == field} for row in holding]
            readings = iter([[one for one in propose(alone) if _reads(one, relation)]])
        for proposals in readings:
            if kept := [one for one in proposals if not _repeats_replies(one, relation, lists)]:
                yield [_after(relation, proposal) for proposal in kept]


def _after(relation: Relation, proposal: Proposal) -> Proposal:
    """Return a proposal for rows in which a relation was followed before its own."""
    relations = [relation.model_dump(), *proposal.described.get("related", [])]
    return proposal.with_keys(related=relations)


def _reads(proposal: Proposal, relation: Relation) -> bool:
    """Whether a proposal reads replies of a list, and the texts of another that belong to these."""
    fields = proposal.fields.items()
    lists = {part: {path.partition("[]")[0] for path in paths} for part, paths in fields}
    inner = {part for part, names in lists.items() if relation.name in names}
    spoken = not inner.isdisjoint(_SPOKEN) and not _are_of_message(proposal, relation)
    # A list of questions with their answers is no knowledge of the documents that they name.
    turned = inner >= {"question", "knowledge"}
    into = proposal.rows.removesuffix("[]") == relation.into
    return into and bool(inner) and not spoken and not turned


def _are_of_message(proposal: Proposal, relation: Relation) -> bool:
    """Whether what is said and what was found are the parts of a message, which itself has who speaks."""
    inside = [
        {path.partition("[]")[0] == relation.name for path in proposal.fields.get(part, ())}
        for part in ("role", "content", "knowledge")
    ]
    return inside == [{False}, {True}, {True}]


def _repeats_replies(proposal: Proposal, relation: Relation, lists: _Lists) -> bool:
    """Whether a proposal reads replies of objects that were put into others, which would repeat them.

    What asks among other texts of one column is a conversation, and no knowledge.
    """
    said = [path for part in _SPOKEN for path in proposal.fields.get(part, ())]
    spoken = any(path.startswith(f"{relation.name}[]") for path in said)
    if spoken and not _are_of_message(proposal, relation):
        return True
    columns = columns_of([unit for _, unit in lists[f"{relation.rows}[]"]])
    texts = [column for column in columns.values() if column.is_prose]
    conversation = len(texts) == 1 and 0.2 <= texts[0].share_asking < 0.9
    knowledge = (path.replace("[]", "") for path in proposal.fields.get("knowledge", ()))
    return conversation and any(relation.name in path.split(".") for path in knowledge)


def _relations(lists: _Lists) -> list[Relation]:
    """Return how lists of the rows refer to each other, the more certain ones first."""
    columns_by_list = {
        path.removesuffix("[]"): columns_of([unit for _, unit in units])
        for path, units in lists.items()
        if path.count("[]") == 1 and path.endswith("[]") and "*" not in path
    }
    found: list[tuple[float, Relation]] = []
    for (rows, theirs), (into, ours) in permutations(columns_by_list.items(), 2):
        if not any(column.is_prose for column in theirs.values()):
            continue
        for key, ids in product(names_of_rows(theirs), names_of_rows(ours, listed=True)):
            # What is named after another list leads to that; but two lists may both refer to a third one.
            ends = ((key.path, into), (ids.path, rows))
            elsewhere = any(leads_elsewhere(name, to, columns_by_list) for name, to in ends)
            relation = Relation(rows=rows, key=key.path, into=into, id=ids.path)
            both = key.path.lower() == ids.path.lower()
            if relation.name not in ours and (both or not elsewhere):
                found.append((refers_surely(key, ids, rows, into), relation))
    found.sort(key=lambda pair: -pair[0])
    return [relation for certainty, relation in found if certainty > 0]


def joined_turns(rows: Sequence[Unit], propose: _ProposeOne) -> Iterator[Proposal]:
    """Yield what is proposed for rows that are joined, if the passages are what differs in the rows of a turn."""
    same, others = _repeated(rows)
    once: tuple[str, ...] = ()
    if not same:
        same, once, others = _said_in_first(rows)
    raw = [RawRow(number, number, dict(row), "") for number, row in enumerate(rows)]
    for passages in others if same else ():
        fields = {"knowledge": (passages,)}
        form = Format(name="", about="", engine="records", join=same, fields=fields)
        turns = [row.fields for row in joined(raw, form, Limits()) if isinstance(row, RawRow)]
        found = propose("", turns)
        replies = found.is_sure and found.fields["response"][0] in {*same, *once}
        knowledge = found.fields.get("knowledge", [""])[0]
        if replies and knowledge.removesuffix("[]") == passages:
            yield found.with_keys(join=list(same), fields={**found.fields, "knowledge": [passages]})


def _repeated(rows: Sequence[Unit]) -> tuple[tuple[str, ...], list[str]]:
    """Return the paths that rows repeat together one after another, and those of texts that differ in these rows.

    Both are empty unless a question and its reply are repeated in the same rows.
    """
    # A turn for which nothing was found has a row without a passage.
    given = [one for one in columns_of(rows).values() if share_of(one.values) >= 0.5]
    plain = [column for column in given if "[]" not in column.path]
    # Of each row, whether a column has the value of the row before.
    by_repeats = grouped((_repeats(column), column) for column in plain)
    found = [
        repeats
        for repeats, columns in by_repeats.items()
        if sum(one.is_prose and _is_full(one) for one in columns) >= 2
        and 0.2 * len(repeats) <= sum(repeats) < len(repeats)
    ]
    if len(found) != 1:
        return (), []
    (of_turn,) = found
    # Turns that say the same have ids of their own.
    same = [
        column.path
        for repeats, columns in by_repeats.items()
        if 0.6 * sum(of_turn) <= sum(map(min, repeats, of_turn)) == sum(repeats)
        for column in columns
        if _is_full(column) and (repeats == of_turn or not column.is_prose)
    ]
    # One passage may repeat the one before.
    most = max((1 - 0.9) * sum(of_turn), float(sum(of_turn) > 2))
    texts = [column for columns in by_repeats.values() for column in columns if column.is_prose]

    def again(column: Column) -> int:
        before = zip(_repeats(column), column.values[1:], of_turn, strict=True)
        return sum(bool(repeats and values and in_turn) for repeats, values, in_turn in before)

    return tuple(same), [column.path for column in texts if again(column) <= most]


def _repeats(column: Column) -> tuple[bool, ...]:
    """Return of each row but the first whether a column has the value of the row before."""
    return tuple(before == values for before, values in pairwise(column.values))


def _is_full(column: Column) -> bool:
    """Whether nearly all rows have a value in a column."""
    return share_of(column.values) >= 0.9


def _said_in_first(rows: Sequence[Unit]) -> tuple[tuple[str, ...], tuple[str, ...], list[str]]:
    """Return the paths that rows repeat below each that has a text, that of this text, and those of other texts.

    So a table has a turn's reply in the first of its rows alone; all are empty if it does not.
    """
    columns = [column for path, column in columns_of(rows).items() if "[]" not in path]
    for said in columns:
        if not said.is_prose or said.texts[:1] == [""]:
            continue
        below = [not text for text in said.texts[1:]]
        same = [column for column in columns if all(compress(_repeats(column), below))]
        names = [tuple(str(one.values[number]) for one in same) for number in range(len(rows))]
        turns = [before == own for before, own in pairwise(names)]
        many = sum(below) >= 0.5 * (len(rows) - sum(below))
        if same and many and turns == below:
            texts = [one for one in columns if one.is_prose and one not in (said, *same)]
            return tuple(one.path for one in same), (said.path,), [one.path for one in texts]
    return (), (), []


def parts_of_turns(path: str, rows: Sequence[Unit], propose: _ProposeOne) -> Iterator[Proposal]:
    """Yield what is proposed for rows that are put together by the id of a request, if no row says it alone."""
    columns = columns_of(rows)
    prose = [column for column in columns.values() if column.is_prose and column.is_single]
    tried = 0
    for name, ids in columns.items():
        first = ((values[0], place) for place, values in enumerate(ids.values) if values)
        groups = grouped((str(value), place) for value, place in first if is_name(value))
        several = [places for places in groups.values() if len(places) > 1]
        if "[" in name or len(several) < 2 or not ids.all_fit(is_name, 0.2):
            continue
        # Rows that say most things anew are no parts of one turn; of many ids the first are tried.
        if tried == 6 or 2 * sum(_differs(one, several) for one in prose) > len(prose):
            continue
        tried += 1
        found = propose(path, [united([rows[n] for n in places]) for places in groups.values()])
        if found.is_sure and _needs_several(found, columns, several):
            fields = {part: own for part, own in found.fields.items() if part != "conversation_id"}
            yield found.with_keys(unit="part", group=[name], fields=fields)


def _needs_several(
    proposal: Proposal, columns: Mapping[str, Column], groups: Sequence[Sequence[int]]
) -> bool:
    """Whether no row of a proposal's turns has both reply and knowledge, and reply and question do not differ in one.

    Who says several things in a group talks.
    """
    fields = proposal.fields
    # The last of a growing list is no column of its own; a call may have its replies among its messages.
    replies_at = fields.get("response", [])
    asked_and_said = [*replies_at, *fields.get("question", ())]
    said = [columns[path] for path in asked_and_said if path in columns]
    # Passages may stand in the prompt that holds the question.
    holding = ("knowledge", "question", "messages")
    knowledge = next((fields[part] for part in holding if part in fields), [])
    replies, known = (_rows_of(columns, paths) for paths in (replies_at, knowledge))
    return replies.isdisjoint(known) and not any(_differs(column, groups) for column in said)


def _rows_of(columns: Mapping[str, Column], paths: Sequence[str]) -> set[int]:
    """Return the numbers of the rows that have a value at or below one of some paths."""
    below = [column for path, column in columns.items() if path.startswith(tuple(paths))]
    return {number for one in below for number, values in enumerate(one.values) if values}


def _differs(column: Column, groups: Sequence[Sequence[int]]) -> bool:
    """Whether a text differs in the rows of some groups, as messages of a conversation do."""
    texts = [{column.texts[place] for place in places} - {""} for places in groups]
    return share_of([len(of_group) > 1 for of_group in texts]) > 1 - 0.9
