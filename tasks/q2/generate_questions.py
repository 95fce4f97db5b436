"""Stage ``questions``: questions whose answer is the span (Q², section 2)."""

from qsquared.records import Failure, QuestionRequest, Span
from qsquared.storage.tables.q2 import QUESTIONS
from qsquared.tasks.asking.replies import generate_each
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, failed_row, sound


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map pairs and spans to ranked questions."""
    responses = {pair["pair_id"]: pair["response"] for pair in tables["pairs"]}
    spans = sound(tables["spans"])
    requests = [
        QuestionRequest(
            responses[row["pair_id"]],
            Span(row["start"], row["end"], row["text"], row["kind"], row["label"] or ""),
        )
        for row in spans
    ]
    rows: Rows = []
    replies = generate_each(roles, requests)
    for span, generated in zip(spans, replies, strict=True):
        if isinstance(generated, Failure):
            rows.append(failed_row(QUESTIONS, span, generated.reason))
            continue
        rows += [
            {
                "pair_id": span["pair_id"],
                "span_index": span["span_index"],
                "rank": rank,
                "question": question.question,
                "log_prob": question.log_prob,
                "form": question.form,
                "error": None,
            }
            for rank, question in enumerate(generated, start=1)
        ]
    return rows


STAGE = Stage(
    QUESTIONS,
    1,
    inputs=("pairs", "spans"),
    roles=("question_generation",),
    parameters=(),
    run=run,
)
