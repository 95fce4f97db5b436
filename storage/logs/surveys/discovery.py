"""Discover how a log of an unknown program is to be read, by what its values are.

A reply shares rare words with its knowledge far more than with that of other rows, and less with its
question; knowledge is the longer, and often a list.
Names of fields only decide between what the values leave open.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from statistics import mean
from typing import Any

from qsquared.storage.logs.fields.objects import levels
from qsquared.storage.logs.surveys.calls import calls_in, talks_in
from qsquared.storage.logs.surveys.described import (
    NO_KNOWLEDGE,
    SURE,
    Proposal,
    beside,
    copies,
    holds,
    is_expected,
    is_known,
    is_picked,
    known_path,
    share_of,
    stated,
    whole_texts,
)
from qsquared.storage.logs.surveys.elsewhere import Held, apart, elsewhere, is_copy, of_quotations
from qsquared.storage.logs.surveys.repeats import joined_turns
from qsquared.storage.logs.surveys.talk import enumerated, messages_in
from qsquared.storage.logs.surveys.templates import cut_texts
from qsquared.storage.logs.surveys.values import (
    Column,
    Shared,
    Unit,
    columns,
    last_of_growing,
)
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")

_REPLY_LIKE = _V.pattern("reply_like")
_KNOWN_LIKE = _V.pattern("known_like")
_ASKED_LIKE = _V.pattern("asked_like")
_NUMBERED = re.compile(r"\.\d+\.")
"""The path of one of several objects that an object holds by their numbers."""
_LEAST_WORDS = 5
_APART = 0.3
_ASKED = 0.05
"""The confidence that a question beside its answer gives."""
_LEAST_OF_KIND = 4
_LEAST_LIFT = 0.1
"""The share of words beyond those of other units below which a text rests on nothing."""
_RESTS, _FEW_EQUAL = 0.25, 0.2
_HALF = 0.5
_Pair = tuple[float, Column, Column]


def discover(rows: Sequence[Unit]) -> tuple[list[Proposal], str]:
    """Return the proposals for the rows of a log that are sure enough, the best one first, and what it lacks."""
    found = levels(rows)
    long = {path: held for path, held in found.items() if len(held) >= len(rows)}
    made: list[Proposal] = []
    sure = list(joined_turns(rows, _records))
    for propose in (_of_all, _of_kinds) if not sure else ():
        made += [one for path, held in long.items() for one in cut_texts(path, held, propose)]
        sure = [p for p in made if p.confidence >= SURE and not of_quotations(p, rows, found)]
        sure.sort(key=lambda p: -p.confidence)
        if sure:
            break
    sure = [p for p in sure if not any(is_copy(p.rows, one.rows, found) for one in sure)]
    if sure and (told := apart(sure[0].rows, found)):
        return [], told
    lacks = [one.lacks for one in made if one.lacks and one.stated]
    if lacks and lacks[-1] == NO_KNOWLEDGE:
        return sure, elsewhere(found) or NO_KNOWLEDGE
    return sure, lacks[-1] if lacks else "No field of the rows holds texts that could be replies."


def _of_all(path: str, held: Held) -> Iterator[Proposal]:
    """Yield proposals for units of one kind: messages, records or calls."""
    units = [unit for _, unit in held]
    yield messages_in(path, held)
    yield _records(path, units)
    yield calls_in(path, units)


def _of_kinds(path: str, held: Held) -> Iterator[Proposal]:
    """Yield proposals for the records and calls among units of several kinds."""
    units = [unit for _, unit in held]
    made = columns(units)
    for _, values in enumerated(made.values(), len(units)):
        for value, count in Counter(values).items():
            part = [unit for unit, own in zip(units, values, strict=True) if own == value]
            tried = (_records, calls_in) if count >= _LEAST_OF_KIND else ()
            for found in (propose(path, part) for propose in tried):
                replies = [
                    made[name] for name in found.stated.get("fields", {}).get("response", ())
                ]
                # A text that units of other kinds have, too, is what several people say.
                if all(len(one.filled) <= count for one in replies):
                    yield found


def _records(path: str, units: Sequence[Unit]) -> Proposal:
    """Propose that each unit is a question with its answer and the knowledge of it."""
    made = columns(units)
    made |= {one.path: one for one in map(last_of_growing, [*made.values()]) if one}
    plain = [one for one in made.values() if not _NUMBERED.search(one.path)]
    prose = [one for one in plain if one.is_prose and len(one.filled) >= 0.7 * len(units)]
    asking = [one for one in prose if one.is_single and (one.asks >= 0.4 or one.is_typed)]
    replies = [
        one
        for one in prose
        if one.asks < 0.5
        and one.is_single
        and one.has_sentences
        and not (one.is_typed or is_expected(one))
        and not any(holds(one, ask) for ask in asking)
        and not any(is_picked(one, several) for several in made.values())
    ]
    talks = talks_in(units)
    within = tuple(f"{path}[]" for path in talks)
    known = [
        one
        for one in made.values()
        if len(one.filled) >= 0.4 * len(units) and not one.path.startswith(within)
    ]
    shared = Shared(text for one in prose for text in one.texts)
    found = [
        (_grounded(shared, reply, one), reply, one)
        for reply in replies
        for one in whole_texts(
            [
                one
                for one in known
                if one is not reply
                and is_known(one, reply.length)
                and not copies(one, reply)
                and not holds(reply, one)
            ],
            asking,
        )
        if not any(other not in (reply, one) and holds(other, reply) for other in replies)
    ]
    found = _said_once(shared, found)
    if not found:
        return Proposal(
            {"engine": "records"} if replies else {}, 0.0, _missing(replies, made.values())
        )
    confidence, reply, best = max(found, key=lambda one: one[0])
    fields = {"response": [reply.path], "knowledge": [known_path(units, best)]}
    named = [one for one in prose if _ASKED_LIKE.search(one.path)]
    asked = [
        one
        for one in prose
        if one not in (reply, best)
        and one.is_single
        and not one.is_constant
        and (one in asking or one in named)
    ]
    if asked:
        confidence += _ASKED
        fields["question"] = [
            max(
                asked, key=lambda one: one.asks + 0.2 * (one in named) - 0.3 * holds(one, best)
            ).path
        ]
    elif talks:
        fields["messages"] = talks[:1]
    fields |= beside(units, made.values())
    # Without other rows to compare with, shared words say less.
    sure = confidence if len(units) > 1 else 0.6 * confidence
    return Proposal(stated("records", path, fields), sure)


def _said_once(shared: Shared, found: Sequence[_Pair]) -> list[_Pair]:
    """Return pairs of replies and knowledge without texts in lists, if one that is said once rests on a third.

    What an agent thinks on the way to its reply stands in a list.
    """
    said = [p for p in found if "[" not in p[1].path and p[1].ends >= _HALF]
    rest = [known for _, one, known in said if shared.beyond(one.texts, known.texts) >= _RESTS]
    return [p for p in found if "[" not in p[1].path or all(one is p[1] for one in rest)]


def _grounded(shared: Shared, reply: Column, known: Column) -> float:
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
    return (
        0.0
        if equal > _FEW_EQUAL or (differ and same - apart < _LEAST_LIFT) or _of_two(pairs)
        # What stands in its knowledge word for word is rather an excerpt of it.
        else max(0.0, same - apart - 0.6 * holds(known, reply))
        + 0.15 * (same > back)
        + 0.15 * listed
        + 0.1 * longer
        + 0.15 * repeats
        + named
    )


def _of_two(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether two people speak in a column: many of its texts have no knowledge, and ask more than the others."""
    asks: dict[bool, list[bool]] = {True: [], False: []}
    for text, known in pairs:
        asks[bool(known)] += [text.rstrip().endswith("?")] if text else []
    many = len(asks[False]) >= max(3, 0.4 * len(pairs))
    return many and share_of(asks[False]) - share_of(asks[True]) >= _APART


def _missing(replies: Sequence[Column], others: Any) -> str:
    if not replies:
        return "No field of the rows holds texts that could be replies."
    titles = [
        one.path
        for one in others
        if one not in replies
        and 0 < one.length < _LEAST_WORDS
        and "[]" in one.path
        and one.share(str.istitle) > 0.3
    ]
    if titles:
        return f"No field holds the texts of the articles, only titles ({titles[0]})."
    return NO_KNOWLEDGE
