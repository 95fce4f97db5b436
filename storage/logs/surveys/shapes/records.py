"""Records of an unknown log: each unit is a question with its answer and the knowledge of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean

from qsquared.storage.logs.format_engines.units import OUTER
from qsquared.storage.logs.surveys.columns.described import (
    NO_KNOWLEDGE,
    SURE,
    Proposal,
    description,
    ids_and_times,
    may_be_replies,
    question_of,
    why_no_records,
)
from qsquared.storage.logs.surveys.columns.knowledge import (
    COUNTS,
    counted_alike,
    given_beside,
    hold_passages,
    is_reranked,
    known_path,
    may_be_known,
    part_of_prompts,
    whole_texts,
)
from qsquared.storage.logs.surveys.columns.texts import SharedWords, share_of
from qsquared.storage.logs.surveys.columns.threads import last_of_growing
from qsquared.storage.logs.surveys.columns.values import Column, Unit, columns_of
from qsquared.storage.logs.surveys.shapes.calls import talks_in
from qsquared.storage.logs.surveys.shapes.speakers import (
    in_one,
    is_spoken,
    is_users,
    speak_two,
    within,
)
from qsquared.storage.logs.surveys.shapes.templates import separating
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")

_REPLY_LIKE = _V["reply_like"]
_OF_PEOPLE = re.compile(r"answers?|target(?:_(?:output|answer|response|text))?")
_KNOWN_LIKE = _V["known_like"]
_ASKED_LIKE = _V["asked_like"]
_NUMBERED = re.compile(r"\.[^\W\d]{0,8}[-_]?\d+\.")
"""The path of one of several objects that an object holds by their numbers (``sources.b1.text``)."""
_SHOWN, _ASKED = 3, 0.05
"""The confidence that a question beside its answer gives."""
_HALF, _NEARLY = 0.5, 0.9
_MARKED = 0.1
"""The confidence that marks of passages give in prompts."""
_LEAST_GIVEN = 0.6
"""The share of the units that have a reply: a request may fail."""
_LEAST_LIFT = 0.1
"""The share of words beyond those of other units below which a text rests on nothing."""
_RESTS, _FEW_EQUAL = 0.25, 0.2
_Pair = tuple[float, Column, Column]
"""A column of replies and one of knowledge, after the confidence that they are these."""


@dataclass(frozen=True, slots=True)
class _Records:
    """Units that may be records: their columns, those that may hold knowledge, texts, questions, messages."""

    path: str
    units: Sequence[Unit]
    made: Mapping[str, Column]
    held: Mapping[str, Column]
    prose: Sequence[Column]
    asking: Sequence[Column]
    talks: Sequence[str]


def records_in(path: str, units: Sequence[Unit], *, around: bool = False) -> Proposal:
    """Propose that each unit is a question with its answer and the knowledge of it, also in what is around it."""
    made = columns_of(units)
    outer = {name: made.pop(name) for name in [*made] if name.startswith(f"{OUTER}.")}
    made |= {one.path: one for one in map(last_of_growing, [*made.values()]) if one}
    streamed = [path for path, one in made.items() if "[]" in path and one.is_streamed]
    made |= {path: in_one(made[path], "") for path in streamed}
    plain = [one for one in made.values() if not _NUMBERED.search(one.path)]
    prose = [one for one in plain if one.is_prose and one.share_filled >= _LEAST_GIVEN]
    asking = [one for one in prose if one.is_single and (one.share_asking >= 0.4 or one.is_typed)]
    talks = talks_in(units)
    held = outer if around else made
    # A conversation holds its reply, too.
    both = {**made, **outer}
    spoken = [p for p, one in both.items() if p.partition("[]")[0] in talks or is_spoken(one, made)]
    listed = [one for path, one in made.items() if path not in spoken]
    known = may_be_known([one for path, one in held.items() if path not in spoken])
    replies = may_be_replies(prose, asking, listed, made, several=len(units) > 1)
    shared = SharedWords(text for one in prose for text in one.texts)
    users = [one for one in replies if is_users(one, made)]
    # Where a question has no other answer, a summary of what was found is one.
    summaries = [one for one in prose if asking and one.name.lower() in _V.set("summaries")]
    summaries = [one for one in summaries if one.is_single]
    resting = partial(_resting, shared, users=users, known=known, asking=asking)
    found = resting(replies) or resting(summaries) or resting(replies, expected=True)
    best = max(found, key=lambda one: one[0], default=None)
    if best is None or not best[0]:
        return Proposal({"engine": "records"}, lacks=why_no_records(made, replies, shared))
    if others := counted_alike(best[1].path, [one.path for one in replies], COUNTS):
        paths = ", ".join([best[1].path, *others][:_SHOWN])
        told = f"A row holds several replies ({paths}); write a row for each."
        return Proposal({"engine": "records"}, lacks=told)
    records = _Records(path, units, made, held, prose, asking, talks)
    return _described(records, best, shared, {"glue": ""} if best[1].path in streamed else {})


def _described(
    records: _Records, found: _Pair, shared: SharedWords, glue: Mapping[str, str]
) -> Proposal:
    """Return the description of records by their replies and knowledge, with the question and what is beside these."""
    confidence, reply, best = found
    made, held = records.made, records.held
    # Fields that are numbered alike, some of them empty, are one list.
    alike = {best.path, *counted_alike(best.path, held), *counted_alike(best.path, held, COUNTS)}
    numbered = [one for path, one in held.items() if path in alike and one.filled]
    # Where nothing was reranked, what was found is given.
    ranked = [one for one in held.values() if is_reranked(best, one)]
    places = [known_path(records.units, one) for one in (numbered[0], *ranked)]
    fields = {"response": [reply.path], "knowledge": places}
    question = question_of(records.prose, records.asking, reply, best)
    asked = {"question": [question.path]} if question else {}
    if question is None and not records.talks and reply.is_excerpt_of(best):
        return Proposal(lacks=NO_KNOWLEDGE)
    confidence += _ASKED if question else 0.0
    if (part := part_of_prompts(best, question)) is not None:
        # Passages stand in a prompt, and are told apart as it is read, from a question in it, too.
        fields = {"response": [reply.path], **asked, part: [best.path], **ids_and_times(made)}
        return Proposal(description("records", records.path, fields), confidence + _MARKED)
    spoken = {"messages": [*records.talks[:1]]} if records.talks and not question else {}
    fields |= {**asked, **spoken, **ids_and_times(made)}
    listed = [*numbered[1:], *_listed_beside(shared, reply, best, made)]
    lists = (known_path(records.units, one) for one in listed)
    if more := dict.fromkeys((*lists, *given_beside(best, reply, made))):
        fields["more"] = list(more)
    described = description("records", records.path, fields, separator=separating(best.filled))
    return Proposal({**glue, **described}, confidence)


def _resting(
    shared: SharedWords,
    replies: Sequence[Column],
    *,
    users: Sequence[Column],
    known: Sequence[Column],
    asking: Sequence[Column],
    expected: bool = False,
) -> list[_Pair]:
    """Return the pairs of a column of replies and one of knowledge, each with the confidence that they are these."""
    found = []
    # An instruction tells nothing of knowledge, unless a program wrote passages into it.
    prompts = [one for one in known if one.is_expected and one.is_prose]
    prompts = [one for one in prompts if hold_passages(one, user=False)]
    for reply in (one for one in replies if one not in users):
        length = reply.mean_words
        others = [o for o in known if o.may_be_knowledge(length, expected=expected) or o in prompts]
        others = [one for one in others if one is not reply and not one.is_made_of(reply)]
        others = [one for one in others if not _is_part_of(reply.path, one.path)]
        others = [one for one in others if not reply.is_last_of(one)]
        # Whose question stands beside each text says nothing else.
        asked = any(one is not reply and one.share_filled >= _NEARLY for one in asking)
        found += [
            (_grounded(shared, reply, one, asked=asked), reply, one)
            for one in whole_texts(others, asking)
            if _is_draft(reply)
            or not any(other not in (reply, one) and other.holds(reply) for other in replies)
        ]
    return _without_answers_of_people(_said_once(shared, found))


def _is_part_of(path: str, other: str) -> bool:
    """Whether a text stands in a list of the object that holds another, as what a reply cites does."""
    outer = other.rpartition(".")[0]
    return bool(outer) and path.startswith(f"{outer}.") and "[]" in path[len(outer) :]


def _listed_beside(
    shared: SharedWords, reply: Column, best: Column, made: Mapping[str, Column]
) -> list[Column]:
    """Return the texts of other lists in the object that holds the list of knowledge, such as of another search."""
    listed = best.path.rpartition("[]")[0]
    outer = listed.rpartition(".")[0]
    found = [one for one in within(outer, made) if "[]" in one.path[len(outer) :]]
    found = [one for one in found if one.may_be_knowledge(reply.mean_words)]
    found = [one for one in found if not (one.path.startswith(listed) or is_spoken(one, made))]
    found = [
        one for one in found if shared.same_and_apart(reply.texts, one.texts)[0] >= _LEAST_LIFT
    ]
    # What a reply itself says is cited in it, and is nothing that it rests on.
    whole = whole_texts([one for one in found if not one.is_made_of(reply)], [])
    whole = [one for one in whole if not one.copies(best) and not best.holds(one)]
    return [one for one in whole if not is_reranked(best, one)]


def _said_once(shared: SharedWords, found: Sequence[_Pair]) -> list[_Pair]:
    """Return pairs of replies and knowledge without texts in lists, if one that is said once rests on a third.

    What an agent thinks on the way to its reply stands in a list.
    """
    said = [p for p in found if "[" not in p[1].path and p[1].share_ending >= _HALF]
    rest = [known for _, one, known in said if shared.lift(one.texts, known.texts) >= _RESTS]
    return [p for p in found if "[" not in p[1].path or all(one is p[1] for one in rest)]


def _without_answers_of_people(found: Sequence[_Pair]) -> list[_Pair]:
    """Return pairs of replies and knowledge without a data set's answers, if an output surely rests on the same."""
    sure = [p for p in found if p[0] >= SURE]
    # What a person sent stands beside the draft that a model made for it.
    if drafts := [p for p in sure if _is_draft(p[1])]:
        return drafts
    people = [p for p in found if _OF_PEOPLE.fullmatch(p[1].name.lower())]
    made = [p for p in sure if p not in people and _V["made_like"].search(p[1].name.lower())]
    outputs = {id(one) for _, *both in made for one in both}
    return [p for p in found if not (id(p[2]) in outputs and p in people)]


