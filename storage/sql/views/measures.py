"""Measures: the values that metrics give to a pair in one long form, and their calibrated probabilities.

A table of a stage with ``measures`` has one row for each pair (or situation); what its status and reason are where
it has no columns for them is decided here.
"""

from collections.abc import Mapping
from typing import Any

from qsquared.storage.sql.views.view import View
from qsquared.storage.tables.columns import Table
from qsquared.storage.tables.registry import MEASURED, OF_CLAIMS
from qsquared.storage.tables.units import SITUATION, unit_of

CLAIMS_NOTHING = "The reply claims nothing, or nothing in English."


def status_of(table: Table, alias: str) -> str:
    """A row's status as SQL: its own, or whether it failed or claims nothing."""
    if any(column.name == "status" for column in table.columns):
        return f"{alias}.status"
    nothing = f"WHEN {_is_absent(table, alias)} THEN 'no_claim' " if table in OF_CLAIMS else ""
    return f"CASE WHEN {alias}.error IS NOT NULL THEN 'error' {nothing}ELSE 'scored' END"


def reason_of(table: Table, alias: str) -> str:
    """Why a row has no value, or not the usual one, as SQL."""
    if any(column.name == "reason" for column in table.columns):
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


MEASURES = View(
    "measures",
    " UNION ALL ".join(measures_of(table) for table in MEASURED),
)

CALIBRATED = View(
    "calibrated",
    """
SELECT calibration, metric, profile, pair_id, measure, score, probability,
       coalesce(score <= threshold, probability >= 0.5) AS calibrated
FROM (
  SELECT v.*, k.chance + coalesce((v.inner_score - k.knot) / nullif(k.next_knot - k.knot, 0)
           * (k.next_chance - k.chance), 0) AS probability
  FROM (
    SELECT c.calibration, m.metric, m.profile, m.pair_id, m.measure, m.value AS score, c.threshold,
           least(greatest(m.value, c.knots[1]), c.knots[-1]) AS inner_score
    FROM measures m JOIN calibrations c USING (measure, metric, profile, configuration)
    WHERE m.value IS NOT NULL AND c.current
  ) v
  ASOF JOIN (
    SELECT calibration, knot, chance, lead(knot) OVER ordered AS next_knot,
           lead(chance) OVER ordered AS next_chance
    FROM (SELECT calibration, unnest(knots) AS knot, unnest(chances) AS chance FROM calibrations)
    WINDOW ordered AS (PARTITION BY calibration ORDER BY knot)
  ) k ON v.calibration = k.calibration AND v.inner_score >= k.knot
)
""",
)
