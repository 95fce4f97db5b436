"""Views of the store in SQL; ``views.toml`` describes their columns."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from qsquared.storage.tables.registry import TABLES

# Cast by way of a time without zone, which needs no time zones of the reader's DuckDB.
DAY = "CAST(make_timestamp(epoch_us(timestamp)) AS DATE)"
"""The day of a turn in UTC, as SQL."""

LEADING = "coalesce(s.support, s.q2)"
"""The score by which a row of `scores`, called ``s``, is judged: support, else Q², as SQL."""

_REFERENCE = re.compile(r"[a-z_]\w*\.[a-z_]\w*")
_READS = re.compile(r"\b(?:from|join)\s+(\w+)", re.IGNORECASE)


class ViewColumn(NamedTuple):
    """One column of a view: its name, its meaning, and the meaning of NULL (empty: never)."""

    name: str
    meaning: str
    null: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """A view or small table that is made when a store is opened.

    ``sql`` is empty where the program fills it from the small files.
    """

    name: str
    sql: str = ""

    @property
    def meaning(self) -> str:
        """The rows that it has, as a sentence."""
        return str(_described()[self.name]["about"])

    @property
    def columns(self) -> tuple[ViewColumn, ...]:
        """The columns in order."""
        return tuple(_columns(self.name))

    @property
    def statement(self) -> str:
        """The statement that makes it."""
        return f"CREATE VIEW {self.name} AS {self.sql}"

    @property
    def reads(self) -> set[str]:
        """The names of the tables and views that it reads itself."""
        return set(_READS.findall(self.sql))


@cache
def _described() -> dict[str, Any]:
    path = files("qsquared.storage.sql.views").joinpath("views.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _columns(view: str) -> Iterator[ViewColumn]:
    """Yield the columns of a view; one that is of a table has the meaning that it has there."""
    for name, given in _described()[view]["columns"].items():
        meaning, *null = given or _described()["shared"][name]
        if _REFERENCE.fullmatch(meaning):
            of = _column_of(*meaning.split("."))
            meaning, null = of.meaning, null or [of.null]
        yield ViewColumn(name, meaning, *null)


def _column_of(owner: str, name: str) -> ViewColumn:
    for table in TABLES:
        if table.name == owner:
            return ViewColumn(name, table[name].meaning, table[name].null)
    return next(column for column in _columns(owner) if column.name == name)
