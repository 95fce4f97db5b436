"""Export one row a turn with its score and its explanation, as CSV, Parquet or JSON lines."""

from dataclasses import asdict

import pyarrow as pa

from qsquared.storage.outputs.explanations import ExplainedTurn
from qsquared.storage.outputs.exports.target import (
    Row,
    Target,
    label_of,
    probability_of,
    text_or_none,
)
from qsquared.storage.tables.columns import INT, REAL, TEXT, TEXTS

_SPAN = pa.struct(
    [
        ("start", INT),
        ("end", INT),
        ("text", TEXT),
        ("kind", TEXT),
        ("label", TEXT),
        ("verdict", TEXT),
        ("pull", REAL),
        ("without", REAL),
        ("why_not", TEXT),
        ("in_knowledge", pa.bool_()),
    ]
)
_QUESTION = pa.struct(
    [
        ("span", TEXT),
        ("question", TEXT),
        ("response_answer", TEXT),
        ("knowledge_answer", TEXT),
        ("passage", INT),
        ("knowledge_start", INT),
        ("knowledge_end", INT),
        ("nli_label", TEXT),
        ("verdict", TEXT),
        ("score", REAL),
        ("decided_by", TEXT),
        ("value_relation", TEXT),
    ]
)
_SCHEMA = pa.schema(
    [
        ("id", TEXT),
        ("conversation_id", TEXT),
        ("turn", INT),
        ("timestamp", pa.timestamp("us", tz="UTC")),
        ("source", TEXT),
        ("line", pa.int64()),
        ("profile", TEXT),
        ("q2", REAL),
        ("q2_without_nli", REAL),
        ("status", TEXT),
        ("reason", TEXT),
        ("label", TEXT),
        ("probability", REAL),
        ("calibrated", pa.bool_()),
        ("explanation", TEXT),
        ("spans", pa.list_(_SPAN)),
        ("questions", pa.list_(_QUESTION)),
        ("response", TEXT),
        ("knowledge", TEXTS),
        ("trace_id", TEXT),
        ("span_id", TEXT),
        ("pair_id", TEXT),
    ]
)


def _row(one: ExplainedTurn, profile: str) -> list[Row]:
    turn, explanation = one.turn, one.explanation
    asked = [field.name for field in _QUESTION]
    return [
        {
            **{
                name: turn[name]
                for name in (
                    "id",
                    "conversation_id",
                    "turn",
                    "timestamp",
                    "source",
                    "line",
                    "pair_id",
                )
            },
            "profile": profile,
            "q2": explanation.q2,
            "q2_without_nli": explanation.q2_without_nli,
            "status": explanation.status,
            "reason": explanation.reason,
            "label": label_of(one),
            "probability": probability_of(one),
            "calibrated": None if one.calibrated is None else one.calibrated["calibrated"],
            "explanation": explanation.sentence(),
            "spans": [asdict(span) for span in explanation.spans],
            "questions": [
                {name: value for name, value in asdict(question).items() if name in asked}
                for question in explanation.kept
            ],
            "response": explanation.response,
            "knowledge": list(explanation.knowledge),
            "trace_id": text_or_none(one.metadata.get("trace_id")),
            "span_id": text_or_none(one.metadata.get("span_id")),
        }
    ]


def _target(name: str, meaning: str) -> Target:
    return Target(name, meaning, (f".{name}",), _row, _SCHEMA)


CSV = _target("csv", "a row a turn, spans and questions as JSON in their cells")
PARQUET = _target("parquet", "a row a turn, spans and questions as lists")
JSONL = _target("jsonl", "an object a turn")
