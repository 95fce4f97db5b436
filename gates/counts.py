"""Counts of turns by day and group, for the gates."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from qsquared.errors import UsageError
from qsquared.gates.rules import SCORES, GateRules
from qsquared.gates.verdicts import GroupCounts, Night
from qsquared.storage.records.dates.date_records import all_dates
from qsquared.storage.records.store_index import open_index
from qsquared.storage.sql.catalogue import connect

if TYPE_CHECKING:
    from collections.abc import Collection

    import duckdb

    from qsquared.storage.store import Store

# A turn belongs to the date of its log, or, in a log of no date, to the day (UTC) of its time.
_DAYS = """
logs AS (SELECT unnest($inputs) AS input, unnest($sources) AS source, unnest($days) AS day),
dated AS (
  SELECT coalesce(CAST(l.day AS DATE), CAST(make_timestamp(epoch_us(t.timestamp)) AS DATE)) AS day,
         t.pair_id, t.metadata, t.input, t.source
  FROM turns t LEFT JOIN logs l ON l.input = t.input AND l.source = t.source
)
"""
_COUNTS = """
WITH {days}
SELECT d.day, {group} AS grouped, count(*), count(s.score),
       count(*) FILTER (WHERE s.score < $threshold)
FROM dated d
LEFT JOIN (
  SELECT pair_id, {column} AS score FROM {stage} WHERE metric = $metric AND profile = $profile
) s ON s.pair_id = d.pair_id
WHERE d.day BETWEEN $first AND $last
GROUP BY ALL ORDER BY ALL
"""
_LAST = "WITH {days} SELECT max(day) FROM dated"
# A reject has no time: in a log of no date it counts for each day that the log has turns of.
_REJECTS = """
WITH {days}
SELECT count(*) FROM rejects r LEFT JOIN logs l ON l.input = r.input AND l.source = r.source
WHERE CAST(l.day AS DATE) = $last OR (l.day IS NULL AND EXISTS (
  SELECT 1 FROM dated d WHERE d.input = r.input AND d.source = r.source AND d.day = $last
))
"""


def last_day(store: Store) -> date | None:
    """The last date of the store, by its records or else by the times of its turns."""
    if known := all_dates(store):
        return max(known)
    sql = _LAST.format(days=_DAYS)
    with connect(store, sql) as connection:
        found = connection.execute(sql, _logs_by_day(store)).fetchone()
    return None if found is None else found[0]


def shown_as(store: Store, score: str, digests: Collection[str] = ()) -> tuple[str, str]:
    """Metric and profile, as SQL shows them, that have a score.

    Args:
        store: the store.
        score: name of the score (see `qsquared.gates.rules.SCORES`).
        digests: hashes of configurations to choose from; empty for all.
            The one that a run last completed with is taken.

    Raises:
        UsageError: none has this score.
    """
    stage, _ = SCORES[score]
    found = [
        told
        for told in open_index(store).configurations
        if stage in told["lineages"] and told["last_used"]
    ]
    asked = [told for told in found if told["digest"] in digests] if digests else found
    if not asked:
        shown = ", ".join(f"{told['metric']} {told['profile']}" for told in found) or "none"
        raise UsageError(
            f"The store {store.root} has not the score {score!r} that the gates ask for "
            f"(with it: {shown}).",
            "Score the logs with a metric that gives it, or name another score in the rules.",
        )
    last = max(asked, key=lambda told: told["last_used"])
    return last["metric"], last["profile"]


def count_night(store: Store, rules: GateRules, day: date, metric: str, profile: str) -> Night:
    """All that the gates need to know of a date and of the days before it.

    Raises:
        DamagedFile: a table cannot be trusted.
    """
    stage, column = SCORES[rules.score]
    logs = _logs_by_day(store)
    values = logs | {
        "threshold": rules.threshold,
        "metric": metric,
        "profile": profile,
        "first": day - timedelta(days=rules.history_days),
        "last": day,
    }
    template = _COUNTS.format(days=_DAYS, group="{group}", column=column, stage=stage)
    # What is read is checked once; the groups differ in a column only.
    rejected = _REJECTS.format(days=_DAYS)
    with connect(store, template + rejected) as connection:
        counts = {field: _count(connection, template, values, field) for field in rules.groups}
        found = connection.execute(rejected, logs | {"last": day}).fetchone()
    rejects = 0 if found is None else int(found[0])
    turns = sum(group.turns for group in counts[""] if group.day == day)
    return Night(day, turns + rejects, rejects, counts)


def _count(
    connection: duckdb.DuckDBPyConnection, template: str, values: dict[str, object], field: str
) -> list[GroupCounts]:
    group = "json_extract_string(d.metadata, $path)" if field else "''"
    # A JSON pointer, in which any name of a field can be written.
    path = {"path": "/" + field.replace("~", "~0").replace("/", "~1")} if field else {}
    rows = connection.execute(template.format(group=group), values | path).fetchall()
    return [GroupCounts(*row) for row in rows]


def _logs_by_day(store: Store) -> dict[str, object]:
    """The logs of all dates as three columns."""
    rows = [
        (file.fingerprint, file.path, day)
        for day, record in all_dates(store).items()
        for file in record.files
        if file.fingerprint
    ]
    return {
        "inputs": [row[0] for row in rows],
        "sources": [row[1] for row in rows],
        "days": [str(row[2]) for row in rows],
    }
