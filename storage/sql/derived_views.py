"""Views and small tables that ``views.toml`` describes, and the tables that a query reads.

The views of the stored tables (`turns` … `scores`) are in ``views.py``, which makes all of them
in a connection.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, NamedTuple

from qsquared.method.threshold import inconsistent_sql
from qsquared.storage.logs.fields.passages import SOURCES
from qsquared.storage.sql.fields import NO_FIELDS
from qsquared.storage.sql.phrases import (
    ADDRESSES,
    CHIT_CHAT,
    DAY,
    LEADING,
    TITLES,
    first_of,
    grouped_by_field,
    measures_of,
)
from qsquared.storage.sql.rates import rates, shares
from qsquared.storage.tables import MEASURED, TABLES, Table

_BY_DAY = ("metric", "profile", "day")
_BY_FIELD = ("metric", "profile", "field", "value")
_SHARED = {
    "day": DAY,
    "leading": LEADING,
    "inconsistent": inconsistent_sql(LEADING),
    "chit_chat": CHIT_CHAT,
    "no_fields": NO_FIELDS,
    "sources": SOURCES,
    "title": first_of(TITLES),
    "address": first_of(ADDRESSES),
    "daily_rates": rates(
        f"(SELECT *, {DAY} AS day FROM outcomes)", _BY_DAY, kinds=True, outdated=True
    ),
    "group_rates": rates(
        grouped_by_field(
            "outcomes",
            "v.metric, v.profile, v.pair_id, v.conversation_id, v.q2, v.score, v.contradicted, v.status",
        ),
        _BY_FIELD,
    ),
    "daily_classes": shares(f"(SELECT *, {DAY} AS day FROM replies)", _BY_DAY),
    "group_classes": shares(grouped_by_field("replies", "v.*"), _BY_FIELD),
    "all_measures": " UNION ALL ".join(map(measures_of, MEASURED)),
}
"""SQL by the names that stand for it in ``views.toml``."""

_REFERENCE = re.compile(r"[a-z_]\w*\.[a-z_]\w*")
_READS = re.compile(r"\b(?:from|join)\s+(\w+)", re.IGNORECASE)


class ViewColumn(NamedTuple):
    """A column of a view: its name, its meaning, and the meaning of NULL (empty: never).

    ``type`` is that of a column of a small table; the column of a view has that of its SQL.
    """

    name: str
    meaning: str
    null: str = ""
    type: str = "TEXT"


@dataclass(frozen=True, slots=True)
class View:
    """A view or small table that is made when a store is opened.

    ``meaning`` says in a sentence which rows it has; ``sql`` is empty where the program fills it from
    the small files.
    """

    name: str
    meaning: str
    columns: tuple[ViewColumn, ...]
    sql: str

    @property
    def reads(self) -> set[str]:
        """The names of the tables and views that it reads itself."""
        return set(_READS.findall(self.sql))


_DESCRIBED: dict[str, dict[str, Any]] = tomllib.loads(
    files("qsquared.storage.sql").joinpath("views.toml").read_text(encoding="utf-8")
)
_SHARED_COLUMNS = _DESCRIBED.pop("shared")


def _columns(view: str) -> Iterator[ViewColumn]:
    """Yield the columns of a view; one that is of a table has the meaning that it has there."""
    types = _DESCRIBED[view].get("types", {})
    for name, given in _DESCRIBED[view]["columns"].items():
        meaning, *null = given or _SHARED_COLUMNS[name]
        if _REFERENCE.fullmatch(meaning):
            of = _column_of(*meaning.split("."))
            meaning, null = of.meaning, null or [of.null]
        yield ViewColumn(name, meaning, "".join(null), types.get(name, "TEXT"))


def _column_of(owner: str, name: str) -> ViewColumn:
    for table in TABLES:
        if table.name == owner:
            return ViewColumn(name, table[name].meaning, table[name].null)
    return next(column for column in _columns(owner) if column.name == name)


_MADE = {
    name: View(name, given["about"], tuple(_columns(name)), given.get("sql", "").format(**_SHARED))
    for name, given in _DESCRIBED.items()
}
SMALL_TABLES = tuple(view for view in _MADE.values() if not view.sql)
VIEWS = tuple(view for view in _MADE.values() if view.sql)
"""In an order in which each comes after those that it reads."""

DESCRIBED: tuple[Table | View, ...] = (*TABLES, *SMALL_TABLES, *VIEWS)
"""Everything that a query may ask, with the meaning of its columns."""


_WITH_SOURCE = ("turns", "rejects")
"""Tables that are shown with the paths of their logs."""


def _behind() -> dict[str, set[str]]:
    """Return all that each table and view rests on, itself among them."""
    behind = {described.name: {described.name} for described in DESCRIBED}
    for name in _WITH_SOURCE:
        behind[name].add("inputs")
    for view in VIEWS:
        behind[view.name].update(*(behind[name] for name in view.reads if name in behind))
    return behind


_BEHIND = _behind()
# With these a query reads files, or views, that it does not spell out.
_READS_ANYTHING = ("query", "parquet", "read_", "glob")
# With these it lists views.
_LISTS_VIEWS = ("show", "schema", "pragma", "duckdb_", "sqlite_", "pg_")
_ASKED = re.compile(r'\b(?:from|join|describe|desc|summarize)\s+"?(\w+)')


def read_by(sql: str) -> set[str]:
    """The names of the tables and views that a query may read, rather too many than too few."""
    text = sql.lower()
    anything = any(word in text for word in _READS_ANYTHING)
    return {each for name, behind in _BEHIND.items() if anything or name in text for each in behind}


def shown_to(sql: str) -> set[str]:
    """The names of the tables and views that have to be there for a query: those that it may read.

    All, if it lists them, or asks for what is none of them, since DuckDB then names the nearest.
    """
    text = sql.lower()
    unknown = set(_ASKED.findall(text)) - _BEHIND.keys()
    if unknown or any(word in text for word in _LISTS_VIEWS):
        return set(_BEHIND)
    return read_by(sql)


def view(name: str) -> View:
    """Return a view or small table by its name."""
    return _MADE[name]
