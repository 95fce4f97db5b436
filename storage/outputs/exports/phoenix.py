"""A Phoenix evaluations frame, as ``log_span_annotations_dataframe`` takes it.

Columns as in arize-phoenix-client 1 to 3: ``span_id``, ``name``, ``annotator_kind``, ``label``,
``score``, ``explanation``, ``metadata`` and ``identifier``, by which a later frame replaces this one.
"""

import pyarrow as pa

from qsquared.storage.outputs.explanations import ExplainedTurn
from qsquared.storage.outputs.exports.target import (
    Row,
    Target,
    label_of,
    metadata_of,
    text_or_none,
)
from qsquared.storage.tables.columns import INT, REAL, TEXT

_SCHEMA = pa.schema(
    [
        ("span_id", TEXT),
        ("name", TEXT),
        ("annotator_kind", TEXT),
        ("label", TEXT),
        ("score", REAL),
        ("explanation", TEXT),
        (
            "metadata",
            pa.struct(
                [
                    ("status", TEXT),
                    ("profile", TEXT),
                    ("questions", INT),
                    ("turn", TEXT),
                    ("probability", REAL),
                ]
            ),
        ),
        ("identifier", TEXT),
    ]
)


def _rows(one: ExplainedTurn, profile: str) -> list[Row]:
    span = text_or_none(one.metadata.get("span_id"))
    explanation = one.explanation
    # A null would become NaN in the frame, which the client cannot send.
    if span is None or explanation.q2 is None:
        return []
    return [
        {
            "span_id": span,
            "name": "q2",
            "annotator_kind": "CODE",
            "label": label_of(one),
            "score": explanation.q2,
            "explanation": explanation.sentence(),
            "metadata": metadata_of(one, profile),
            # Several choices of one call share their span.
            "identifier": f"q2/{profile}/{one.turn['id']}",
        }
    ]


PHOENIX = Target(
    "phoenix",
    "a frame of span evaluations",
    (".parquet", ".csv", ".jsonl"),
    _rows,
    _SCHEMA,
    "a span_id, as logs of traces have it, and a score",
)
