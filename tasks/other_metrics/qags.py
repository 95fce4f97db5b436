"""Stages ``qags_questions``, ``qags_answers`` and ``qags`` (QAGS, sections 4 and 5)."""

from collections import defaultdict

from qsquared.method import qags
from qsquared.method.knowledge.excerpts import best_passage
from qsquared.records import Answer, Failure, GeneratedQuestion, QuestionRequest, ReadingRequest
from qsquared.storage.tables import QAGS, QAGS_ANSWERS, QAGS_QUESTIONS
from qsquared.tasks import rows
from qsquared.tasks.model_requests import answer_each, generate_each, parse_each
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables


def ask(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs to questions on their answer candidates, duplicates and short ones marked."""
    pairs = tables["pairs"]
    failed: Rows = []
    asked: Rows = []
    requests: list[QuestionRequest] = []
    parses = parse_each(roles, [pair["response"] for pair in pairs])
    for pair, parsed in zip(pairs, parses, strict=True):
        if isinstance(parsed, Failure):
            failed.append(rows.failed_row(QAGS_QUESTIONS, pair, parsed.reason))
            continue
        for index, span in enumerate(qags.answer_candidates(parsed, parameters["qags_candidates"])):
            asked.append({"pair_id": pair["pair_id"], "span_index": index, "candidate": span.text})
            requests.append(QuestionRequest(pair["response"], span))
    earlier: dict[str, set[tuple[str, str]]] = defaultdict(set)

    def ranked(about: Row, generated: list[GeneratedQuestion]) -> Rows:
        candidate, before = about["candidate"], earlier[about["pair_id"]]
        return [
            {
                "rank": rank,
                "candidate": candidate,
                "question": question.question,
                "log_prob": question.log_prob,
                "reason": qags.why_not_asked(question, candidate, before) or "asked",
            }
            for rank, question in enumerate(generated, start=1)
        ]

    return failed + rows.rows_each(QAGS_QUESTIONS, asked, generate_each(roles, requests), ranked)


def answer(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map pairs and questions to both answers; a kept question has its candidate as the answer."""
    pairs = {pair["pair_id"]: pair for pair in tables["pairs"]}
    asked = [row for row in rows.sound(tables["qags_questions"]) if row["reason"] == "asked"]
    on_response = answer_each(
        roles, [ReadingRequest(row["question"], pairs[row["pair_id"]]["response"]) for row in asked]
    )
    requests = [
        ReadingRequest(row["question"], passage)
        for row, on_reply in zip(asked, on_response, strict=True)
        if isinstance(on_reply, Answer) and qags.same_answer(row["candidate"], on_reply.text)
        for passage in pairs[row["pair_id"]]["knowledge"]
    ]
    on_knowledge = iter(answer_each(roles, requests))

    def answered(row: Row, on_reply: Answer | Failure) -> Row | Failure:
        if isinstance(on_reply, Failure):
            return on_reply
        if not qags.same_answer(row["candidate"], on_reply.text):
            reason = "mismatch" if on_reply.text else "no_answer"
            return {"kept": False, "reason": reason, "response_answer": on_reply.text}
        answers = rows.whole([next(on_knowledge) for _ in pairs[row["pair_id"]]["knowledge"]])
        if isinstance(answers, Failure):
            return answers
        _, best = best_passage(answers)
        return {
            "kept": True,
            "reason": "kept",
            "response_answer": on_reply.text,
            "knowledge_answer": best.text,
            "token_f1": qags.answer_f1(on_reply.text, best.text),
            "exact_match": qags.same_answer(on_reply.text, best.text),
        }

    return rows.row_each(QAGS_ANSWERS, asked, map(answered, asked, on_response), dict)


ASK = Stage(
    QAGS_QUESTIONS,
    2,
    inputs=("pairs",),
    roles=("parser", "question_generation"),
    parameters=("qags_candidates",),
    run=ask,
)
ANSWER = Stage(
    QAGS_ANSWERS, 1, inputs=("pairs", "qags_questions"), roles=("question_answering",), run=answer
)


def score(tables: Tables, _roles: Roles, parameters: Parameters) -> Rows:
    """Map questions and answers to one row for each pair; one without a question has no score."""
    errors = rows.first_errors(tables, ("qags_questions", "qags_answers"))
    log_probs = {
        rows.question_of(row): row["log_prob"] for row in rows.sound(tables["qags_questions"])
    }
    compared: dict[str, list[qags.Compared]] = defaultdict(list)
    for row in rows.sound(tables["qags_answers"]):
        if row["kept"]:
            compared[row["pair_id"]].append(
                qags.Compared(
                    log_probs[rows.question_of(row)],
                    (row["span_index"], row["rank"]),
                    row["token_f1"],
                    row["exact_match"],
                )
            )
    return [
        rows.sound_row(
            QAGS, pair, _scored(errors.get(pair["pair_id"]), compared[pair["pair_id"]], parameters)
        )
        for pair in tables["pairs"]
    ]


def _scored(error: str | None, compared: list[qags.Compared], parameters: Parameters) -> Row:
    if error:
        return {"status": "error", "reason": error, "questions": 0}
    if not compared:
        reason = "No question on the response was kept."
        return {"status": "no_question", "reason": reason, "questions": 0}
    score = qags.score_answers(compared, parameters["qags_questions"], parameters["qags_seed"])
    return {
        "qags": score.qags,
        "qags_unpadded": score.unpadded,
        "qags_exact_match": score.exact_match,
        "status": "scored",
        "questions": score.questions,
    }


SCORE = Stage(
    QAGS,
    1,
    inputs=("pairs", "qags_questions", "qags_answers"),
    parameters=("qags_questions", "qags_seed"),
    run=score,
)
