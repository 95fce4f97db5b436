"""Lists and rows of an unknown log that are put together: by ids, by what rows repeat, or by the id of a request."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, pairwise, permutations, product

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

_MOST_RELATIONS = 8
_KNOWING = ("knowledge", "question", "messages")
"""The fields that may hold passages."""
_SPOKEN = {"response", "content", "role", "messages"}
_MOST = 0.6
"""The share of the references that lead to an object."""
_SOME, _HALF, _NEARLY = 0.2, 0.5, 0.9
_Propose = Callable[[str, Sequence[Unit]], Proposal]
_LEAST_GROUPS = 2
_MOST_TRIED = 6
_FEW = 2
_LEAST_TEXTS = 2
"""A question and its reply, which rows of a turn have alike."""


def related(
    rows: Sequence[Unit],
    found: Mapping[str, NumberedUnits],
    propose: Callable[[Sequence[Unit]], list[Proposal]],
    depth: int = 2,
) -> list[Proposal]:
    """Return the proposals for rows in which objects of one list hold those of another that belong to them.

    Args:
        rows: the fields of the rows.
        found: the lists in them.
        propose: proposals for such rows.
        depth: how many lists may hold each other; the fewest are tried first.
    """
    several: list[list[Proposal]] = []
    for number in range(1, depth + 1):
        several += _readings(rows, found, propose, number)
        # Where a question stands beside a reply, or who speaks beside a message, nothing is the wrong way round.
        said = [made for made in several if made[0].described.get("engine") == "messages"]
        told = [made for made in several if made in said or "question" in made[0].fields]
        if told:
            return max(told, key=lambda made: made[0].confidence)
    return several[0] if several else []


def _readings(
    rows: Sequence[Unit],
    found: Mapping[str, NumberedUnits],
    propose: Callable[[Sequence[Unit]], list[Proposal]],
    depth: int,
    last: Relation | None = None,
) -> Iterator[list[Proposal]]:
    """Yield the proposals by each chain of relations, of which the next one begins or ends where the ``last`` ends."""
    chained = [one for one in _relations(found) if not last or last.into in (one.rows, one.into)]
    for one in chained[:_MOST_RELATIONS]:
        made = [nested(row, [one]) for row in rows]
        if depth > 1:
            inner = _readings(made, levels(made), propose, depth - 1, one)
        else:
            # The other lists of the rows are not read.
            alone = [{k: v for k, v in row.items() if k == first_name(one.into)} for row in made]
            inner = iter([[held for held in propose(alone) if _reads(held, one)]])
        for proposals in inner:
            if kept := [held for held in proposals if not _is_spoken(held, one, found)]:
                yield [_after(one, held) for held in kept]


def _after(relation: Relation, proposal: Proposal) -> Proposal:
    """Return a proposal for rows in which a relation was followed before its own."""
    return proposal.with_keys(
        related=[relation.model_dump(), *proposal.described.get("related", [])]
    )


def _reads(proposal: Proposal, relation: Relation) -> bool:
    """Whether a proposal reads replies of a list, and the texts of another that belong to these."""
    fields = proposal.fields.items()
    lists = {part: {path.partition("[]")[0] for path in paths} for part, paths in fields}
    inner = {part for part, names in lists.items() if relation.name in names}
    into = proposal.rows.removesuffix("[]") == relation.into
    # A list of questions with their answers is no knowledge of the documents that they name.
    turned = inner >= {"question", "knowledge"}
    spoken = not inner.isdisjoint(_SPOKEN) and not _of_message(proposal, relation)
    return into and bool(inner) and not spoken and not turned


def _of_message(proposal: Proposal, relation: Relation) -> bool:
    """Whether what is said and what was found are the parts of a message, which itself has who speaks."""
    paths = (proposal.fields.get(part, ()) for part in ("role", "content", "knowledge"))
    inside = [{path.partition("[]")[0] == relation.name for path in held} for held in paths]
    return inside == [{False}, {True}, {True}]


def _is_spoken(proposal: Proposal, relation: Relation, found: Mapping[str, NumberedUnits]) -> bool:
    """Whether a proposal reads replies of objects that were put into others, which would repeat them.

    What asks among other texts of one column is a conversation, and no knowledge.
    """
    said = (path for part in _SPOKEN for path in proposal.fields.get(part, ()))
    known = proposal.fields.get("knowledge", ())
    held = columns_of([unit for _, unit in found[f"{relation.rows}[]"]])
    texts = [one for one in held.values() if one.is_prose]
    talks = len(texts) == 1 and _SOME <= texts[0].share_asking < _NEARLY
    spoken = any(path.startswith(f"{relation.name}[]") for path in said)
    return (spoken and not _of_message(proposal, relation)) or (
        talks and any(relation.name in path.replace("[]", "").split(".") for path in known)
    )


def _relations(found: Mapping[str, NumberedUnits]) -> list[Relation]:
    """Return how lists of the rows refer to each other, the more certain ones first."""
    lists = {
        path.removesuffix("[]"): columns_of([unit for _, unit in held])
        for path, held in found.items()
        if path.count("[]") == 1 and path.endswith("[]") and "*" not in path
    }
    made: list[tuple[float, Relation]] = []
    for (rows, theirs), (into, ours) in permutations(lists.items(), 2):
        told = any(one.is_prose for one in theirs.values())
        keys = names_of_rows(theirs) if told else []
        for key, own in product(keys, names_of_rows(ours, listed=True)):
            # What is named after another list leads to that.
            ends = ((key.path, into), (own.path, rows))
            elsewhere = any(leads_elsewhere(name, to, lists) for name, to in ends)
            # Two lists may both refer to a third one.
            if elsewhere and key.path.lower() != own.path.lower():
                continue
            one = Relation(rows=rows, key=key.path, into=into, id=own.path)
            made += [] if one.name in ours else [(refers_surely(key, own, rows, into), one)]
    made.sort(key=lambda one: -one[0])
    return [relation for certainty, relation in made if certainty > 0]


def joined_turns(rows: Sequence[Unit], propose: _Propose) -> Iterator[Proposal]:
    """Yield what is proposed for rows that are joined, if the passages are what differs in the rows of a turn."""
    same, others = _repeated(rows)
    once: list[str] = []
    if not same:
        same, once, others = _said_in_first(rows)
    raw = [RawRow(n, n, dict(row), "") for n, row in enumerate(rows)]
    for other in others if same else ():
        known = {"knowledge": (other,)}
        form = Format(name="", about="", engine="records", join=same, fields=known)
        units = [one.fields for one in joined(raw, form, Limits()) if isinstance(one, RawRow)]
        found = propose("", units)
        sure = found.is_sure and found.fields["response"][0] in {*same, *once}
        read = found.fields.get("knowledge", [""])[0]
        if sure and read.removesuffix("[]") == other:
            yield found.with_keys(join=list(same), fields={**found.fields, "knowledge": [other]})


def _repeated(rows: Sequence[Unit]) -> tuple[tuple[str, ...], list[str]]:
    """Return the fields that rows repeat together one after another, and the texts that differ in these rows."""
    # A turn for which nothing was found has a row without a passage.
    given = (one for one in columns_of(rows).values() if share_of(one.values) >= _HALF)
    plain = (one for one in given if "[]" not in one.path)
    alike = grouped((tuple(a == b for a, b in pairwise(one.values)), one) for one in plain)
    texts = (pairs for pairs, held in alike.items() if sum(map(_is_said, held)) >= _LEAST_TEXTS)
    found = [pairs for pairs in texts if _SOME * len(pairs) <= sum(pairs) < len(pairs)]
    if len(found) != 1:
        return (), []
    # One passage may repeat the one before.
    least = max((1 - _NEARLY) * sum(found[0]), float(sum(found[0]) > _FEW))

    def repeats(one: Column) -> int:
        pairs = zip(pairwise(one.values), found[0], strict=True)
        return sum(a == b != [] for (a, b), same in pairs if same)

    differ = (one for one in chain(*alike.values()) if repeats(one) <= least)
    # Turns that say the same have ids of their own.
    same = [
        one.path
        for equal, several in alike.items()
        if _MOST * sum(found[0]) <= sum(map(min, equal, found[0])) == sum(equal)
        for one in several
        if share_of(one.values) >= _NEARLY and (equal == found[0] or not one.is_prose)
    ]
    return tuple(same), [one.path for one in differ if one.is_prose]


def _is_said(column: Column) -> bool:
    """Whether nearly all rows have a text in a column."""
    return column.is_prose and share_of(column.values) >= _NEARLY


def _said_in_first(rows: Sequence[Unit]) -> tuple[tuple[str, ...], list[str], list[str]]:
    """Return the fields that rows repeat below each that has a text, the paths of that, and the texts that differ."""
    made = [one for path, one in columns_of(rows).items() if "[]" not in path]
    for said in (one for one in made if one.is_prose and one.texts[:1] != [""]):
        below = [not text for text in said.texts[1:]]
        steps = ((one, zip(pairwise(one.values), below, strict=True)) for one in made)
        same = [one for one, held in steps if all(a == b for (a, b), more in held if more)]
        rows_of = [tuple(str(one.values[n]) for one in same) for n in range(len(rows))]
        many = sum(below) >= _HALF * (len(rows) - sum(below))
        if same and many and [a == b for a, b in pairwise(rows_of)] == below:
            others = [one.path for one in made if one.is_prose and one not in (said, *same)]
            return tuple(one.path for one in same), [said.path], others
    return (), [], []


def parts_of_turns(path: str, rows: Sequence[Unit], propose: _Propose) -> Iterator[Proposal]:
    """Yield what is proposed for rows that are put together by the id of a request, if no row says it alone."""
    made = columns_of(rows)
    prose = [one for one in made.values() if one.is_prose and one.is_single]
    tried = 0
    for name, ids in made.items():
        stated = ((held[0], n) for n, held in enumerate(ids.values) if held)
        groups = grouped((str(one), n) for one, n in stated if is_name(one))
        several = [places for places in groups.values() if len(places) > 1]
        if "[" in name or len(several) < _LEAST_GROUPS or not ids.all_fit(is_name, _SOME):
            continue
        # Rows that say most things anew are no parts of one turn.
        if tried == _MOST_TRIED or 2 * sum(_differ(one, several) for one in prose) > len(prose):
            continue
        tried += 1
        found = propose(path, [united([rows[n] for n in places]) for places in groups.values()])
        if not found.is_sure:
            continue
        fields = dict(found.fields)
        # The last of a growing list is no column of its own.
        paths = [one for part in ("response", "question") for one in fields.get(part, ())]
        said = (made[one] for one in paths if one in made)
        # Passages may stand in the prompt that holds the question.
        known_by = next((fields[part] for part in _KNOWING if part in fields), [])
        replies, known = ({*_rows_of(made, paths)} for paths in (fields["response"], known_by))
        # What one row says alone is no part of several, and who says several things in a group talks.
        if replies.isdisjoint(known) and not any(_differ(one, several) for one in said):
            fields.pop("conversation_id", None)
            yield found.with_keys(unit="part", group=[name], fields=fields)


def _rows_of(made: Mapping[str, Column], paths: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the rows that have a value at or below one of some paths."""
    for path, column in made.items():
        if path.startswith(tuple(paths)):
            yield from (place for place, held in enumerate(column.values) if held)


def _differ(column: Column, groups: Sequence[Sequence[int]]) -> bool:
    """Whether a text differs in the rows of a group, as messages of a conversation do."""
    found = [len({column.texts[place] for place in places} - {""}) > 1 for places in groups]
    return share_of(found) > 1 - _NEARLY
