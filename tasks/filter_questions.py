"""Stage ``roundtrip``: keep the questions that the response itself answers with the span."""

from __future__ import annotations

from functools import partial

from qsquared.method.personal import is_personal
from qsquared.method.roundtrip import Candidate, filter_questions
from qsquared.records import Failure
from qsquared.storage.schemas import ROUNDTRIP
from qsquared.tasks.asking import ask_each
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, failed_row, sound


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Pairs, spans and questions to the decision on each question (Q², section 2)."""
    responses = {pair["pair_id"]: pair["response"] for pair in tables["pairs"]}
    span_texts = {
        (row["pair_id"], row["span_index"]): row["text"] for row in sound(tables["spans"])
    }
    questions = sound(tables["questions"])
    parses = ask_each(roles.parser.parse, [row["question"] for row in questions])
    rows: Rows = []
    candidates: list[Candidate] = []
    asked: Rows = []
    for row, parsed in zip(questions, parses, strict=True):
        if isinstance(parsed, Failure):
            rows.append(failed_row(ROUNDTRIP, row["pair_id"], "roundtrip", parsed.reason))
            continue
        group = (row["pair_id"], row["span_index"])
        personal = parameters["leave_out_personal"] and is_personal(parsed)
        candidates.append(
            Candidate(
                group, row["question"], responses[row["pair_id"]], span_texts[group], personal
            )
        )
        asked.append(row)
    outcomes = filter_questions(
        candidates,
        partial(ask_each, roles.question_answering.answer),
        parameters["variant"],
    )
    for row, outcome in zip(asked, outcomes, strict=True):
        if isinstance(outcome, Failure):
            rows.append(failed_row(ROUNDTRIP, row["pair_id"], "roundtrip", outcome.reason))
            continue
        answer = outcome.answer
        rows.append(
            {
                "pair_id": row["pair_id"],
                "span_index": row["span_index"],
                "rank": row["rank"],
                "kept": outcome.reason == "kept",
                "reason": outcome.reason,
                "response_answer": answer.text if answer else None,
                "response_start": answer.start if answer else None,
                "response_end": answer.end if answer else None,
                "answer_score": answer.score if answer else None,
                "no_answer_score": answer.no_answer_score if answer else None,
                "error": None,
            }
        )
    return rows


STAGE = Stage(
    ROUNDTRIP,
    1,
    inputs=("pairs", "spans", "questions"),
    roles=("parser", "question_answering"),
    parameters=("variant", "leave_out_personal"),
    run=run,
)
