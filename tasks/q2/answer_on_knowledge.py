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
from qsquared.tasks.rows import question_of, rows_each, sound, whole
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables

_Asked = tuple[str, Sequence[Mapped]]
"""A question, and the passages that it is read on."""
_Read = list[tuple[int, Answer | Failure]]
"""Passages that were read, with the answer of each in its place there."""


@dataclass(frozen=True, slots=True)
class _Found:
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
    found = _read(roles, asked, parameters["knowledge_words"])
    plain = parameters["sentences"] == CLAIMS
    if plain:
        found = _from_named_clauses(roles, asked, found)
    return rows_each(
        ANSWERS,
        kept,
        found,
        lambda row, one: [_row(one, knowledge[row["pair_id"]], with_currency=plain)],
    )


def _row(found: _Found, passages: Sequence[Mapped], *, with_currency: bool) -> Row:
    best, read = found.answer, passages[found.passage]
    row: Row = {
        "answer_score": best.score,
        "no_answer_score": best.no_answer_score,
        "windows": found.windows,
    }
    if best.start is None or best.end is None:
        return row
    first, text = best.start, best.text
    if with_currency:
        first -= currency_before(read.text, first)
        text = read.text[first : best.end]
    start, end = read.logged(first, best.end)
    return row | {
        "knowledge_answer": text,
        "passage": found.passage,
        "knowledge_start": start,
        "knowledge_end": end,
    }


def _read(roles: Roles, asked: Sequence[_Asked], words: int | None) -> list[_Found | Failure]:
    """Return the best answers; what is not read first is read where that answers nothing."""
    divided = [
        divide(question, [text.text for text in passages], words) for question, passages in asked
    ]
    first = _read_each(roles, asked, [parts for parts, _ in divided])
    rest = [
        parts if all(isinstance(one, Answer) and one.text is None for _, one in read) else []
        for (_, parts), read in zip(divided, first, strict=True)
    ]
    second = _read_each(roles, asked, rest)
    return [_found([*one, *other]) for one, other in zip(first, second, strict=True)]


def _read_each(
    roles: Roles, asked: Sequence[_Asked], parts: Sequence[Sequence[Excerpt]]
) -> list[_Read]:
    requests = [
        ReadingRequest(question, part.text)
        for (question, _), own in zip(asked, parts, strict=True)
        for part in own
    ]
    replies = iter(answer_each(roles, requests))
    return [
        [(part.passage, _in_passage(next(replies), part, passages)) for part in own]
        for own, (_, passages) in zip(parts, asked, strict=True)
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
    answers = whole(answer for _, answer in read)
    if isinstance(answers, Failure):
        return answers
    place, best = best_passage(answers)
    return _Found(read[place][0], best, sum(answer.windows for answer in answers))


def _from_named_clauses(
    roles: Roles, asked: Sequence[_Asked], found: Sequence[_Found | Failure]
) -> list[_Found | Failure]:
    """Return the answers, each from the clause that its question names where it was of another."""
    again: dict[int, tuple[_Found, int, ReadingRequest]] = {}
    for number, ((question, passages), one) in enumerate(zip(asked, found, strict=True)):
        if isinstance(one, Failure) or one.answer.start is None or one.answer.end is None:
            continue
        text = passages[one.passage].text
        if named := named_clause(question, text, one.answer.start, one.answer.end):
            again[number] = one, named[0], ReadingRequest(question, text[slice(*named)])
    replies = answer_each(roles, [request for *_, request in again.values()])
    read = list(found)
    for (number, (first, place, _)), reply in zip(again.items(), replies, strict=True):
        if isinstance(reply, Failure):
            read[number] = reply
        elif reply.start is not None and reply.end is not None:
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
