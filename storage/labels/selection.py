"""Select turns for judgements and rates: their distinct replies, how often each was given, its score."""

from dataclasses import dataclass
from operator import itemgetter

import duckdb
import polars as pl

from qsquared.errors import UsageError
from qsquared.storage.connection import quote_name
from qsquared.storage.labels.records import last_measure
from qsquared.storage.records.dates.date_records import parse_date
from qsquared.storage.records.indexes.store_index import open_index
from qsquared.storage.sql.fields import refuse_unknown_field
from qsquared.storage.sql.views.phrases import DAY
from qsquared.storage.sql.views.rates import rates
from qsquared.storage.store import Store, store_option
from qsquared.storage.tables.registry import MEASURED, PAIR, unit_of

PREFERRED = ("support", "blend", "q2", "consistency", "e2e_nli")
"""Scores by which replies are drawn and rates corrected, the first that the store has."""

_SELECTED = """
SELECT t.pair_id, t.conversation_id, {group} AS "group", s.score
FROM turns t LEFT JOIN (
  SELECT pair_id, CAST({column} AS DOUBLE) AS score FROM {table}
  WHERE metric = $metric AND profile = $profile AND configuration = $configuration
) s ON s.pair_id = t.pair_id
WHERE t.pair_id IS NOT NULL AND ($first = '' OR {day} >= CAST($first AS DATE))
  AND ($last = '' OR {day} <= CAST($last AS DATE)) AND ({where})
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
    day = DAY.replace("timestamp)", "t.timestamp)")
    sql = _SELECTED.format(
        group="json_extract_string(t.metadata, $path)" if selection.group else "''",
        column=quote_name(score.measure),
        table=quote_name(score.table),
        day=day,
        where=selection.where or "true",
    )
    values = {name: getattr(score, name) for name in ("metric", "profile", "configuration")}
    values |= {"first": selection.first, "last": selection.last}
    if selection.group:
        values["path"] = "/" + selection.group.replace("~", "~0").replace("/", "~1")
    try:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE selected_turns AS {sql}", values)
        replies: pl.DataFrame = connection.sql(_REPLIES).pl()
    except duckdb.Error as error:
        raise UsageError(
            f"The turns cannot be selected: {str(error).splitlines()[0]}",
            "--where is an SQL condition on the table `turns`, such as \"metadata->>'bot' = 'B'\".",
        ) from error
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
