"""A view of the store in SQL, and columns that several views share."""

from dataclasses import dataclass

PROFILE = (
    ("metric", "The metric, as in `q2 score --metric`.", ""),
    ("profile", "The profile, with the parameters that are not the default.", ""),
)
"""Columns that say by what a row was scored."""

PAIR_ID = ("pair_id", "Hash that names the distinct (response, knowledge) text.", "")
"""The column of a pair's key."""

# Cast by way of a time without zone, which needs no time zones of the reader's DuckDB.
DAY = "CAST(make_timestamp(epoch_us(timestamp)) AS DATE)"
"""The day of a turn in UTC, as SQL."""

LEADING = "coalesce(s.support, s.q2)"
"""The score by which a row of `scores`, called ``s``, is judged: support, else Q², as SQL."""


@dataclass(frozen=True, slots=True)
class View:
    """A view or small table that is made when a store is opened.

    ``columns`` are (name, meaning, meaning of NULL), in order; ``reads`` are the tables behind it;
    ``sql`` is empty where the program fills it from the small files.
    """

    name: str
    meaning: str
    columns: tuple[tuple[str, str, str], ...]
    reads: tuple[str, ...] = ()
    sql: str = ""

    @property
    def statement(self) -> str:
        """The statement that makes it."""
        return f"CREATE VIEW {self.name} AS {self.sql}"
