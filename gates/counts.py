"""Counts of turns by day and group, for the gates."""

from collections.abc import Collection
from dataclasses import replace
from datetime import date, timedelta

from qsquared.errors import UsageError
from qsquared.gates.findings import DateCounts, GroupCounts
from qsquared.gates.rules import SCORES, GateRules
from qsquared.storage.connection import ask, exact_patterns
from qsquared.storage.records.date_records import INCOMPLETE, all_dates
from qsquared.storage.records.indexes.checks import STAGES
from qsquared.storage.records.indexes.store_index import open_index
from qsquared.storage.sql.fields import refuse_unknown_field
from qsquared.storage.sql.phrases import DAY, status_of
from qsquared.storage.sql.rates import rates
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store
from qsquared.storage.tables import TURNS

# A turn belongs to the date of its log, or, in a log of no date, to the day (UTC) of its time.
_DAYS = f"""
logs AS (SELECT unnest($inputs) AS input, unnest($sources) AS source, unnest($days) AS day),
dated AS (
  SELECT coalesce(CAST(l.day AS DATE), {DAY}) AS day,
         t.pair_id, t.conversation_id, t.metadata, t.input, t.source
  FROM turns t LEFT JOIN logs l ON l.input = t.input AND l.source = t.source
)
"""
# Scores of several versions are not comparable: days before count by the version that scored most of
# the date's turns, and their turns of other versions are counted apart.
_SCORED = """(
WITH {days}, scored AS (
  SELECT d.day, {group} AS grouped, d.pair_id, d.conversation_id, s.score AS s, s.status, s.reply_kind, s.configuration,
         mode(s.configuration) FILTER (WHERE d.day = $last) OVER () AS version
  FROM dated d
  LEFT JOIN (
    SELECT pair_id, {column} AS score, {status} AS status, configuration, {kinds}
    FROM {stage}
    WHERE metric = $metric AND profile = $profile
  ) s ON s.pair_id = d.pair_id
  WHERE d.day BETWEEN $first AND $last
)
SELECT day, grouped, pair_id, conversation_id, 0 AS contradicted, status, reply_kind,
       CASE WHEN day = $last OR configuration = version THEN s END AS q2, q2 AS score,
       s IS NOT NULL AND q2 IS NULL AS outdated
FROM scored
)"""
_INPUTS = f"SELECT DISTINCT input FROM read_parquet($turns) WHERE {DAY} BETWEEN $first AND $last"
_COUNTED = (
    "day, grouped, turns, scored, inconsistent, rate_low, rate_high, no_claim, left_out, outdated"
)
# Support, or Q² where there is none: which of them leads is told beside the share.
_LED_BY = """
WITH {days}
SELECT count(*) FILTER (WHERE s.support IS NOT NULL), count(*) FILTER (WHERE s.support IS NULL)
FROM dated d JOIN scores s ON s.pair_id = d.pair_id
WHERE d.day = $last AND s.metric = $metric AND s.profile = $profile AND s.q2 IS NOT NULL
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
    """Return the last date of the store, by its records or else by the times of its turns."""
    if dates := all_dates(store):
        return max(dates)
    with connect(store, TURNS.name) as connection:
        sql = _LAST.format(days=_DAYS)
        latest = connection.execute(sql, _logs_by_day(store)).fetchone()
    return None if latest is None else latest[0]


def shown_as(store: Store, score: str, digests: Collection[str] = ()) -> tuple[str, str]:
    """Return the metric and profile, as SQL shows them, that have a score.

    Args:
        store: the store.
        score: name of the score (see `qsquared.gates.rules.SCORES`).
        digests: hashes of configurations to choose from; empty for all.
            The one that a run last completed with is taken.

    Raises:
        UsageError: none has this score.
    """
    stage, _ = SCORES[score]
    index = open_index(store, needs_runs=False)
    with_score = [
        entry for entry in index.configurations if stage in entry["lineages"] and entry["last_used"]
    ]
    # A date that an older version scored is shown with those scores, or with the newest.
    names = {
        (entry["metric"], entry["profile"])
        for entry in index.all_configurations
        if not digests or entry["digest"] in digests
    }
    asked = [entry for entry in with_score if (entry["metric"], entry["profile"]) in names]
    if not asked:
        shown = ", ".join(f"{entry['metric']} {entry['profile']}" for entry in with_score) or "none"
        raise UsageError(
            f"The store {store.root} has not the score {score!r} that the gates ask for "
            f"(with it: {shown}).",
            "Score the logs with a metric that gives it, or name another score in the rules.",
        )
    last = max(asked, key=lambda entry: entry["last_used"])
    return last["metric"], last["profile"]


def count_date(store: Store, rules: GateRules, day: date, metric: str, profile: str) -> DateCounts:
    """Count the turns of a date and of the days before it, as the gates need them.

    Only the tables of these days are read, and the turns of logs of no date, for their days.

    Raises:
        UsageError: no turn of the store has a field that a gate groups by.
        DamagedFile: a table cannot be trusted.
    """
    stage, column = SCORES[rules.score]
    logs = _logs_by_day(store)
    first = day - timedelta(days=rules.history_days)
    shown = {"metric": metric, "profile": profile}
    values = logs | shown | {"first": first, "last": day}
    inputs = _inputs_between(store, first, day)
    # Each table is checked once: the queries of the groups differ in a column only.
    with connect(store, f"{stage}, turns, rejects", inputs=inputs) as connection:
        counts = {}
        for field in rules.groups:
            scored = _SCORED.format(
                days=_DAYS,
                group="json_extract_string(d.metadata, $path)" if field else "''",
                column=column,
                status=status_of(STAGES[stage], stage),
                stage=stage,
                kinds="reply_kind" if stage == "scores" else "NULL::VARCHAR AS reply_kind",
            )
            counted = rates(scored, ("day", "grouped"), rules.threshold, kinds=True, outdated=True)
            sql = f"SELECT {_COUNTED} FROM ({counted}) ORDER BY ALL"
            # A JSON pointer can hold any field name.
            pointer = "/" + field.replace("~", "~0").replace("/", "~1")
            path = {"path": pointer} if field else {}
            rows = connection.execute(sql, values | path).fetchall()
            counts[field] = [GroupCounts(*row) for row in rows]
            if field and all(group.group is None for group in counts[field]):
                with connect(store, TURNS.name) as every_turn:
                    refuse_unknown_field(every_turn, field)
        on_date = logs | {"last": day}
        ((rejects,),) = connection.execute(_REJECTS.format(days=_DAYS), on_date).fetchall()
        supported = unsupported = 0
        if rules.score in {"leading", "support"}:
            sql = _LED_BY.format(days=_DAYS)
            ((supported, unsupported),) = connection.execute(sql, on_date | shown).fetchall()
    turns = sum(group.turns for group in counts[""] if group.day == day)
    record = all_dates(store).get(day)
    doubt = record.reason if record is not None and record.status == INCOMPLETE else ""
    return DateCounts(
        day,
        turns + rejects,
        rejects,
        counts,
        doubt=doubt,
        supported=supported,
        unsupported=unsupported,
    )


def _inputs_between(store: Store, first: date, last: date) -> set[str]:
    """Return the fingerprints of the logs that have turns of some days.

    The day of a log that was scored without a date is in its turns alone, so these are read.

    Raises:
        DamagedFile: such turns cannot be trusted.
    """
    index = open_index(store, needs_runs=False)
    of_dates = [
        (day, file.fingerprint, file.path)
        for day, record in all_dates(store).items()
        for file in record.files
    ]
    dated = {(name, path) for _, name, path in of_dates}
    found = {name for day, name, _ in of_dates if first <= day <= last}
    undated = [
        one
        for one in index.inputs
        if one.fingerprint not in found
        and any((one.fingerprint, path) not in dated for path in one.paths)
    ]
    of_no_date = replace(index, manifests=undated)
    of_no_date.check({TURNS.name})
    if paths := exact_patterns(of_no_date.files(TURNS.name)):
        values = {"turns": paths, "first": first, "last": last}
        found |= {name for (name,) in ask(store.root, _INPUTS, values)}
    return found


def _logs_by_day(store: Store) -> dict[str, object]:
    """Return the logs of all dates as three columns."""
    logs = [
        (file.fingerprint, file.path, str(day))
        for day, record in all_dates(store).items()
        for file in record.files
        if file.fingerprint
    ]
    return {
        "inputs": [fingerprint for fingerprint, _, _ in logs],
        "sources": [path for _, path, _ in logs],
        "days": [day for _, _, day in logs],
    }
