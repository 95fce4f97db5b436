"""SQL that several views share, or views and other modules."""

from collections.abc import Mapping
from typing import Any

from qsquared.method.begin import NAMES, chit_chat_sql
from qsquared.storage.tables import OF_CLAIMS, SITUATION, Table, unit_of

# Cast by way of a time without zone, which needs no time zones of the reader's DuckDB.
DAY = "CAST(make_timestamp(epoch_us(timestamp)) AS DATE)"
"""The day of a turn in UTC."""

LEADING = "coalesce(s.support, s.q2)"
"""The score by which a row of `scores`, called ``s``, is judged: support, else Q²."""

CHIT_CHAT = chit_chat_sql(
    "b.label",
    "t.response",
    "s.contradicted",
    "t.pair_id IN (SELECT pair_id FROM spans "
    f"WHERE label IN ({', '.join(repr(name) for name in NAMES)}) AND pair_id IS NOT NULL)",
)
"""Whether a turn is chit-chat, over a turn ``t``, its class ``b`` and its score ``s``."""

TITLES = ("title", "documentTitle", "name", "filename", "file_name", "id", "document_id", "doc_id")
"""Fields that name a passage, the best one first."""

ADDRESSES = ("url", "uri", "documentUri", "filepath", "source")
"""Fields that say where a passage is."""


def first_of(names: tuple[str, ...]) -> str:
    """The first of some fields that a passage's record in the log has."""
    values = ", ".join(f"source ->> '{name}'" for name in names)
    return f"coalesce({values})"


def grouped_by_field(view: str, columns: str) -> str:
    """The rows of a view, once for each plain field of the log, as a relation to group by it."""
    return f"""(
    SELECT {columns}, j."key" AS field, j.value ->> '$' AS value
    FROM {view} v, json_each(v.metadata) j
    WHERE j.type NOT IN ('OBJECT', 'ARRAY', 'NULL')
  )"""


CLAIMS_NOTHING = "The reply claims nothing, or nothing in English."


def status_of(table: Table, alias: str) -> str:
    """A row's status as SQL: its own, or whether it failed or claims nothing."""
    if "status" in table:
        return f"{alias}.status"
    nothing = f"WHEN {_is_absent(table, alias)} THEN 'no_claim' " if table in OF_CLAIMS else ""
    return f"CASE WHEN {alias}.error IS NOT NULL THEN 'error' {nothing}ELSE 'scored' END"


def reason_of(table: Table, alias: str) -> str:
    """Why a row has no value, or not the usual one, as SQL."""
    if "reason" in table:
        return f"{alias}.reason"
    if table in OF_CLAIMS:
        nothing = f"CASE WHEN {_is_absent(table, alias)} THEN '{CLAIMS_NOTHING}' END"
        return f"coalesce({alias}.error, {nothing})"
    return f"{alias}.error"


def _is_absent(table: Table, alias: str) -> str:
    return f'{alias}."{table.measures[0]}" IS NULL'


def outcome_of(table: Table, row: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return the status and the reason of a row in memory, as `status_of` and `reason_of` give them."""
    if "status" in row:
        return row["status"], row["reason"]
    if row["error"] is not None:
        return "error", row["error"]
    if table in OF_CLAIMS and row[table.measures[0]] is None:
        return "no_claim", CLAIMS_NOTHING
    return "scored", None


def measures_of(table: Table) -> str:
    """The rows of a measured stage view in the long form, as a query."""
    names = ", ".join(f"'{name}'" for name in table.measures)
    values = ", ".join(f'CAST(m."{name}" AS DOUBLE)' for name in table.measures)
    unit = unit_of(table)
    after = f"m.{unit.key}" if unit is SITUATION else "CAST(NULL AS TEXT)"
    return (
        f"SELECT m.metric, m.profile, m.pair_id, {after} AS situation_id, unnest([{names}]) AS measure, "
        f"unnest([{values}]) AS value, {status_of(table, 'm')} AS status, "
        f"{reason_of(table, 'm')} AS reason, m.configuration FROM {table.name} m"
    )