def _is_draft(column: Column) -> bool:
    return _V["drafted"].search(column.name.lower()) is not None


def _grounded(shared: SharedWords, reply: Column, known: Column, *, asked: bool) -> float:
    """Return how surely a column is the replies to whose knowledge another belongs.

    If what was ``asked`` does not stand beside them, two people may speak in the column.
    """
    same, apart = shared.same_and_apart(reply.texts, known.texts)
    back, _ = shared.same_and_apart(known.texts, reply.texts)
    listed = "[]" in known.path or any(len(one) > 1 for one in known.values)
    repeats = len(set(known.filled)) < len(set(reply.filled))
    longer = mean(map(len, known.filled)) > mean(map(len, reply.filled))
    # What surrounds both tells nothing of either.
    own, others = reply.path.split("."), known.path.split(".")
    while own and others and own[0] == others[0]:
        del own[0], others[0]
    replies, knows = ".".join(own), ".".join(others)
    signs = (
        (0.1, _REPLY_LIKE, replies), (-0.15, _ASKED_LIKE, replies), (-0.1, _KNOWN_LIKE, replies),
        (0.1, _KNOWN_LIKE, knows), (-0.1, _REPLY_LIKE, knows),
    )  # fmt: skip
    named = sum(weight for weight, like, name in signs if like.search(name))
    pairs = list(zip(reply.texts, known.texts, strict=True))
    equal = share_of([a == b for a, b in pairs if a])
    # Where all units have the same knowledge, there is nothing to compare with.
    differ = len(set(known.filled)) > 1
    two = not asked and speak_two(pairs)
    if equal > _FEW_EQUAL or (differ and same - apart < _LEAST_LIFT) or two:
        return 0.0
    sure = (
        # What stands in its knowledge word for word is rather an excerpt of it.
        max(0.0, same - apart - 0.6 * known.holds(reply))
        + 0.15 * (same > back)
        + 0.15 * listed
        + 0.1 * longer
        + 0.15 * repeats
        + named
    )
    # Without other replies to compare with, shared words say less.
    return sure if sum(bool(a and b) for a, b in pairs) > 1 else 0.6 * sure
