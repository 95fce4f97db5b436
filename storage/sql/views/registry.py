"""All views and small tables of `q2 sql`, and the tables of the store that each view reads.

They are as stable as the tables: a column is added, but none is renamed or dropped within a schema
version.
"""

from qsquared.storage.sql.views.begin import CLASSES_BY_GROUP, CLASSES_DAILY, REPLIES
from qsquared.storage.sql.views.costs import COSTS
from qsquared.storage.sql.views.drilling import ANSWERS_OF, NIGHTS
from qsquared.storage.sql.views.knowledge import PASSAGES
from qsquared.storage.sql.views.measures import CALIBRATED, MEASURES
from qsquared.storage.sql.views.q2 import (
    BY_GROUP,
    DAILY,
    EVIDENCE,
    HALLUCINATED_SPANS,
    OUTCOMES,
    SCORED_SENTENCES,
)
from qsquared.storage.sql.views.view import View
from qsquared.storage.tables.columns import Table
from qsquared.storage.tables.registry import TABLES

SMALL_TABLES = tuple(map(View, ("inputs", "runs", "configurations", "calibrations", "requests")))
VIEWS = (
    EVIDENCE,
    OUTCOMES,
    HALLUCINATED_SPANS,
    SCORED_SENTENCES,
    DAILY,
    BY_GROUP,
    MEASURES,
    REPLIES,
    CLASSES_DAILY,
    CLASSES_BY_GROUP,
    CALIBRATED,
    PASSAGES,
    NIGHTS,
    ANSWERS_OF,
    COSTS,
)
"""In an order in which each comes after those that it reads."""

DESCRIBED: tuple[Table | View, ...] = (*TABLES, *SMALL_TABLES, *VIEWS)
"""Everything that a query may ask, with the meaning of its columns."""

SCORED_BY = (*View("configurations").columns[:2], View("measures").columns[-1])
"""The columns `metric`, `profile` and `configuration`, which stand before those of a stage's table."""


def _tables_read() -> dict[str, set[str]]:
    """Return the tables of the store behind each table and view."""
    found = {table.name: {table.name} for table in TABLES}
    for view in VIEWS:
        found[view.name] = {table for name in view.reads if name in found for table in found[name]}
    return found


_TABLES_READ = _tables_read()
# With these a query reads files, or views, that it does not spell out.
_READS_ANYTHING = ("query", "parquet", "read_", "glob")


def tables_read_by(sql: str) -> set[str]:
    """The names of the store's tables that a query may read, rather too many than too few."""
    text = sql.lower()
    anything = any(word in text for word in _READS_ANYTHING)
    return {
        table
        for name, tables in _TABLES_READ.items()
        if anything or name in text
        for table in tables
    }
