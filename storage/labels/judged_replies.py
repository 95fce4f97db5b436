"""Replies for judgements and rates: how often each was given in the selected turns, its score, and its judgements.

Draws and judgements are files of the store that are only ever added.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa

from qsquared.errors import UsageError
from qsquared.storage.connection import quote, quote_name
from qsquared.storage.files.parquet import read_table
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.records.date_records import parse_date
from qsquared.storage.records.indexes.store_index import open_index
from qsquared.storage.sql.fields import refuse_unknown_field
from qsquared.storage.sql.phrases import DAY
from qsquared.storage.sql.queries import not_selected
from qsquared.storage.sql.rates import rates
from qsquared.storage.store import Store, store_option
from qsquared.storage.tables import DRAWS, LABELS, MEASURED, PAIR, Table, unit_of

RATE = "rate"
"""The purpose of the draws that estimates count; older versions made draws for others, too."""

CONSISTENT = "consistent"
INCONSISTENT = "inconsistent"
VERDICTS = (CONSISTENT, INCONSISTENT)


def add(store: Store, table: Table, key: str, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows as a new file of a table."""
    write_table(store.table_path(table.name, key), rows, table, key)


def read_all(store: Store, table: Table) -> pl.DataFrame:
    """Return all rows of a table of judgements.

    Raises:
        DamagedFile: a file of it cannot be trusted.
    """
    files = [read_table(path, table, path.stem) for path in store.tables(table.name)]
    return pl.DataFrame(pa.concat_tables([table.schema.empty_table(), *files]))


def draws_for_rates(store: Store) -> pl.DataFrame:
    """Return the rows of the draws that estimates count."""
    return read_all(store, DRAWS).filter(pl.col("purpose") == RATE)


def last_measure(store: Store) -> str:
    """Return the measure that the last draw was made by; empty without a draw."""
    draws = draws_for_rates(store)
    return "" if draws.is_empty() else str(draws.sort("drawn_at")["measure"][-1])


def judged_replies(store: Store) -> pl.DataFrame:
    """Return a row for each reply that a draw could have drawn.

    `chance` is the probability that any draw took it and somebody judged it, `drawn` whether one took
    it whose form came back, and `judged` the judgement of a drawn one: 0, 1, or one half at a tie.

    Draws are independent of each other: one leaves out what is judged, and its `chance` is that of a
    reply that is not.
    Of what a draw took, the judged are taken for a random part; those that another draw brought a
    judgement of say nothing of that.
    """
    draws = draws_for_rates(store).sort("drawn_at", "draw", "pair_id")
    labels = read_all(store, LABELS).join(draws, "draw", "semi")
    pairs = draws["pair_id"].unique().sort()
    not_judged = np.ones(len(pairs))
    drawn: set[str] = set()
    for (name,), rows in draws.group_by("draw", maintain_order=True):
        taken = rows.filter("drawn")["pair_id"]
        elsewhere = labels.filter(pl.col("draw") != name)["pair_id"]
        labelled = labels.filter(pl.col("draw") == name)["pair_id"]
        alone = taken.filter(~taken.is_in(elsewhere.implode()))
        share = float(alone.is_in(labelled.implode()).to_numpy().mean()) if len(alone) else 1.0
        if share:
            drawn |= set(taken.to_list())
        chances = np.zeros(len(pairs))
        chances[pairs.search_sorted(rows["pair_id"]).to_numpy()] = rows["chance"].to_numpy()
        not_judged *= 1 - chances * share
    return (
        pl.DataFrame({"pair_id": pairs, "chance": 1 - not_judged})
        .with_columns(drawn=pl.col("pair_id").is_in(list(drawn)))
        .join(resolved_labels(labels), "pair_id", "left", maintain_order="left")
        .with_columns(judged=pl.when("drawn").then("judged"))
    )


def resolved_labels(labels: pl.DataFrame) -> pl.DataFrame:
    """Return `pair_id` and `judged` of each judged reply: 0, 1 (inconsistent), or one half at a tie."""
    against = (pl.col("verdict") == INCONSISTENT).mean()
    judged = (1 + (against - 0.5).sign()) / 2
    return labels.group_by("pair_id", maintain_order=True).agg(judged=judged)


PREFERRED = ("support", "blend", "q2", "consistency", "e2e_nli")
"""Scores by which replies are drawn and rates corrected, the first that the store has."""

_SELECTED = """
SELECT t.pair_id, t.conversation_id, {group} AS "group", s.score
FROM turns t LEFT JOIN (
  SELECT pair_id, CAST({column} AS DOUBLE) AS score FROM {table}
  WHERE metric = $metric AND profile = $profile AND configuration = $configuration
) s ON s.pair_id = t.pair_id
WHERE t.pair_id IS NOT NULL AND {where}
"""
_REPLIES = """
SELECT pair_id, "group", count(*) AS turns, any_value(score) AS score FROM selected_turns
GROUP BY ALL ORDER BY ALL
"""
_CONVERSATIONS = """
SELECT coalesce("group", '(none)') AS "group", conversation_id AS conversation, pair_id,
       CAST(count(*) AS DOUBLE) AS turns
FROM selected_turns WHERE conversation_id IS NOT NULL AND score IS NOT NULL GROUP BY ALL ORDER BY ALL
"""
_COUNTED = """(SELECT pair_id, conversation_id, "group", score AS q2, score, 0 AS contradicted, '' AS status
FROM selected_turns)"""


