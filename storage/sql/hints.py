"""Hints on queries that DuckDB refuses: the tables that were asked, and how to reach other files."""

import difflib
import re

from qsquared.storage.sql.views.registry import DESCRIBED

_NAMES = [described.name for described in DESCRIBED]
_UNKNOWN = re.compile(r"Table with name (\w+) does not exist")
_NO_COLUMN = re.compile(r'Referenced column "(\w+)" not found')
_OTHER_FILE = re.compile(
    r"Permission Error.*(file|disabled)|Cannot access", re.IGNORECASE | re.DOTALL
)
_MOST = 3


def hint_on(sql: str, error: str) -> str:
    """Return what a person can do about a refused query.

    Args:
        sql: the query.
        error: DuckDB's words.
    """
    if _OTHER_FILE.search(error):
        return (
            "A query reads the store and nothing else. A table of your own: "
            'q2 sql --attach users.csv "FROM users". Or query from elsewhere: q2 catalog'
        )
    of_log = ""
    if missing := _NO_COLUMN.search(error):
        name = missing[1]
        of_log = (
            f"If {name} is a field of the log: "
            f'q2 sql "SELECT fields.{name}, count(*), avg(q2) FROM outcomes GROUP BY 1"\n'
        )
    words = re.findall(r"\w+", sql.lower())
    asked = [name for name in dict.fromkeys(words) if name in _NAMES]
    if unknown := _UNKNOWN.search(error):
        asked = difflib.get_close_matches(unknown[1].lower(), _NAMES, n=_MOST)
    described = ", ".join(f'q2 sql "DESCRIBE {name}"' for name in asked[:_MOST])
    columns = f"; their columns: {described}" if described else ""
    return f'{of_log}The tables and views: q2 sql "SHOW TABLES"{columns}'
