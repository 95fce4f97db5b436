"""Records among the units of an unknown log: each is a question with its answer and the knowledge of it.

Each column that may be the replies is tried with each that may be their knowledge: replies share more words with the
knowledge of their own unit than with that of others. The surest pair makes the proposal.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from statistics import mean
from typing import NamedTuple

from qsquared.storage.logs.format_engines.units import OUTER
from qsquared.storage.logs.surveys.columns.described import (
    NO_KNOWLEDGE,
    SURE,
    Proposal,
    description,
    ids_and_times,
    last_of_growing,
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
from qsquared.storage.logs.surveys.columns.values import Column, Unit, columns_of, in_one, within
from qsquared.storage.logs.surveys.shapes.calls import talks_in
from qsquared.storage.logs.surveys.shapes.speakers import is_spoken, is_users, speak_two
from qsquared.storage.logs.surveys.shapes.templates import separating
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")
_REPLY_LIKE, _KNOWN_LIKE, _ASKED_LIKE = _V["reply_like"], _V["known_like"], _V["asked_like"]
_OF_PEOPLE = re.compile(r"answers?|target(?:_(?:output|answer|response|text))?")
"""The names of columns in which a data set has the answers of people."""
_NUMBERED = re.compile(r"\.[^\W\d]{0,8}[-_]?\d+\.")
"""The path of one of several objects that an object holds by their numbers (``sources.b1.text``)."""
_LEAST_LIFT = 0.1
"""The share of words beyond those of other units below which a text rests on nothing."""


class _Pair(NamedTuple):
    """A column of replies and one of their knowledge, with the confidence that they are these."""

    confidence: float
    reply: Column
    knowledge: Column


@dataclass(frozen=True, slots=True)
class _Records:
    """Units that may be records: their columns, those of them that play a part, and the words that they share.

    These are texts (``prose``), those that users may have written, lists of messages, and columns that may hold
    knowledge; of these ``known`` are texts of knowledge and no messages.
    """

    path: str
    units: Sequence[Unit]
    columns: Mapping[str, Column]
    prose: Sequence[Column]
    asking: Sequence[Column]
    talks: Sequence[str]
    knowing: Mapping[str, Column]
    known: Sequence[Column]
    shared: SharedWords


def records_in(path: str, units: Sequence[Unit], *, around: bool = False) -> Proposal:
    """Propose that each unit is a question with its answer and the knowledge of it, also in what is around it.

    The proposal says what lacks if no column is surely the replies.
    """
    columns = columns_of(units)
    outer = {name: columns.pop(name) for name in [*columns] if name.startswith(f"{OUTER}.")}
    columns |= {one.path: one for one in map(last_of_growing, [*columns.values()]) if one}
    streamed = [path for path, one in columns.items() if "[]" in path and one.is_streamed]
    columns |= {path: in_one(columns[path], "") for path in streamed}
    plain = [one for one in columns.values() if not _NUMBERED.search(one.path)]
    # A request may fail, and have no reply.
    prose = [one for one in plain if one.is_prose and one.share_filled >= 0.6]
    single = [one for one in prose if one.is_single]
    asking = [one for one in single if one.share_asking >= 0.4 or one.is_typed]
    talks = talks_in(units)
    # A conversation holds its reply, too.
    both = [*columns.values(), *outer.values()]
    in_talks = [one.path for one in both if one.path.partition("[]")[0] in talks]
    in_talks += [one.path for one in both if is_spoken(one, columns)]
    knowing = outer if around else columns
    known = may_be_known([one for one in knowing.values() if one.path not in in_talks])
    shared = SharedWords(text for one in prose for text in one.texts)
    records = _Records(path, units, columns, prose, asking, talks, knowing, known, shared)
    listed = [one for one in columns.values() if one.path not in in_talks]
    replies = may_be_replies(prose, asking, listed, columns, several=len(units) > 1)
    best = max(_pairs(records, replies), key=lambda pair: pair.confidence, default=None)
    if best is None or not best.confidence:
        lacks = why_no_records(columns, replies, shared)
    elif others := counted_alike(best.reply.path, [one.path for one in replies], COUNTS):
        paths = ", ".join([best.reply.path, *others][:3])
        lacks = f"A row holds several replies ({paths}); write a row for each."
    else:
        return _described(records, best, {"glue": ""} if best.reply.path in streamed else {})
    return Proposal({"engine": "records"}, lacks=lacks)


def _pairs(records: _Records, replies: Sequence[Column]) -> list[_Pair]:
    """Return the pairs of replies and knowledge, else those of summaries, else those of expected passages.

    Where a question has no other answer, a summary of what was found is one. Passages that a person expected are
    read where there are no others.
    """
    users = [one for one in replies if is_users(one, records.columns)]
    named = [one for one in records.prose if one.name.lower() in _V.set("summaries")]
    summaries = [one for one in named if records.asking and one.is_single]
    return (
        _resting(records, replies, users)
        or _resting(records, summaries, users)
        or _resting(records, replies, users, expected=True)
    )


def _resting(
    records: _Records, replies: Sequence[Column], users: Sequence[Column], *, expected: bool = False
) -> list[_Pair]:
    """Return the pairs of a column of replies, which no user wrote, and one of known texts on which they may rest."""
    pairs: list[_Pair] = []
    # An instruction tells nothing of knowledge, unless a program wrote passages into it.
    prompts = [one for one in records.known if one.is_expected and one.is_prose]
    prompts = [one for one in prompts if hold_passages(one, user=False)]
    for reply in (one for one in replies if one not in users):
        length, others = reply.mean_words, [one for one in records.known if one is not reply]
        texts = [one for one in others if one.may_be_knowledge(length, expected=expected)]
        texts = [one for one in others if one in texts or one in prompts]
        texts = [one for one in texts if not (one.is_made_of(reply) or reply.is_last_of(one))]
        texts = [one for one in texts if not _is_part_of(reply.path, one.path)]
        # Whose question stands beside each text says nothing else.
        asked = any(one is not reply and one.share_filled >= 0.9 for one in records.asking)
        pairs += [
            _Pair(_confidence(records.shared, reply, text, asked=asked), reply, text)
            for text in whole_texts(texts, records.asking)
            if not _is_held(reply, [other for other in replies if other != text])
        ]
    return _without_answers_of_people(_said_once(records.shared, pairs))


def _is_held(reply: Column, others: Sequence[Column]) -> bool:
    """Whether another column that may be the replies holds a reply, which is no draft, and so is the whole of it."""
    return not _is_draft(reply) and any(one != reply and one.holds(reply) for one in others)


def _is_part_of(path: str, other: str) -> bool:
    """Whether a text stands in a list of the object that holds another, as what a reply cites does."""
    outer = other.rpartition(".")[0]
    return bool(outer) and path.startswith(f"{outer}.") and "[]" in path[len(outer) :]


def _confidence(shared: SharedWords, reply: Column, knowledge: Column, *, asked: bool) -> float:
    """Return how surely a column is the replies to whose knowledge another belongs; 0 if it cannot be.

    If what was ``asked`` does not stand beside them, two people may speak in the column.
    """
    same, apart = shared.same_and_apart(reply.texts, knowledge.texts)
    pairs = list(zip(reply.texts, knowledge.texts, strict=True))
    equal = share_of([text == passage for text, passage in pairs if text])
    # Where all units have the same knowledge, there is nothing to compare with.
    differ = len(set(knowledge.filled)) > 1
    two = not asked and speak_two(pairs)
    if equal > 0.2 or (differ and same - apart < _LEAST_LIFT) or two:
        return 0.0
    back, _ = shared.same_and_apart(knowledge.texts, reply.texts)
    listed = "[]" in knowledge.path or not knowledge.is_single
    longer = mean(map(len, knowledge.filled)) > mean(map(len, reply.filled))
    repeats = len(set(knowledge.filled)) < len(set(reply.filled))
    confidence = (
        # What stands in its knowledge word for word is rather an excerpt of it.
        max(0.0, same - apart - 0.6 * knowledge.holds(reply))
        + 0.15 * (same > back)
        + 0.15 * listed
        + 0.1 * longer
        + 0.15 * repeats
        + _by_names(reply.path, knowledge.path)
    )
    # Without other replies to compare with, shared words say less.
    several = sum(bool(text and passage) for text, passage in pairs) > 1
    return confidence if several else 0.6 * confidence


def _by_names(reply_path: str, knowledge_path: str) -> float:
    """Return the confidence that the names of two columns give; what surrounds both tells nothing of either."""
    own, others = reply_path.split("."), knowledge_path.split(".")
    while own and others and own[0] == others[0]:
        del own[0], others[0]
    reply, knowledge = ".".join(own), ".".join(others)
    signs = (
        (0.1, _REPLY_LIKE, reply), (-0.15, _ASKED_LIKE, reply), (-0.1, _KNOWN_LIKE, reply),
        (0.1, _KNOWN_LIKE, knowledge), (-0.1, _REPLY_LIKE, knowledge),
    )  # fmt: skip
    return sum(weight for weight, like, name in signs if like.search(name))


def _said_once(shared: SharedWords, pairs: Sequence[_Pair]) -> list[_Pair]:
    """Return pairs without those of replies in lists, if one that is said once rests on a third text.

    What an agent thinks on the way to its reply stands in a list.
    """
    once = [one for one in pairs if "[" not in one.reply.path and one.reply.share_ending >= 0.5]
    lifts = [(shared.lift(one.reply.texts, one.knowledge.texts), one.knowledge) for one in once]
    rested_on = [knowledge for lift, knowledge in lifts if lift >= 0.25]
    return [
        pair
        for pair in pairs
        if "[" not in pair.reply.path or all(known is pair.reply for known in rested_on)
    ]


def _without_answers_of_people(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Return pairs without a data set's answers, if an output surely rests on the same."""
    sure = [pair for pair in pairs if pair.confidence >= SURE]
    # What a person sent stands beside the draft that a model made for it.
    if drafts := [pair for pair in sure if _is_draft(pair.reply)]:
        return drafts
    people = [pair for pair in pairs if _OF_PEOPLE.fullmatch(pair.reply.name.lower())]
    outputs = [pair for pair in sure if _V["made_like"].search(pair.reply.name.lower())]
    outputs = [pair for pair in outputs if pair not in people]
    paths = {path for pair in outputs for path in (pair.reply.path, pair.knowledge.path)}
    return [pair for pair in pairs if not (pair in people and pair.knowledge.path in paths)]


