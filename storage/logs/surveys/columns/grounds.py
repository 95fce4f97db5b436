"""Confidence that a column of an unknown log is the replies that rest on another column, by the words they share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from statistics import mean

from qsquared.storage.logs.surveys.columns.described import (
    copies,
    holds,
    is_known,
    whole_texts,
)
from qsquared.storage.logs.surveys.columns.values import Column, Shared, share_of
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")

_REPLY_LIKE = _V["reply_like"]
_MADE_LIKE = _V["made_like"]
_KNOWN_LIKE = _V["known_like"]
_ASKED_LIKE = _V["asked_like"]
_APART, _HALF = 0.3, 0.5
_LEAST_LIFT = 0.1
"""The share of words beyond those of other units below which a text rests on nothing."""
_RESTS, _FEW_EQUAL = 0.25, 0.2
_Pair = tuple[float, Column, Column]


def listed_beside(
    shared: Shared, reply: Column, best: Column, made: Iterable[Column]
) -> list[Column]:
    """Return the texts of other lists in the object that holds the list of knowledge, such as of another search."""
    listed = best.path.rpartition("[]")[0]
    outer = listed.rpartition(".")[0]
    others = [
        one
        for one in made
        if outer
        and one.path.startswith(f"{outer}.")
        and not one.path.startswith(listed)
        and "[]" in one.path[len(outer) :]
        and is_known(one, reply.length)
    ]
    found = [one for one in others if shared.lift(reply.texts, one.texts)[0] >= _LEAST_LIFT]
    return [
        one
        for one in whole_texts(found, [])
        if not (copies(one, best) or holds(best, one) or copies(one, reply))
    ]


def said_once(shared: Shared, found: Sequence[_Pair]) -> list[_Pair]:
    """Return pairs of replies and knowledge without texts in lists, if one that is said once rests on a third.

    What an agent thinks on the way to its reply stands in a list.
    """
    said = [p for p in found if "[" not in p[1].path and p[1].ends >= _HALF]
    rest = [known for _, one, known in said if shared.beyond(one.texts, known.texts) >= _RESTS]
    return [p for p in found if "[" not in p[1].path or all(one is p[1] for one in rest)]


def without_answers_of_people(found: Sequence[_Pair], least: float) -> list[_Pair]:
    """Return pairs of replies and knowledge without an ``answer`` of a data set, if an output rests on the same.

    Args:
        found: the pairs with their confidence.
        least: the confidence that the pair of the output must have.
    """
    made = [p for p in found if p[0] >= least and _MADE_LIKE.search(_last(p[1]))]
    outputs = {id(known) for _, _, known in made}
    return [p for p in found if not (id(p[2]) in outputs and _last(p[1]) == "answer")]


def _last(column: Column) -> str:
    return column.path.rpartition(".")[2].lower()


def grounded(shared: Shared, reply: Column, known: Column) -> float:
    """Return how surely a column is the replies to whose knowledge another belongs."""
    same, apart = shared.lift(reply.texts, known.texts)
    back, _ = shared.lift(known.texts, reply.texts)
    listed = "[]" in known.path or any(len(one) > 1 for one in known.values)
    repeats = len(set(known.filled)) < len(set(reply.filled))
    longer = mean(map(len, known.filled)) > mean(map(len, reply.filled))
    # What surrounds both tells nothing of either.
    own, others = reply.path.split("."), known.path.split(".")
    around = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own, others, strict=False))
    )
    replies, knows = ".".join(own[around:]), ".".join(others[around:])
    signs = (
        (0.1, _REPLY_LIKE, replies), (-0.15, _ASKED_LIKE, replies), (-0.1, _KNOWN_LIKE, replies),
        (0.1, _KNOWN_LIKE, knows), (-0.1, _REPLY_LIKE, knows),
    )  # fmt: skip
    named = sum(weight for weight, like, name in signs if like.search(name))
    pairs = list(zip(reply.texts, known.texts, strict=True))
    equal = share_of([a == b for a, b in pairs if a])
    # Where all units have the same knowledge, there is nothing to compare with.
    differ = len(set(known.filled)) > 1
    if equal > _FEW_EQUAL or (differ and same - apart < _LEAST_LIFT) or _of_two(pairs):
        return 0.0
    sure = (
        # What stands in its knowledge word for word is rather an excerpt of it.
        max(0.0, same - apart - 0.6 * holds(known, reply))
        + 0.15 * (same > back)
        + 0.15 * listed
        + 0.1 * longer
        + 0.15 * repeats
        + named
    )
    # Without other replies to compare with, shared words say less.
    return sure if sum(bool(a and b) for a, b in pairs) > 1 else 0.6 * sure


def _of_two(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether two people speak in a column: many of its texts have no knowledge, and ask more than the others."""
    asks: dict[bool, list[bool]] = {True: [], False: []}
    for text, known in pairs:
        asks[bool(known)] += [text.rstrip().endswith("?")] if text else []
    many = len(asks[False]) >= max(3, 0.4 * len(pairs))
    return many and share_of(asks[False]) - share_of(asks[True]) >= _APART
