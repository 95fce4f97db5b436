"""Stage ``answers``: each valid question answered on the knowledge (Q², section 2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from qsquared.method.knowledge.clauses import NAMED_CLAUSE_VERSION, named_clause
from qsquared.method.knowledge.excerpts import Excerpt, best_passage, divide
from qsquared.method.plain.markup.offset_mapping import Mapped
from qsquared.method.plain.reply import CLAIMS, read_passages
from qsquared.method.q2.spans import currency_before
from qsquared.protocols import AnswerOnKnowledge
from qsquared.records import Answer, Failure, ReadingRequest
from qsquared.storage.tables import ANSWERS
from qsquared.tasks.model_requests import answer_each, knowledge_each
from qsquared.tasks.rows import question_of, rows_each, sound, whole
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables

_Asked = tuple[str, Sequence[Mapped]]
"""A question, and the passages that it is read on."""
_Read = list[tuple[int, Answer | Failure]]
"""Passages that were read, with the answer of each in its place there."""


@dataclass(frozen=True, slots=True)
class _Best:
    """The best answer to a question, the number of its passage, and the windows that were read."""

    passage: int
    answer: Answer
    windows: int


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
    texts = {question_of(row): row["question"] for row in sound(tables["questions"])}
    kept = [row for row in sound(tables["roundtrip"]) if row["kept"]]
    asked = [(texts[question_of(row)], knowledge[row["pair_id"]]) for row in kept]
    best = _read(roles, asked, parameters["knowledge_words"])
    plain = parameters["sentences"] == CLAIMS
    if plain:
        best = _from_named_clauses(roles, asked, best)
    return rows_each(
        ANSWERS,
        kept,
        best,
        lambda row, answered: [_row(answered, knowledge[row["pair_id"]], with_currency=plain)],
    )


def _row(best: _Best, passages: Sequence[Mapped], *, with_currency: bool) -> Row:
    answer, passage = best.answer, passages[best.passage]
    row: Row = {
        "answer_score": answer.score,
        "no_answer_score": answer.no_answer_score,
        "windows": best.windows,
    }
    if answer.start is None or answer.end is None:
        return row
    first, text = answer.start, answer.text
    if with_currency:
        first -= currency_before(passage.text, first)
        text = passage.text[first : answer.end]
    start, end = passage.logged(first, answer.end)
    return row | {
        "knowledge_answer": text,
        "passage": best.passage,
        "knowledge_start": start,
        "knowledge_end": end,
    }


def _read(roles: Roles, asked: Sequence[_Asked], words: int | None) -> list[_Best | Failure]:
    """Return the best answers; what is not read first is read where that answers nothing."""
    divided = [
        divide(question, [text.text for text in passages], words) for question, passages in asked
    ]
    first = _read_each(roles, asked, [parts for parts, _ in divided])
    rest = [
        parts if all(isinstance(reply, Answer) and reply.text is None for _, reply in read) else []
        for (_, parts), read in zip(divided, first, strict=True)
    ]
    second = _read_each(roles, asked, rest)
    return [_best_answer([*read, *more]) for read, more in zip(first, second, strict=True)]


def _read_each(
    roles: Roles, asked: Sequence[_Asked], parts: Sequence[Sequence[Excerpt]]
) -> list[_Read]:
    requests = [
        ReadingRequest(question, part.text)
        for (question, _), excerpts in zip(asked, parts, strict=True)
        for part in excerpts
    ]
    replies = iter(_answers(roles, requests))
    return [
        [(part.passage, _in_passage(next(replies), part, passages)) for part in excerpts]
        for excerpts, (_, passages) in zip(parts, asked, strict=True)
    ]


def _answers(roles: Roles, requests: Sequence[ReadingRequest]) -> list[Answer | Failure]:
    reads_otherwise = isinstance(roles.question_answering, AnswerOnKnowledge)
    return (knowledge_each if reads_otherwise else answer_each)(roles, requests)


def _in_passage(
    answer: Answer | Failure, part: Excerpt, passages: Sequence[Mapped]
) -> Answer | Failure:
    if isinstance(answer, Failure) or answer.start is None or answer.end is None:
        return answer
    start, end = part.in_passage(answer.start, answer.end)
    return replace(answer, text=passages[part.passage].text[start:end], start=start, end=end)


def _best_answer(read: _Read) -> _Best | Failure:
    """Return the best answer of all passages, or the first failure."""
    answers = whole(answer for _, answer in read)
    if isinstance(answers, Failure):
        return answers
    index, answer = best_passage(answers)
    return _Best(read[index][0], answer, sum(answer.windows for answer in answers))


def _from_named_clauses(
    roles: Roles, asked: Sequence[_Asked], best: Sequence[_Best | Failure]
) -> list[_Best | Failure]:
    """Return the answers, each from the clause that its question names where it was of another."""
    again: dict[int, tuple[_Best, int, ReadingRequest]] = {}
    for number, ((question, passages), first) in enumerate(zip(asked, best, strict=True)):
        if isinstance(first, Failure) or first.answer.start is None or first.answer.end is None:
            continue
        text = passages[first.passage].text
        if named := named_clause(question, text, first.answer.start, first.answer.end):
            again[number] = first, named[0], ReadingRequest(question, text[slice(*named)])
    replies = _answers(roles, [request for *_, request in again.values()])
    read = list(best)
    for (number, (before, offset, _)), reply in zip(again.items(), replies, strict=True):
        if isinstance(reply, Failure):
            read[number] = reply
        elif reply.start is not None and reply.end is not None:
            moved = replace(reply, start=reply.start + offset, end=reply.end + offset)
            read[number] = _Best(before.passage, moved, before.windows + reply.windows)
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
