"""Export one row a turn with its score and its explanation, as CSV, Parquet or JSON lines."""

from dataclasses import asdict
from typing import get_args, get_type_hints

import pyarrow as pa

from qsquared.method.q2.explaining.explanation import (
    ExplainedQuestion,
    ExplainedSentence,
    ExplainedSpan,
)
from qsquared.storage.outputs.explanations import ExplainedTurn
from qsquared.storage.outputs.exports.target import (
    Row,
    Target,
    label_of,
    probability_of,
    text_or_none,
)
from qsquared.storage.tables.columns import FLAG, INT, REAL, TEXT
from qsquared.storage.tables.registry import SCORES, TURNS

_ARROW = {int: INT, float: REAL, str: TEXT, bool: FLAG}


def _struct(kind: type) -> pa.DataType:
    """Return the Arrow type of a part of an explanation, by the types of its fields."""
    hints = get_type_hints(kind)
    plain = {name: next(iter(get_args(hint)), hint) for name, hint in hints.items()}
    return pa.struct([(name, _ARROW[hint]) for name, hint in plain.items()])


_TURN = ("id", "conversation_id", "turn", "timestamp")
_SCORE = ("q2", "q2_without_nli", "support", "status", "reason")
_SCHEMA = pa.schema(
    [
        *((name, TURNS[name].type) for name in _TURN),
        ("source", TEXT),
        ("line", TURNS["line"].type),
        ("profile", TEXT),
        *((name, SCORES[name].type) for name in _SCORE),
        ("label", TEXT),
        ("probability", REAL),
        ("calibrated", FLAG),
        ("explanation", TEXT),
        ("spans", pa.list_(_struct(ExplainedSpan))),
        ("questions", pa.list_(_struct(ExplainedQuestion))),
        ("sentences", pa.list_(_struct(ExplainedSentence))),
        *((name, TURNS[name].type) for name in ("response", "knowledge")),
        ("trace_id", TEXT),
        ("span_id", TEXT),
        ("pair_id", TEXT),
    ]
)


def _row(one: ExplainedTurn, profile: str) -> list[Row]:
    """Return the JSON form of an explanation with the valid questions, as columns."""
    row = dict(one.turn) | one.to_json()
    row |= {
        "profile": profile,
        "label": label_of(one),
        "probability": probability_of(one),
        "calibrated": None if one.calibrated is None else one.calibrated["calibrated"],
        "explanation": one.explanation.sentence(),
        "questions": [asdict(question) for question in one.explanation.kept],
        "trace_id": text_or_none(one.metadata.get("trace_id")),
        "span_id": text_or_none(one.metadata.get("span_id")),
    }
    return [{name: row[name] for name in _SCHEMA.names}]


def _target(name: str, meaning: str) -> Target:
    return Target(name, meaning, (f".{name}",), _row, _SCHEMA)


CSV = _target("csv", "a row a turn, spans and questions as JSON in their cells")
PARQUET = _target("parquet", "a row a turn, spans and questions as lists")
JSONL = _target("jsonl", "an object a turn")
