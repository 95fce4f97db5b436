"""Stage ``questions``: questions whose answer is the span (Q², section 2)."""

from collections.abc import Sequence
from dataclasses import asdict

from qsquared.method.plain.reply_claims import claims_by_pair, plain_bounds
from qsquared.records import GeneratedQuestion, QuestionRequest, Span
from qsquared.storage.tables import QUESTIONS
from qsquared.tasks.model_requests import generate_each
from qsquared.tasks.rows import rows_each, sound
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables


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
    return rows_each(QUESTIONS, spans, generate_each(roles, requests), _ranked)


def _ranked(_span: Row, generated: Sequence[GeneratedQuestion]) -> Rows:
    return [{"rank": rank, **asdict(question)} for rank, question in enumerate(generated, start=1)]


STAGE = Stage(
    QUESTIONS,
    1,
    inputs=("pairs", "sentences", "spans"),
    roles=("question_generation",),
    parameters=("clauses",),
    run=run,
)
