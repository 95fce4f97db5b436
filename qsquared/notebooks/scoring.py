"""The stages of some metrics over replies in memory, and the frame of their values."""

import sys
from collections.abc import Sequence
from typing import Any

import polars as pl
import pyarrow as pa
from tqdm import tqdm

from qsquared.language.models import Models
from qsquared.notebooks.inputs import Reply
from qsquared.notebooks.results import unscored
from qsquared.storage.keys import pair_id
from qsquared.storage.sql.views.phrases import outcome_of
from qsquared.storage.tables.registry import (
    FLAG,
    INT,
    REAL,
    SCORES,
    SITUATION,
    TEXT,
    Table,
    situation_id,
    unit_of,
)
from qsquared.tasks.jobs.graph import Graph
from qsquared.tasks.jobs.in_memory import pair_row, run_stages, situation_row
from qsquared.tasks.metric import METRICS
from qsquared.tasks.stage import Rows, Tables

_PAIRS_AT_ONCE = 64
"""Enough to fill batches, and few enough to see the bar move."""

_Q2_COLUMNS = (
    "support", "q2", "q2_without_nli", "status", "reason", "questions", "no_answer", "contradicted", "nli_label",
    "reply_kind", "worst_sentence", "worst_sentence_q2",
)  # fmt: skip
_TYPES: dict[pa.DataType, Any] = {
    TEXT: pl.String,
    INT: pl.Int32,
    REAL: pl.Float64,
    FLAG: pl.Boolean,
}
_NOT_SHOWN = {"pair_id", "situation_id", "error", "status", "reason", "questions", "q2"}


def run(
    replies: list[Reply],
    models: Models,
    definition: Graph,
    names: tuple[str, ...],
    parameters: dict[str, Any],
    progress: bool | None,
) -> Tables:
    """Return the tables of all stages over the distinct pairs, some pairs at a time."""
    pairs: dict[str, Any] = {}
    situations: dict[str, dict[str, Any]] = {}
    for reply in replies:
        if unscored(reply) is None:
            pair = pair_row(reply.response, reply.knowledge)
            pairs[pair["pair_id"]] = pair
            situation = situation_row(_previous(reply), reply.response, reply.knowledge)
            situations.setdefault(pair["pair_id"], {})[situation["situation_id"]] = situation
    tables: dict[str, Rows] = {stage.name: [] for stage in definition.stages}
    shown = progress if progress is not None else _is_watched() and len(pairs) > 1
    with tqdm(total=len(pairs), unit=" replies", disable=not shown) as bar:
        keys = list(pairs)
        for start in range(0, len(keys), _PAIRS_AT_ONCE):
            some = keys[start : start + _PAIRS_AT_ONCE]
            following = [row for key in some for row in situations[key].values()]
            stage_tables = run_stages(
                [pairs[key] for key in some], models, names, parameters, situations=following
            )
            for name in tables:
                tables[name] += stage_tables[name]
            bar.update(len(some))
    return tables


def _is_watched() -> bool:
    return "ipykernel" in sys.modules or sys.stderr.isatty()


def _previous(reply: Reply) -> str | None:
    return reply.history[-1] if reply.history else None


def frame_of(
    replies: list[Reply], tables: Tables, definition: Graph, names: tuple[str, ...]
) -> pl.DataFrame:
    """Return the columns of Q², if it was run, and those of the tables of the asked metrics."""
    measured = [
        stage.table for name in names for stage in METRICS[name].stages if stage.table.measures
    ]
    of_q2 = [SCORES] if any(stage.table is SCORES for stage in definition.stages) else []
    shown = {table: _shown(table) for table in (*of_q2, *measured)}
    rows_of = {
        table: {row[unit_of(table).key]: row for row in tables[table.name]} for table in shown
    }
    columns_shown = (column for columns in shown.values() for column in columns.items())
    schema = dict(columns_shown) | {"status": pl.String, "reason": pl.String}
    rows = []
    for reply in replies:
        nothing = unscored(reply)
        row = dict(nothing or {})
        if nothing is None:
            key = pair_id(reply.response, reply.knowledge)
            after = situation_id(key, _previous(reply))
            outcomes = []
            for table, columns in shown.items():
                outcome = rows_of[table][after if unit_of(table) is SITUATION else key]
                row |= {name: outcome.get(name) for name in columns}
                outcomes.append((table, *outcome_of(table, outcome)))
            row |= _status(outcomes)
        rows.append({name: row.get(name) for name in schema})
    return pl.DataFrame(rows, schema=schema)


def _status(outcomes: Sequence[tuple[Table, str, str | None]]) -> dict[str, str | None]:
    """Return the status and the reason of a reply: Q²'s, else those of the first without a value.

    Beside a Q² the reason tells what another metric failed at.
    """
    (first, status, reason), *others = outcomes
    for table, other, why in others:
        if first is not SCORES and status == "scored":
            status, reason = other, why
        elif other == "error" and reason is None:
            reason = f"{table.name}: {why}"
    return {"status": status, "reason": reason}


def _shown(table: Table) -> dict[str, Any]:
    named = [c for c in table.columns if c.type in _TYPES]
    if table is SCORES:
        return {c.name: _TYPES[c.type] for c in named if c.name in _Q2_COLUMNS}
    return {c.name: _TYPES[c.type] for c in named if c.name not in _NOT_SHOWN}
