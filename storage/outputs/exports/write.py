"""Write an export: whole or not at all, a portion at a time."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from qsquared.errors import UsageError
from qsquared.storage.files.atomic import written_whole
from qsquared.storage.outputs.explanations import ExplainedTurn
from qsquared.storage.outputs.exports.langfuse import LANGFUSE
from qsquared.storage.outputs.exports.otel import OTEL
from qsquared.storage.outputs.exports.phoenix import PHOENIX
from qsquared.storage.outputs.exports.tables import CSV, JSONL, PARQUET
from qsquared.storage.outputs.exports.target import Row, Target
from qsquared.storage.outputs.spreadsheets import guarded

TARGETS = {target.name: target for target in (OTEL, PHOENIX, LANGFUSE, CSV, PARQUET, JSONL)}
_PORTION = 500
Sink = Callable[[Sequence[Row]], None]


@dataclass(frozen=True, slots=True)
class Written:
    """The number of rows in an export, and of turns that the export has no place for."""

    rows: int
    left_out: int


def check_target(name: str, out: Path) -> Target:
    """The target of that name, if it can be written to that file.

    Raises:
        UsageError: there is no such target, or it has no such files.
    """
    target = TARGETS.get(name)
    if target is None:
        raise UsageError(f"--to is {name!r}.", f"Use one of: {', '.join(TARGETS)}")
    if out.suffix.lower() not in target.files:
        raise UsageError(
            f"--out {out} is no file for {name}.",
            f"Give it the extension {' or '.join(target.files)}.",
        )
    return target


def write_export(
    turns: Iterable[ExplainedTurn],
    profile: str,
    target: Target,
    out: Path,
    on_progress: Callable[[int], None] | None = None,
) -> Written:
    """Write what a target takes of some turns, in their order.

    Raises:
        UsageError: the file cannot be written.
    """
    rows = left_out = seen = 0
    with written_whole(out) as temporary, _sink(target, temporary, out.suffix.lower()) as sink:
        source = iter(turns)
        while some := list(islice(source, _PORTION)):
            made = [target.rows(one, profile) for one in some]
            portion = [row for of_turn in made for row in of_turn]
            left_out += sum(not of_turn for of_turn in made)
            rows += len(portion)
            seen += len(some)
            sink(portion)
            if on_progress is not None:
                on_progress(seen)
    return Written(rows, left_out)


@contextmanager
def _sink(target: Target, path: Path, form: str) -> Iterator[Sink]:
    if form == ".parquet":
        with pq.ParquetWriter(path, target.schema, compression="zstd") as writer:
            yield lambda rows: writer.write_table(_table(target, rows))
        return
    with path.open("w", encoding="utf-8", newline="") as handle:
        if form == ".csv":
            begun: list[bool] = []

            def write_csv(rows: Sequence[Row]) -> None:
                handle.write(_csv(target, rows, header=not begun))
                begun.append(True)

            yield write_csv
            if not begun:
                write_csv([])
        else:
            yield lambda rows: handle.writelines(_lines(target, rows))


def _table(target: Target, rows: Sequence[Row]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=target.schema)


def _csv(target: Target, rows: Sequence[Row], *, header: bool) -> str:
    """CSV has no lists, so these stand in their cells as JSON; formulas are guarded."""
    assert target.schema is not None
    nested = [field.name for field in target.schema if pa.types.is_nested(field.type)]
    flat = [{**row, **{name: _json(row[name]) for name in nested}} for row in rows]
    schema = pa.schema(
        [pa.field(f.name, pa.string() if f.name in nested else f.type) for f in target.schema]
    )
    frame = pl.from_arrow(pa.Table.from_pylist(flat, schema=schema))
    assert isinstance(frame, pl.DataFrame)
    return guarded(frame).write_csv(include_header=header)


def _lines(target: Target, rows: Sequence[Row]) -> Iterator[str]:
    if target.document is not None:
        rows = [target.document(rows)] if rows else []
    for row in rows:
        yield _json(row) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_time)


def _time(value: Any) -> str:
    assert isinstance(value, datetime)
    return value.isoformat()
