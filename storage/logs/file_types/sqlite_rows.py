"""Tables of a database of SQLite, as chat programs keep their conversations on the machine that they run on."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from qsquared.errors import InputError
from qsquared.storage.logs.fields.embedded_values import unquoted
from qsquared.storage.logs.rows import Outcome, read_limits

MAGIC = b"SQLite format 3\0"
# No table of the file can have this name, so what is read here is SQLite's own.
_TABLES = """
    SELECT name FROM main.sqlite_schema
    WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
"""
_OF_A_ROW = 32
"""The bytes that a row counts for beside its values: a damaged file may repeat empty rows without end."""
_ENCODED = ('"{', '"[')
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}


class _TooLongError(Exception):
    """The tables hold more than a row may be long."""


def iterate_sqlite(file: Path, path: Path, _expected: Sequence[str]) -> Iterator[Outcome]:
    """Yield the data of all tables as one row: a list of rows under the name of each table.

    The database is opened for reading only; views, virtual tables, generated columns and functions of its
    schema are not used.

    Args:
        file: the uncompressed file to read.
        path: the log that it comes from, for messages.

    Raises:
        InputError: the file is damaged, encrypted, or locked by a program.
    """
    limits = read_limits()
    # What a program is still writing lies beside the file; without that no file is made there.
    written = file.with_name(f"{file.name}-wal").exists()
    options = "mode=ro" if written else "mode=ro&immutable=1"
    try:
        with closing(
            sqlite3.connect(f"{file.absolute().as_uri()}?{options}", uri=True)
        ) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            database.text_factory = _text
            yield 1, _tables(database, limits.row_bytes), ""
    except _TooLongError:
        yield 1, limits.too_long("database"), ""
    except sqlite3.Error as error:
        raise InputError(
            f"The log {path} is a database of SQLite that cannot be read: {error}.",
            "Close the program that writes it, or write it as text with sqlite3's .dump or .recover.",
        ) from error


def _tables(database: sqlite3.Connection, most: int) -> dict[str, list[dict[str, Any]]]:
    names = [name for (name,) in database.execute(_TABLES)]
    columns = {name: _columns(database, name) for name in names}
    database.set_authorizer(
        lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
    )
    tables: dict[str, list[dict[str, Any]]] = {}
    size = 0
    for name in (name for name in names if columns[name]):
        listed = ", ".join(map(_quoted, columns[name]))
        for values in database.execute(f"SELECT {listed} FROM main.{_quoted(name)}"):
            size += _OF_A_ROW + sum(len(one) for one in values if isinstance(one, str | bytes))
            if size > most:
                raise _TooLongError
            row = zip(columns[name], map(_value, values), strict=True)
            tables.setdefault(name, []).append(dict(row))
    return tables


def _columns(database: sqlite3.Connection, name: str) -> list[str]:
    """Return the columns of a table that hold values of the file, and are not computed."""
    found = database.execute(f"PRAGMA main.table_xinfo({_quoted(name)})")
    return [column for _, column, *_, hidden in found if hidden == 0]


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _value(value: Any) -> Any:
    """Return a cell's value; of JSON in a JSON text, which a column of JSON makes of a text, the JSON."""
    text = _text(value) if isinstance(value, bytes) else value
    return unquoted(text) if isinstance(text, str) and text.startswith(_ENCODED) else text


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
