"""Export one row a turn with its score and its explanation, as CSV, Parquet or JSON lines."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, get_args, get_type_hints

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from qsquared.method.q2.explaining.attribution import worst
from qsquared.method.q2.explaining.parts import ExplainedQuestion, ExplainedSentence, ExplainedSpan
from qsquared.storage.files.atomic import written_whole
from qsquared.storage.outputs.explanations import ExplainedTurn
from qsquared.storage.outputs.spreadsheets import guarded
from qsquared.storage.tables import FLAG, INT, REAL, SCORES, TEXT, TURNS

Row = dict[str, Any]

_FALLBACK_LABELS = {
    "entailment": "supported",
    "neutral": "no_answer",
    "contradiction": "contradicted",
}
_PORTION = 500
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


def write_export(
    turns: Iterable[ExplainedTurn],
    profile: str,
    out: Path,
    on_progress: Callable[[int], None],
) -> int:
    """Write a row for each turn, in their order, a portion at a time; return their number.

    Raises:
        UsageError: the file cannot be written.
    """
    rows = 0
    with written_whole(out) as temporary, _sink(temporary, out.suffix.lower()) as sink:
        source = iter(turns)
        while some := list(islice(source, _PORTION)):
            sink([_row(turn, profile) for turn in some])
            rows += len(some)
            on_progress(rows)
    return rows


def _row(explained: ExplainedTurn, profile: str) -> Row:
    """Return the JSON form of an explanation with the valid questions, as columns."""
    row = dict(explained.turn) | explained.to_json()
    row |= {
        "profile": profile,
        "label": _label_of(explained),
        "explanation": explained.explanation.sentence(),
        "questions": [asdict(question) for question in explained.explanation.kept],
    }
    for name in ("trace_id", "span_id"):
        value = explained.metadata.get(name)
        row[name] = value if isinstance(value, str) and value else None
    return {name: row[name] for name in _SCHEMA.names}


def _label_of(explained: ExplainedTurn) -> str:
    """Return the worst verdict of a turn's questions, or the fallback's; of an unscored turn its status."""
    explanation = explained.explanation
    if explanation.q2 is None:
        return explanation.status
    if explanation.status == "fallback_nli":
        return _FALLBACK_LABELS.get(explanation.nli_label or "", "no_answer")
    return worst(span.verdict for span in explanation.spans) or "supported"


@contextmanager
def _sink(path: Path, form: str) -> Iterator[Callable[[Sequence[Row]], object]]:
    if form == ".parquet":
        with pq.ParquetWriter(path, _SCHEMA, compression="zstd") as writer:
            yield lambda rows: writer.write_table(pa.Table.from_pylist(list(rows), schema=_SCHEMA))
        return
    with path.open("w", encoding="utf-8", newline="") as handle:
        if form == ".csv":
            handle.write(_csv([], header=True))
            yield lambda rows: handle.write(_csv(rows, header=False))
        else:
            yield lambda rows: handle.writelines(_json(row) + "\n" for row in rows)


def _csv(rows: Sequence[Row], *, header: bool) -> str:
    """Return rows as CSV, which has no lists, so these stand in their cells as JSON; formulas are guarded."""
    nested = {field.name for field in _SCHEMA if pa.types.is_nested(field.type)}
    flat = [{**row, **{name: _json(row[name]) for name in nested}} for row in rows]
    fields = [pa.field(f.name, pa.string() if f.name in nested else f.type) for f in _SCHEMA]
    frame = pl.DataFrame(pa.Table.from_pylist(flat, schema=pa.schema(fields)))
    return guarded(frame).write_csv(include_header=header)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=datetime.isoformat)
