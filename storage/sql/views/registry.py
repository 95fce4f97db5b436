"""All views and small tables of `q2 sql`, and the tables of the store that each view reads.

They are as stable as the tables: a column is added, but none is renamed or dropped within a schema
version.
"""

from qsquared.storage.sql.views.begin import CLASSES_BY_GROUP, CLASSES_DAILY, REPLIES
from qsquared.storage.sql.views.drilling import ANSWERS_OF, NIGHTS
from qsquared.storage.sql.views.knowledge import PASSAGES
from qsquared.storage.sql.views.measures import MEASURES
from qsquared.storage.sql.views.q2 import (
    BY_GROUP,
    DAILY,
    EVIDENCE,
    HALLUCINATED_SPANS,
    OUTCOMES,
    SCORED_SENTENCES,
)
from qsquared.storage.sql.views.small_tables import (
    CALIBRATED,
    CALIBRATIONS,
    CONFIGURATIONS,
    INPUTS,
    RUNS,
)
from qsquared.storage.tables.registry import TABLES

SMALL_TABLES = (INPUTS, RUNS, CONFIGURATIONS, CALIBRATIONS)
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
)
"""In an order in which each comes after those that it reads."""

_TABLES_READ = {table.name: (table.name,) for table in TABLES} | {
    view.name: view.reads for view in VIEWS
}
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