@dataclass(frozen=True, slots=True)
class Score:
    """A measure of one configuration, whose values are 0 to 1 and higher where a reply is consistent."""

    measure: str
    table: str
    metric: str
    profile: str
    configuration: str


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """Turns by day (UTC, as 2026-11-20), by an SQL condition on `turns`, and the field to group by.

    ``inputs`` are the fingerprints of the logs whose tables are read; None: all.

    Raises:
        UsageError: a day is none.
    """

    first: str = ""
    last: str = ""
    where: str = ""
    group: str = ""
    inputs: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for day in filter(None, (self.first, self.last)):
            parse_date(day)

    @property
    def condition(self) -> str:
        """The condition of the turns as SQL, without their logs."""
        days = {">=": self.first, "<=": self.last}
        parts = [f"{DAY} {sign} CAST({quote(day)} AS DATE)" for sign, day in days.items() if day]
        return " AND ".join([*parts, f"({self.where or 'true'})"])


def find_score(store: Store, measure: str = "", profile: str = "") -> Score:
    """Return the score of a store by its measure: the asked one, that of the last draw, or the first usual one.

    Raises:
        UsageError: the store has none.
    """
    measure = measure or last_measure(store)
    tables = {
        name: table.name for table in MEASURED if unit_of(table) is PAIR for name in table.measures
    }
    configurations = open_index(store, needs_runs=False).configurations
    configurations.sort(key=itemgetter("last_used"), reverse=True)
    for name in (measure,) if measure else PREFERRED:
        for config in configurations:
            # Replies that are read as logged, as published, have no support.
            fits = name != "support" or config["parameters"].get("sentences")
            if (
                fits
                and tables.get(name) in config["lineages"]
                and profile in {"", config["profile"]}
            ):
                return Score(
                    name, tables[name], config["metric"], config["profile"], config["digest"]
                )
    raise UsageError(
        f"The store {store.root} has no score {measure or PREFERRED[0]!r}"
        f"{f' of the profile {profile}' if profile else ''}.",
        f"Score its logs with a metric that gives it: q2 score LOGS --metric blend {store_option(store)}",
    )


def selected(
    connection: duckdb.DuckDBPyConnection, score: Score, selection: TurnFilter
) -> pl.DataFrame:
    """Return the distinct replies of the selected turns: `pair_id`, `group`, `turns` and `score`.

    A reply that several groups gave has a row for each of them.

    Raises:
        UsageError: the condition is no SQL, no turn fulfils it, or none has the field to group by.
    """
    sql = _SELECTED.format(
        group="json_extract_string(t.metadata, $path)" if selection.group else "''",
        column=quote_name(score.measure),
        table=quote_name(score.table),
        where=selection.condition,
    )
    values = {name: getattr(score, name) for name in ("metric", "profile", "configuration")}
    if selection.group:
        values["path"] = "/" + selection.group.replace("~", "~0").replace("/", "~1")
    try:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE selected_turns AS {sql}", values)
        replies: pl.DataFrame = connection.sql(_REPLIES).pl()
    except duckdb.Error as error:
        raise not_selected(error, "the table `turns`", "metadata->>'bot' = 'B'") from error
    if replies.is_empty():
        raise UsageError("No turn with knowledge is selected.", "Choose other dates or conditions.")
    if "path" in values and replies["group"].is_null().all():
        refuse_unknown_field(connection, selection.group)
    return replies


def independent_turns(connection: duckdb.DuckDBPyConnection) -> dict[str | None, float]:
    """Return the number of independent turns that the scored ones of the `selected` are worth.

    By group, and of all under ``None``: turns of one reply or of one conversation say less of the bot.
    """
    every = f"SELECT observations FROM ({rates(_COUNTED, (), worth=True)})"
    by_group = rates(_COUNTED, ('"group"',), worth=True)
    parts = connection.execute(f'SELECT "group", observations FROM ({by_group})').fetchall()
    worth: dict[str | None, float] = {group_name(group): number or 0.0 for group, number in parts}
    ((number,),) = connection.execute(every).fetchall()
    return worth | {None: number or 0.0}


def conversations(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return `group`, `conversation`, `pair_id` and `turns` of the scored turns that were `selected`."""
    turns: pl.DataFrame = connection.sql(_CONVERSATIONS).pl()
    return turns


def group_name(group: str | None) -> str:
    """Return the name of a group; that of the turns without the field is in brackets."""
    return "(none)" if group is None else group
