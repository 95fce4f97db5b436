"""Records of an unknown log: each unit is a question with its answer and the knowledge of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from qsquared.storage.logs.engines.units import OUTER
from qsquared.storage.logs.messages.messages import role_named
from qsquared.storage.logs.surveys.columns.described import (
    NO_KNOWLEDGE,
    SURE,
    Proposal,
    all_fit,
    beside,
    copies,
    counted_alike,
    holds,
    is_excerpt,
    is_known,
    is_picked,
    is_summary,
    known_path,
    stated,
    whole_texts,
)
from qsquared.storage.logs.surveys.columns.grounds import (
    grounded,
    listed_beside,
    said_once,
    without_answers_of_people,
)
from qsquared.storage.logs.surveys.columns.values import (
    Column,
    Shared,
    Unit,
    columns,
    last_of_growing,
)
from qsquared.storage.logs.surveys.shapes.calls import talks_in
from qsquared.storage.logs.surveys.shapes.templates import separating
from qsquared.storage.logs.vocabulary import vocabulary

_ASKED_LIKE = vocabulary("survey")["asked_like"]
_NUMBERED = re.compile(r"\.\d+\.")
"""The path of one of several objects that an object holds by their numbers."""
_COUNTS = r"(?<![.\d])\d+|(?<![^\W_])[a-dA-D](?![^\W_])"
"""The numbers or letters by which several of a kind are told apart."""
_SHOWN = 3
_ASKED = 0.05
"""The confidence that a question beside its answer gives."""
_NEARLY = 0.9


def records_in(path: str, units: Sequence[Unit], *, around: bool = False) -> Proposal:
    """Propose that each unit is a question with its answer and the knowledge of it, also in what is around it."""
    made = columns(units)
    outer = {name: made.pop(name) for name in [*made] if name.startswith(f"{OUTER}.")}
    made |= {one.path: one for one in map(last_of_growing, [*made.values()]) if one}
    plain = [one for one in made.values() if not _NUMBERED.search(one.path)]
    prose = [one for one in plain if one.is_prose and one.given >= 0.7]
    asking = [one for one in prose if one.is_single and (one.asks >= 0.4 or one.is_typed)]
    replies = [
        one
        for one in prose
        if one.is_said
        and one.asks < 0.5
        and one.has_sentences
        and not one.is_typed
        and not any(holds(one, ask) for ask in asking)
        and not any(is_picked(one, several) for several in made.values())
    ]
    talks = talks_in(units)
    held = outer if around else made
    known = [
        one
        for one in held.values()
        if one.given >= 0.4 and one.path.partition("[]")[0] not in talks
    ]
    shared = Shared(text for one in prose for text in one.texts)
    users = [one for one in replies if _is_users(one, made)]
    # Where a question has no other answer, a summary of what was found is one.
    summaries = [one for one in prose if asking and is_summary(one)]
    found = (
        _resting(shared, replies, users, known, asking)
        or _resting(shared, summaries, users, known, asking)
        or _resting(shared, replies, users, known, asking, expected=True)
    )
    if not found:
        return Proposal({"engine": "records"} if replies else {}, lacks=NO_KNOWLEDGE)
    confidence, reply, best = max(found, key=lambda one: one[0])
    if others := counted_alike(reply.path, [one.path for one in replies], _COUNTS):
        paths = ", ".join([reply.path, *others][:_SHOWN])
        told = f"A row holds several replies ({paths}); write a row for each."
        return Proposal({"engine": "records"}, lacks=told)
    # Fields that are numbered alike, some of them empty, are one list.
    alike = {best.path, *counted_alike(best.path, held)}
    numbered = [one for path, one in held.items() if path in alike]
    fields = {"response": [reply.path], "knowledge": [known_path(units, numbered[0])]}
    named = [one for one in prose if _ASKED_LIKE.search(one.path)]
    asked = [
        one
        for one in prose
        if one not in (reply, best)
        and one.is_single
        and not one.is_constant
        and (one in asking or one in named)
    ]
    if not (asked or talks) and is_excerpt(reply, best):
        return Proposal(lacks=NO_KNOWLEDGE)
    if asked:
        confidence += _ASKED
        # What a program makes of a question is often left out where there was nothing to look up.
        least = _NEARLY * max(len(one.filled) for one in asked)
        question = max(
            (one for one in asked if len(one.filled) >= least),
            key=lambda one: one.asks + 0.2 * (one in named) - 0.3 * holds(one, best),
        )
        fields["question"] = [question.path]
    elif talks:
        fields["messages"] = talks[:1]
    fields |= beside(units, made.values())
    if more := [*numbered[1:], *listed_beside(shared, reply, best, made.values())]:
        fields["more"] = [known_path(units, one) for one in more]
    rule = separating(best.filled)
    return Proposal(stated("records", path, fields, separator=rule), confidence)


def _is_users(column: Column, made: Mapping[str, Column]) -> bool:
    """Whether the object that holds a text says that a user wrote it."""
    outer, _, _ = column.path.rpartition(".")
    beside = (one for path, one in made.items() if outer and path.startswith(f"{outer}."))
    return any(all_fit(one, lambda name: role_named(str(name)) == "user") for one in beside)


def _resting(
    shared: Shared,
    replies: Sequence[Column],
    users: Sequence[Column],
    known: Sequence[Column],
    asking: Sequence[Column],
    *,
    expected: bool = False,
) -> list[tuple[float, Column, Column]]:
    """Return the pairs of a column of replies and one of knowledge, each with the confidence that they are these."""
    found = []
    for reply in (one for one in replies if one not in users):
        others = [
            one
            for one in known
            if one is not reply
            and is_known(one, reply.length, expected=expected)
            and not copies(one, reply)
            and not holds(reply, one)
        ]
        found += [
            (grounded(shared, reply, one), reply, one)
            for one in whole_texts(others, asking)
            if not any(other not in (reply, one) and holds(other, reply) for other in replies)
        ]
    return without_answers_of_people(said_once(shared, found), SURE)