def _is_draft(column: Column) -> bool:
    """Whether a column is named like a draft that a model made for a person."""
    return _V["drafted"].search(column.name.lower()) is not None


def _described(records: _Records, pair: _Pair, glue: Mapping[str, str]) -> Proposal:
    """Return the description of records by their replies and knowledge, with the question and what is beside these."""
    confidence, reply, knowledge = pair
    path, columns, knowing = knowledge.path, records.columns, records.knowing
    question = question_of(records.prose, records.asking, reply, knowledge)
    if question is None and not records.talks and reply.is_excerpt_of(knowledge):
        return Proposal(lacks=NO_KNOWLEDGE)
    asked = {"question": [question.path]} if question else {}
    # A question beside its answer says that they are a turn.
    confidence += 0.05 if question else 0.0
    if (part := part_of_prompts(knowledge, question)) is not None:
        # Passages stand in a prompt, and are told apart as it is read, from a question in it, too.
        fields = {"response": [reply.path], **asked, part: [path], **ids_and_times(columns)}
        # The marks of passages say that they are knowledge.
        return Proposal(description("records", records.path, fields), confidence + 0.1)
    # Fields that are numbered alike, some of them empty, are one list.
    alike = {path, *counted_alike(path, knowing), *counted_alike(path, knowing, COUNTS)}
    first, *others = [one for path, one in knowing.items() if path in alike and one.filled]
    # Where nothing was reranked, what was found is given.
    found = [column for column in knowing.values() if is_reranked(knowledge, column)]
    messages = {"messages": [*records.talks[:1]]} if records.talks and not question else {}
    places = [known_path(records.units, column) for column in (first, *found)]
    fields = {"response": [reply.path], "knowledge": places, **asked, **messages}
    fields |= ids_and_times(columns)
    lists = (*others, *_listed_beside(records, reply, knowledge))
    paths = (known_path(records.units, column) for column in lists)
    if more := dict.fromkeys((*paths, *given_beside(knowledge, reply, columns))):
        fields["more"] = list(more)
    separator = separating(knowledge.filled)
    described = description("records", records.path, fields, separator=separator)
    return Proposal({**glue, **described}, confidence)


def _listed_beside(records: _Records, reply: Column, knowledge: Column) -> list[Column]:
    """Return the texts of other lists in the object that holds the list of knowledge, such as of another search."""
    columns, shared = records.columns, records.shared
    own_list = knowledge.path.rpartition("[]")[0]
    outer = own_list.rpartition(".")[0]
    texts = [one for one in within(outer, columns) if "[]" in one.path[len(outer) :]]
    texts = [one for one in texts if one.may_be_knowledge(reply.mean_words)]
    texts = [one for one in texts if not (one.path.startswith(own_list) or is_spoken(one, columns))]
    shares = [shared.same_and_apart(reply.texts, one.texts)[0] >= _LEAST_LIFT for one in texts]
    # What a reply itself says is cited in it, and is nothing that it rests on.
    texts = [one for one in compress(texts, shares) if not one.is_made_of(reply)]
    others = [one for one in whole_texts(texts, []) if not is_reranked(knowledge, one)]
    return [one for one in others if not (one.copies(knowledge) or knowledge.holds(one))]
