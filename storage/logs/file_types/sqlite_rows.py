"""Tables of a database of SQLite, as chat programs keep their conversations on the machine that they run on."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from qsquared.errors import InputError
from qsquared.storage.logs.rows import Outcome, read_limits

MAGIC = b"SQLite format 3\0"
_TABLES = """
    SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
"""


def iterate_sqlite(file: Path, path: Path, _expected: Sequence[str]) -> Iterator[Outcome]:
    """Yield the data of all tables as one row: a list of rows under the name of each table.

    The database is opened for reading only; views, virtual tables and functions of its schema are not used.

    Args:
        file: the uncompressed file to read.
        path: the log that it comes from, for messages.

    Raises:
        InputError: the file is damaged, encrypted, or locked by a program.
    """
    limits = read_limits()
    if file.stat().st_size > limits.row_bytes:
        yield 1, limits.too_long("database"), ""
        return
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            database.text_factory = _text
            names = [name for (name,) in database.execute(_TABLES)]
            yield 1, {name: rows for name in names if (rows := _rows(database, name))}, ""
    except sqlite3.Error as error:
        raise InputError(
            f"The log {path} is a database of SQLite that cannot be read: {error}.",
            "Close the program that writes it, or write it as text with sqlite3's .dump or .recover.",
        ) from error


def _rows(database: sqlite3.Connection, name: str) -> list[dict[str, Any]]:
    quoted = name.replace('"', '""')
    found = database.execute(f'SELECT * FROM "{quoted}"')
    columns = [column for column, *_ in found.description]
    return [dict(zip(columns, map(_value, values), strict=True)) for values in found]


def _value(value: Any) -> Any:
    return _text(value) if isinstance(value, bytes) else value


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
