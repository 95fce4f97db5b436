"""Langfuse scores: each line is a body for ``POST /api/public/scores`` (``create_score`` of its SDK).

The ids are made of the turn and the profile, so that sending a file twice replaces its scores.
"""

from qsquared.storage.keys import digest
from qsquared.storage.outputs.explanations import ExplainedTurn
from qsquared.storage.outputs.exports.target import (
    Row,
    Target,
    label_of,
    metadata_of,
    text_or_none,
)


def _rows(one: ExplainedTurn, profile: str) -> list[Row]:
    trace = text_or_none(one.metadata.get("trace_id"))
    if trace is None:
        return []
    span = text_or_none(one.metadata.get("span_id"))
    explanation = one.explanation
    scored = explanation.q2 is not None
    name = "q2" if scored else "q2_status"
    return [
        {
            "id": digest(["langfuse", trace, span, one.turn["id"], profile, name]),
            "traceId": trace,
            # A row of the table of traces is no observation.
            **({"observationId": span} if span and span != trace else {}),
            "name": name,
            "value": explanation.q2 if scored else explanation.status,
            "dataType": "NUMERIC" if scored else "CATEGORICAL",
            "comment": explanation.sentence(),
            "metadata": {
                "label": label_of(one),
                **{k: v for k, v in metadata_of(one, profile).items() if v is not None},
            },
        }
    ]


LANGFUSE = Target(
    "langfuse",
    "scores, a request body a line",
    (".jsonl",),
    _rows,
    needs="a trace_id, as logs of traces have it",
)
