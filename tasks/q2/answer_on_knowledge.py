"""Stage ``answers``: each valid question answered on the knowledge (Q², section 2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from qsquared.method.clauses.named import NAMED_CLAUSE_VERSION, named_clause
from qsquared.method.knowledge.best_passage import best_passage
from qsquared.method.knowledge.excerpts import Excerpt, divide
from qsquared.method.plain.markup.mapped import Mapped
from qsquared.method.plain.passages import read_passages
from qsquared.method.plain.reply import CLAIMS
from qsquared.method.q2.spans import currency_before
from qsquared.records import Answer, Failure, ReadingRequest
from qsquared.storage.tables.registry import ANSWERS
from qsquared.tasks.asking.replies import answer_each
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, failed_row, sound


@dataclass(frozen=True, slots=True)
class _Found:
    """The best answer to a question, the number of its passage, and the windows that were read."""

    passage: int
    answer: Answer
    windows: int


def _row(question: Row, found: _Found, passages: Sequence[Mapped], *, with_currency: bool) -> Row:
    passage, best = found.passage, found.answer
    answered = best.text is not None
    text, start, end = best.text, None, None
    if best.start is not None and best.end is not None:
        read, first = passages[passage], best.start
        if with_currency:
            first -= currency_before(read.text, first)
            text = read.text[first : best.end]
        start, end = read.logged(first, best.end)
    return {
        "pair_id": question["pair_id"],
        "span_index": question["span_index"],
        "rank": question["rank"],
        "knowledge_answer": text,
        "passage": passage if answered else None,
        "knowledge_start": start,
        "knowledge_end": end,
        "answer_score": best.score,
        "no_answer_score": best.no_answer_score,
        "windows": found.windows,
        "error": None,
    }


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs, questions and decisions to answers; each passage is read on its own.

    With ``knowledge_words`` long knowledge is read in two parts, the second where the first, which
    may answer the question by its words, does not (`divide`).
    Beside claims in plain text an answer has the sign of money before it, as spans have, and is read
    again from the clause that the question names (`named_clause`).
    """
    knowledge = {
        pair["pair_id"]: read_passages(pair["knowledge"], parameters["sentences"])
        for pair in tables["pairs"]
    }
    texts = {
        (row["pair_id"], row["span_index"], row["rank"]): row["question"]
        for row in sound(tables["questions"])
    }
    kept = [row for row in sound(tables["roundtrip"]) if row["kept"]]
    asked = [texts[row["pair_id"], row["span_index"], row["rank"]] for row in kept]
    passages = [knowledge[row["pair_id"]] for row in kept]
    found = _read(roles, asked, passages, parameters["knowledge_words"])
    plain = parameters["sentences"] == CLAIMS
    if plain:
        found = _from_named_clauses(roles, asked, found, passages)
    return [
        failed_row(ANSWERS, row, one.reason)
        if isinstance(one, Failure)
        else _row(row, one, own, with_currency=plain)
        for row, one, own in zip(kept, found, passages, strict=True)
    ]


def _read(
    roles: Roles,
    questions: Sequence[str],
    knowledge: Sequence[Sequence[Mapped]],
    words: int | None,
) -> list[_Found | Failure]:
    """Return the best answers; what is not read first is read where that answers nothing."""
    divided = [
        divide(question, [text.text for text in passages], words)
        for question, passages in zip(questions, knowledge, strict=True)
    ]
    first = _read_each(roles, questions, knowledge, [parts for parts, _ in divided])
    rest = [
        parts if all(isinstance(one, Answer) and one.text is None for _, one in read) else []
        for (_, parts), read in zip(divided, first, strict=True)
    ]
    second = _read_each(roles, questions, knowledge, rest)
    return [_found([*one, *other]) for one, other in zip(first, second, strict=True)]


_Read = list[tuple[int, Answer | Failure]]
"""Passages that were read, with the answer of each in its place there."""


def _read_each(
    roles: Roles,
    questions: Sequence[str],
    knowledge: Sequence[Sequence[Mapped]],
    parts: Sequence[Sequence[Excerpt]],
) -> list[_Read]:
    requests = [
        ReadingRequest(question, part.text)
        for question, own in zip(questions, parts, strict=True)
        for part in own
    ]
    replies = iter(answer_each(roles, requests))
    return [
        [(part.passage, _in_passage(next(replies), part, passages)) for part in own]
        for own, passages in zip(parts, knowledge, strict=True)
    ]


def _in_passage(
    answer: Answer | Failure, part: Excerpt, passages: Sequence[Mapped]
) -> Answer | Failure:
    if isinstance(answer, Failure) or answer.start is None or answer.end is None:
        return answer
    start, end = part.in_passage(answer.start, answer.end)
    return replace(answer, text=passages[part.passage].text[start:end], start=start, end=end)


def _found(read: _Read) -> _Found | Failure:
    """Return the best answer of all passages, or the first failure."""
    answers = []
    for _, answer in read:
        if isinstance(answer, Failure):
            return answer
        answers.append(answer)
    place, best = best_passage(answers)
    return _Found(read[place][0], best, sum(answer.windows for answer in answers))


def _from_named_clauses(
    roles: Roles,
    questions: Sequence[str],
    found: Sequence[_Found | Failure],
    knowledge: Sequence[Sequence[Mapped]],
) -> list[_Found | Failure]:
    """Return the answers, each from the clause that its question names where it was of another."""
    again: dict[int, tuple[int, ReadingRequest]] = {}
    for number, (question, one, passages) in enumerate(
        zip(questions, found, knowledge, strict=True)
    ):
        if isinstance(one, Failure) or one.answer.start is None or one.answer.end is None:
            continue
        text = passages[one.passage].text
        named = named_clause(question, text, one.answer.start, one.answer.end)
        if named:
            start, end = named
            again[number] = start, ReadingRequest(question, text[start:end])
    replies = answer_each(roles, [request for _, request in again.values()])
    read = list(found)
    for (number, (place, _)), reply in zip(again.items(), replies, strict=True):
        first = found[number]
        if isinstance(reply, Failure):
            read[number] = reply
        elif isinstance(first, _Found) and reply.start is not None and reply.end is not None:
            moved = replace(reply, start=reply.start + place, end=reply.end + place)
            read[number] = _Found(first.passage, moved, first.windows + reply.windows)
    return read


STAGE = Stage(
    ANSWERS,
    2,
    inputs=("pairs", "questions", "roundtrip"),
    roles=("question_answering",),
    parameters=("sentences", "knowledge_words"),
    run=run,
    versions={"sentences": NAMED_CLAUSE_VERSION},
)
