"""Scores of replies in memory, by the stages of some metrics, and the explanation of each."""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
from tqdm import tqdm

from qsquared.errors import UsageError
from qsquared.language.models import Models
from qsquared.method.intervals import effective_number, wilson_interval
from qsquared.method.q2.explaining import explanation as method
from qsquared.method.threshold import is_inconsistent
from qsquared.notebooks.inputs import Reply
from qsquared.report.templates import to_html
from qsquared.storage.keys import pair_id
from qsquared.storage.outputs.explanations import explained as explained_turns
from qsquared.storage.records.inputs.reply_statuses import status_by_reading
from qsquared.storage.sql.derived_views import view
from qsquared.storage.sql.phrases import outcome_of
from qsquared.storage.tables import (
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
from qsquared.tasks.jobs.in_memory import (
    pair_row,
    run_stages,
    situation_row,
)
from qsquared.tasks.metrics import METRICS
from qsquared.tasks.stage import Rows, Tables


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a response's score; a notebook shows it with colours.

    ``content`` has every part of it (see `qsquared.method.q2.explaining.explanation.Explanation`).
    """

    content: method.Explanation

    @property
    def q2(self) -> float | None:
        """Q² of the response, 0 to 1; None if it could not be scored."""
        return self.content.q2

    def to_json(self) -> dict[str, Any]:
        """Return the whole explanation as a plain JSON object."""
        return self.content.to_json()

    def _repr_html_(self) -> str:
        return to_html(self.content)

    def __str__(self) -> str:
        score = "not scored" if self.q2 is None else f"Q² {self.q2:.2f}"
        return f"{score}: {self.content.sentence()}"


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of replies, in their order.

    ``frame`` has one row for each reply; DuckDB, pandas and Arrow read the scores without a copy by
    way of the Arrow stream.
    """

    frame: pl.DataFrame
    profile: str
    metrics: tuple[str, ...]
    replies: tuple[Reply, ...] = field(repr=False)
    tables: Tables = field(repr=False)

    def __len__(self) -> int:
        return self.frame.height

    def __getitem__(self, column: str) -> pl.Series:
        return self.frame[column]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)

    @property
    def scored(self) -> int:
        """The number of replies that have a Q²."""
        return len(self._leading())

    @property
    def inconsistent(self) -> int:
        """The number of replies with a support, or else a Q², of 0.5 or below."""
        return sum(map(is_inconsistent, self._leading()))

    @property
    def rate(self) -> float | None:
        """The share of scored replies that are inconsistent; None if none is scored."""
        return self.inconsistent / self.scored if self.scored else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the rate; equal replies to equal knowledge are one observation."""
        if not self.scored:
            return None
        shares = Counter(
            pair_id(reply.response, reply.knowledge)
            for reply, value in zip(self.replies, self.frame["q2"], strict=True)
            if value is not None
        )
        return wilson_interval(self.inconsistent / self.scored, effective_number(shares.values()))

    def explain(self, number: int) -> Explanation:
        """Explain the Q² of the reply of that number (from 0) without asking a model again.

        Raises:
            UsageError: Q² is not among the metrics, or there is no such reply.
        """
        if SCORES.name not in self.tables:
            names = ", ".join(map(repr, ("q2", *self.metrics)))
            raise UsageError(
                f"There is no Q² to explain: the metric is {', '.join(self.metrics)}.",
                f"Score the replies with Q², too: score(replies, knowledge, metric=[{names}])",
            )
        if not -len(self.replies) <= number < len(self.replies):
            raise UsageError(
                f"There is no reply {number}: {len(self):,} were given, and the first has number 0.",
                "The columns and rows of all: scores.frame",
            )
        return explained(self.replies[number], self.tables)

    def _leading(self) -> list[float]:
        measures = [name for name in ("support", "q2") if name in self.frame.columns]
        if not measures:
            return []
        return self.frame.select(pl.coalesce(measures)).to_series().drop_nulls().to_list()

    def __str__(self) -> str:
        if self.rate is None or self.interval is None:
            return f"{len(self)} replies, none with a Q² (profile {self.profile})"
        low, high = self.interval
        return (
            f"{self.inconsistent} of {self.scored} scored replies are inconsistent "
            f"({self.rate:.1%}, 95 % interval {low:.1%} to {high:.1%}), of {len(self)} "
            f"(profile {self.profile})"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>{self.frame._repr_html_()}"


def unscored(reply: Reply) -> dict[str, Any] | None:
    """Return status and reason of a reply that has nothing to score; None for others."""
    return status_by_reading(reply.response, reply.knowledge)


def explained(reply: Reply, tables: Tables) -> Explanation:
    """Return the explanation of a reply from the tables of Q²'s stages, by the queries for those of a store."""
    pair, nothing = pair_id(reply.response, reply.knowledge), unscored(reply)
    turn = {
        "id": None,
        "pair_id": None if nothing else pair,
        "response": reply.response,
        "knowledge": reply.knowledge,
        "history": reply.history,
        "metadata": "{}",
    } | (nothing or {})
    with duckdb.connect() as connection:
        for table in (stage.table for stage in METRICS["q2"].stages):
            rows = [row for row in tables[table.name] if row["pair_id"] == pair]
            connection.register(f"{table.name}_rows", pa.Table.from_pylist(rows, table.schema))
            connection.execute(
                f"CREATE VIEW {table.name} AS SELECT 'q2' AS metric, '' AS profile, * FROM {table.name}_rows"
            )
        connection.execute(f"CREATE VIEW evidence AS {view('evidence').sql}")
        (explained_turn,) = explained_turns(connection, [turn], profile="")
    return Explanation(explained_turn.explanation)


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
