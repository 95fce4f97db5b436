"""Lists of an unknown log that refer to each other by ids, such as replies and the passages of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations

from qsquared.storage.logs.fields.objects import levels
from qsquared.storage.logs.fields.related import Relation, nested
from qsquared.storage.logs.surveys.columns.described import ID_LIKE, Proposal, is_name
from qsquared.storage.logs.surveys.columns.values import Column, Held, Unit, columns

_MOST_TRIED = 8
_SPOKEN = {"response", "content", "role"}
_LEAST_NAMED = 2
"""The different ids by which two lists must refer to each other."""
_MOST = 0.6
"""The share of the references that lead to an object."""


def related(
    rows: Sequence[Unit],
    found: Mapping[str, Held],
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
    tried = [(one, [nested(row, [one]) for row in rows]) for one in _relations(found)[:_MOST_TRIED]]
    for relation, made in tried:
        if proposals := [one for one in propose(made) if _reads(one, relation)]:
            return [_after(relation, one) for one in proposals]
    for relation, made in tried if depth > 1 else ():
        if proposals := related(made, levels(made), propose, depth - 1):
            return [_after(relation, one) for one in proposals]
    return []


def _after(relation: Relation, proposal: Proposal) -> Proposal:
    """Return a proposal for rows in which a relation was followed before its own."""
    return proposal.but(related=[relation.model_dump(), *proposal.stated.get("related", [])])


def _reads(proposal: Proposal, relation: Relation) -> bool:
    """Whether a proposal reads replies of a list, and the texts of another that belong to these."""
    inner = {
        part
        for part, paths in proposal.fields.items()
        if any(path.partition("[]")[0] == relation.name for path in paths)
    }
    into = proposal.rows.removesuffix("[]") == relation.into
    return into and bool(inner) and inner.isdisjoint(_SPOKEN)


def _relations(found: Mapping[str, Held]) -> list[Relation]:
    """Return how lists of the rows refer to each other, the more certain ones first."""
    lists = {
        path.removesuffix("[]"): columns([unit for _, unit in held])
        for path, held in found.items()
        if path.count("[]") == 1 and path.endswith("[]") and "*" not in path
    }
    made = [
        (_certainty(key, own), Relation(rows=rows, key=key.path, into=into, id=own.path))
        for (rows, theirs), (into, ours) in permutations(lists.items(), 2)
        for key in _names(theirs)
        for own in _names(ours, listed=True)
        if Relation(rows=rows, key="", into=into, id="").name not in ours
    ]
    made.sort(key=lambda one: -one[0])
    return [relation for certainty, relation in made if certainty > 0]


def _names(made: Mapping[str, Column], *, listed: bool = False) -> list[Column]:
    """Return the columns of ids or names, also those of lists of ids if they may be listed."""
    return [
        one
        for path, one in made.items()
        if (listed or "[]" not in path)
        and any(one.values)
        and all(is_name(value) for held in one.values for value in held)
    ]


def _certainty(key: Column, own: Column) -> float:
    """Return how surely the values of a field are the ids that objects of another list have; 0 if they are not."""
    references, ids = (
        [str(value).strip() for held in column.values for value in held] for column in (key, own)
    )
    named_by = set(ids)
    met = [one for one in references if one in named_by]
    unique = len(named_by) == len(ids) or len(set(references)) == len(references)
    alike = key.path.lower() == own.path.lower()
    named = ID_LIKE.search(key.path) and ID_LIKE.search(own.path)
    # Small numbers count many things.
    telling = alike or named or not all(map(str.isdecimal, met))
    if len(set(met)) < _LEAST_NAMED or not (unique and telling):
        return 0.0
    share = len(met) / len(references)
    return share + 0.5 * alike if share >= _MOST else 0.0
