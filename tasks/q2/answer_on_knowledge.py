"""Stage ``answers``: each valid question answered on the knowledge (Q², section 2)."""

from collections.abc import Sequence

from qsquared.method.best_passage import best_passage
from qsquared.method.plain.markup.mapped import Mapped
from qsquared.method.plain.passages import read_passages
from qsquared.method.plain.reply import CLAIMS
from qsquared.method.q2.spans import currency_before
from qsquared.records import Answer, Failure, ReadingRequest
from qsquared.storage.tables.registry import ANSWERS
from qsquared.tasks.asking.replies import answer_each
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, failed_row, sound


def _row(
    question: Row, answers: Sequence[Answer], passages: Sequence[Mapped], *, with_currency: bool
) -> Row:
    passage, best = best_passage(answers)
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
        "windows": sum(answer.windows for answer in answers),
        "error": None,
    }


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs, questions and decisions to answers; each passage is read on its own.

    Beside claims in plain text an answer has the sign of money before it, as spans have.
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
    requests = [
        ReadingRequest(texts[row["pair_id"], row["span_index"], row["rank"]], passage.text)
        for row in kept
        for passage in knowledge[row["pair_id"]]
    ]
    replies = iter(answer_each(roles, requests))
    rows: Rows = []
    for row in kept:
        answers = [next(replies) for _ in knowledge[row["pair_id"]]]
        failures = [answer.reason for answer in answers if isinstance(answer, Failure)]
        if failures:
            rows.append(failed_row(ANSWERS, row, failures[0]))
            continue
        found = [answer for answer in answers if isinstance(answer, Answer)]
        with_currency = parameters["sentences"] == CLAIMS
        rows.append(_row(row, found, knowledge[row["pair_id"]], with_currency=with_currency))
    return rows


STAGE = Stage(
    ANSWERS,
    2,
    inputs=("pairs", "questions", "roundtrip"),
    roles=("question_answering",),
    parameters=("sentences",),
    run=run,
)
