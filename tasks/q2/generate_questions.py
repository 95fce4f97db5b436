"""Stage ``questions``: questions whose answer is the span (Q², section 2)."""

from qsquared.method.plain.claims import claims_by_pair, plain_bounds
from qsquared.records import Failure, QuestionRequest, Span
from qsquared.storage.tables.registry import QUESTIONS
from qsquared.tasks.asking.replies import generate_each
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, failed_row, sound


def _request(text: str, row: Row, *, own_clause: bool) -> QuestionRequest:
    start, end = plain_bounds(row)
    span = Span(start, end, text[start:end], row["kind"], row["label"] or "")
    return QuestionRequest(text, span, own_clause)


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map claims and spans to ranked questions."""
    claims = claims_by_pair(tables["sentences"])
    spans = sound(tables["spans"])
    own_clause = parameters["clauses"] is not None
    requests = [
        _request(claims[row["pair_id"]].text.text, row, own_clause=own_clause) for row in spans
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
    inputs=("pairs", "sentences", "spans"),
    roles=("question_generation",),
    parameters=("clauses",),
    run=run,
)
