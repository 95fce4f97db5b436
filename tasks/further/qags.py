"""Stages ``qags_questions``, ``qags_answers`` and ``qags`` (QAGS, sections 4 and 5)."""

from collections import defaultdict

from qsquared.method.knowledge.best_passage import best_passage
from qsquared.method.qags import (
    Compared,
    answer_candidates,
    answer_f1,
    same_answer,
    score_answers,
    why_not_asked,
)
from qsquared.records import Answer, Failure, QuestionRequest, ReadingRequest, Span
from qsquared.storage.tables.registry import QAGS, QAGS_ANSWERS, QAGS_QUESTIONS
from qsquared.tasks.asking.replies import answer_each, generate_each, parse_each
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, failed_row, sound


def ask(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs to questions on their answer candidates, duplicates and short ones marked."""
    pairs = tables["pairs"]
    rows: Rows = []
    asked: list[tuple[Row, int, Span]] = []
    requests: list[QuestionRequest] = []
    parses = parse_each(roles, [pair["response"] for pair in pairs])
    for pair, parsed in zip(pairs, parses, strict=True):
        if isinstance(parsed, Failure):
            rows.append(failed_row(QAGS_QUESTIONS, pair, parsed.reason))
            continue
        for index, span in enumerate(answer_candidates(parsed, parameters["qags_candidates"])):
            asked.append((pair, index, span))
            requests.append(QuestionRequest(pair["response"], span))
    earlier: dict[str, set[tuple[str, str]]] = defaultdict(set)
    replies = generate_each(roles, requests)
    for (pair, index, span), generated in zip(asked, replies, strict=True):
        if isinstance(generated, Failure):
            rows.append(failed_row(QAGS_QUESTIONS, pair, generated.reason))
            continue
        pair_id = pair["pair_id"]
        rows += [
            {
                "pair_id": pair_id,
                "span_index": index,
                "rank": rank,
                "candidate": span.text,
                "question": question.question,
                "log_prob": question.log_prob,
                "reason": why_not_asked(question, span.text, earlier[pair_id]) or "asked",
                "error": None,
            }
            for rank, question in enumerate(generated, start=1)
        ]
    return rows


def answer(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map pairs and questions to both answers; a kept question has its candidate as the answer."""
    pairs = {pair["pair_id"]: pair for pair in tables["pairs"]}
    asked = [row for row in sound(tables["qags_questions"]) if row["reason"] == "asked"]
    on_response = answer_each(
        roles, [ReadingRequest(row["question"], pairs[row["pair_id"]]["response"]) for row in asked]
    )
    kept = [
        row
        for row, found in zip(asked, on_response, strict=True)
        if isinstance(found, Answer) and same_answer(row["candidate"], found.text)
    ]
    on_knowledge = iter(
        answer_each(
            roles,
            [
                ReadingRequest(row["question"], passage)
                for row in kept
                for passage in pairs[row["pair_id"]]["knowledge"]
            ],
        )
    )
    rows: Rows = []
    for row, found in zip(asked, on_response, strict=True):
        if isinstance(found, Failure):
            rows.append(failed_row(QAGS_ANSWERS, row, found.reason))
            continue
        if not same_answer(row["candidate"], found.text):
            rows.append(_answered(row, found.text, "mismatch" if found.text else "no_answer"))
            continue
        passages = [next(on_knowledge) for _ in pairs[row["pair_id"]]["knowledge"]]
        failures = [reply for reply in passages if isinstance(reply, Failure)]
        if failures:
            rows.append(failed_row(QAGS_ANSWERS, row, failures[0].reason))
            continue
        _, best = best_passage([reply for reply in passages if isinstance(reply, Answer)])
        rows.append(
            _answered(row, found.text, "kept")
            | {
                "knowledge_answer": best.text,
                "token_f1": answer_f1(found.text, best.text),
                "exact_match": same_answer(found.text, best.text),
            }
        )
    return rows


def _answered(question: Row, text: str | None, reason: str) -> Row:
    return {
        "pair_id": question["pair_id"],
        "span_index": question["span_index"],
        "rank": question["rank"],
        "kept": reason == "kept",
        "reason": reason,
        "response_answer": text,
        "knowledge_answer": None,
        "token_f1": None,
        "exact_match": None,
        "error": None,
    }


ASK = Stage(
    QAGS_QUESTIONS,
    2,
    inputs=("pairs",),
    roles=("parser", "question_generation"),
    parameters=("qags_candidates",),
    run=ask,
)
ANSWER = Stage(
    QAGS_ANSWERS,
    1,
    inputs=("pairs", "qags_questions"),
    roles=("question_answering",),
    parameters=(),
    run=answer,
)


def score(tables: Tables, _roles: Roles, parameters: Parameters) -> Rows:
    """Map questions and answers to one row for each pair; one without a question has no score."""
    errors: dict[str, str] = {}
    for name in ("qags_questions", "qags_answers"):
        for row in tables[name]:
            if row["error"] is not None:
                errors.setdefault(row["pair_id"], row["error"])
    log_probs = {
        (row["pair_id"], row["span_index"], row["rank"]): row["log_prob"]
        for row in sound(tables["qags_questions"])
    }
    compared: dict[str, list[Compared]] = defaultdict(list)
    for row in sound(tables["qags_answers"]):
        if row["kept"]:
            place = (row["span_index"], row["rank"])
            log_prob = log_probs[row["pair_id"], *place]
            compared[row["pair_id"]].append(
                Compared(log_prob, place, row["token_f1"], row["exact_match"])
            )
    return [
        _row(pair["pair_id"], errors.get(pair["pair_id"]), compared[pair["pair_id"]], parameters)
        for pair in tables["pairs"]
    ]


def _row(pair_id: str, error: str | None, found: list[Compared], parameters: Parameters) -> Row:
    row: Row = {
        "pair_id": pair_id,
        "qags": None,
        "qags_unpadded": None,
        "qags_exact_match": None,
        "status": "error" if error else "no_question",
        "reason": error or "No question on the response was kept.",
        "questions": 0,
    }
    if error or not found:
        return row
    score = score_answers(found, parameters["qags_questions"], parameters["qags_seed"])
    return row | {
        "qags": score.qags,
        "qags_unpadded": score.unpadded,
        "qags_exact_match": score.exact_match,
        "status": "scored",
        "reason": None,
        "questions": score.questions,
    }


SCORE = Stage(
    QAGS,
    1,
    inputs=("pairs", "qags_questions", "qags_answers"),
    roles=(),
    parameters=("qags_questions", "qags_seed"),
    run=score,
)
