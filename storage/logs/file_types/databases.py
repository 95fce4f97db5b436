"""Rows of databases: of SQLite's files, which chat programs keep, and of SQL dumps in ``INSERT`` statements.

Dumps are those of SQLite's shell, ``pg_dump --inserts`` and ``mysqldump``, of which nothing is executed: a value is a
literal, or a text whose line ends the shell wrote as ``replace(…, char(10))``.
"""

import re
import sqlite3
from bisect import bisect
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import accumulate
from pathlib import Path
from typing import Any

from qsquared.errors import InputError
from qsquared.storage.logs.fields.embedded_values import unquoted
from qsquared.storage.logs.rows import Outcome, excerpt, read_limits

Tables = dict[str, list[dict[str, Any]]]

_QUOTED = r"""'(?:[^']++|'')*+'"""
_ESCAPED = r"""'(?:[^'\\]++|''|\\.)*+'"""
"""A text in a dump of MySQL, where a backslash escapes a character."""
_NAME = r"""(?:"(?:[^"]++|"")*+"|`(?:[^`]++|``)*+`|\[[^\]]*+\]|\w++)"""
_OPENED = re.compile(
    rf"""(?mi)^[ \t]*(?:CREATE[ ]TABLE[ ](?:IF[ ]NOT[ ]EXISTS[ ])?|
    INSERT[ ](?:OR[ ]\w+[ ]|IGNORE[ ][ ]?)?INTO[ ]|REPLACE[ ]INTO[ ])
    (?:{_NAME}\.)?(?P<name>{_NAME})\s*(?P<columns>\((?:\s*{_NAME}\s*,)*\s*{_NAME}\s*\)\s*)?
    (?P<values>VALUES\s*)?""",
    re.VERBOSE,
)
"""The beginning of a statement that makes a table or fills it."""
_TOKEN = re.compile(
    rf"""\s*(?:(?P<quoted>{_QUOTED}|{_NAME})|(?P<mark>[(),;])|[^\s(),;'"`\[\w]++)"""
)
_OF_TABLES = {"constraint", "primary", "unique", "check", "foreign", "exclude"}
"""Words with which a constraint begins in place of a column."""
_KEYS = {"key", "index", "fulltext", "spatial"}
"""Words with which MySQL begins a key, and which name no column there."""
MAGIC = b"SQLite format 3\0"
# No table of the file can have this name, so what is read here is SQLite's own.
_NAMES_OF_TABLES = """
    SELECT name FROM main.sqlite_schema
    WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
"""
_OF_A_ROW = 32
"""The bytes that a row counts for beside its values: a damaged file may repeat empty rows without end."""
_ENCODED = ('"{', '"[')
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}


def _literal(text: str) -> re.Pattern[str]:
    """Return the pattern of a value with what follows it, by the pattern of texts in quotes."""
    line_ends = r"(?:\s*,\s*'\\[nr]'\s*,\s*char\(1[03]\)\s*\))*+"
    return re.compile(
        rf"""\s*(?:(?P<text>(?P<begins>(?:replace\(\s*)*+)(?:_\w++[ ]?)?(?P<inner>{text})(?P<ends>{line_ends}))
        |(?:X'|(?P<hex>0x))(?P<bytes>(?:[0-9a-f]{{2}})*+)(?(hex)|')|b'(?P<bits>[01]++)'
        |(?P<number>[-+]?+(?:\d++\.?+\d*+|\.\d++)(?:e[-+]?+\d++)?+)
        |(?P<word>NULL|TRUE|FALSE))\s*(?P<after>[,)])""",
        re.VERBOSE | re.IGNORECASE | re.DOTALL,
    )


_VALUES = {False: _literal(_QUOTED), True: _literal(_ESCAPED)}
"""The values of a dump, by whether a backslash escapes."""
_MYSQL = re.compile(
    r"\A(?!\s*(?:PRAGMA|BEGIN|--\s*-- PostgreSQL))(?:\s*-- (?:MySQL|MariaDB) dump|(?s:.*?)^\)[^;\n]*\bENGINE=)",
    re.MULTILINE,
)
"""The head of a dump of MySQL or MariaDB, or the end of a table's definition in one; not within another's texts."""
_ESCAPE = re.compile(r"(?s)\\(.)|''")
_MEANT = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "b": "\b", "Z": "\x1a"}
_WORDS: dict[str, Any] = {"null": None, "true": 1, "false": 0}
_COMPUTED = "The row holds more than literal values; the rest of its statement is not read."
_NEXT = re.compile(r"\s*,\s*")
_MOST_DIGITS = 300
_SHOWN = 300
"""The characters of a row that its reject keeps."""


def read_inserted(text: str) -> tuple[Tables, list[Outcome]]:
    """Return the rows of each table of a dump, and a reject for each row that is no list of literals."""
    names: dict[str, list[str]] = {}
    tables: Tables = {}
    broken: list[Outcome] = []
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    place, escapes = 0, bool(_MYSQL.search(text))
    while statement := _OPENED.search(text, place):
        name = _plain(statement["name"])
        place = statement.end()
        if not statement["values"]:
            if statement["columns"] is None and text[place : place + 1] == "(":
                names[name], place = _columns(text, place, escapes)
            elif statement["columns"]:
                names[name] = _listed(statement["columns"])
            continue
        columns = _listed(statement["columns"]) if statement["columns"] else names.get(name, [])
        for begin, values, end in _rows(text, place, escapes):
            place = max(place, end)
            if name.startswith("sqlite_"):
                continue
            found = _named(name, columns, values)
            if isinstance(found, str):
                shown = excerpt(text[begin : begin + _SHOWN])
                broken.append((bisect(starts, begin), found, shown))
            else:
                tables.setdefault(name, []).append(found)
    return tables, broken


def _named(table: str, columns: list[str], values: list[Any] | None) -> dict[str, Any] | str:
    """Return the values of a row by the names of its columns, or the reason why it cannot be read."""
    if values is None:
        return _COMPUTED
    if not columns:
        return f"The dump does not make its table {table}."
    if len(values) != len(columns):
        return f"The row has {len(values)} values, its table has {len(columns)} columns."
    return dict(zip(columns, values, strict=True))


def _rows(text: str, place: int, escapes: bool) -> Iterator[tuple[int, list[Any] | None, int]]:
    """Yield the rows of a statement: where each begins, its values (None if they are not literal), and its end."""
    while text[place : place + 1] == "(":
        begin, values, after = place, [], ","
        place += 1
        while after == ",":
            value = _VALUES[escapes].match(text, place)
            if value is None or _is_computed(value):
                yield begin, None, place
                return
            values.append(_read(value, escapes))
            place, after = value.end(), value["after"]
        yield begin, values, place
        more = _NEXT.match(text, place)
        place = more.end() if more else len(text)


def _is_computed(value: re.Match[str]) -> bool:
    """Whether a text is more than a literal with the ends of its lines."""
    begins, ends = (value[name] or "" for name in ("begins", "ends"))
    return begins.count("(") != ends.lower().count("char")


def _read(value: re.Match[str], escapes: bool) -> Any:
    if value["text"] and escapes:
        return _ESCAPE.sub(lambda one: _MEANT.get(one[1], one[1] or "'"), value["inner"][1:-1])
    if value["text"]:
        read = value["inner"][1:-1].replace("''", "'")
        for escape, end in (("\\n", "\n"), ("\\r", "\r")):
            if f"'{escape}'" in value["ends"]:
                read = read.replace(escape, end)
        return read
    if value["bytes"] is not None:
        return bytes.fromhex(value["bytes"]).decode("utf-8", "replace")
    if value["bits"]:
        return int(value["bits"], 2)
    if number := value["number"]:
        whole = number.lstrip("+-").isdigit() and len(number) < _MOST_DIGITS
        return int(number) if whole else float(number)
    return _WORDS[value["word"].lower()]


def _columns(text: str, place: int, escapes: bool) -> tuple[list[str], int]:
    """Return the names of the columns that a table is made with, and where its definition ends."""
    names, depth, first = [], 0, False
    while token := _TOKEN.match(text, place):
        place = token.end()
        mark = token["mark"]
        if mark == ";":
            break
        depth += (mark == "(") - (mark == ")")
        if depth == 0:
            break
        if first and depth == 1 and token["quoted"]:
            name = token["quoted"]
            others = _OF_TABLES | _KEYS if escapes else _OF_TABLES
            names += [] if name.lower() in others else [_plain(name)]
        first = depth == 1 and mark in {"(", ","}
    return names, place


def _listed(columns: str) -> list[str]:
    return [_plain(one[0]) for one in re.finditer(_NAME, columns)]


def _plain(name: str) -> str:
    """Return a name without its quotes."""
    return name[1:-1] if name[:1] in {'"', "`", "[", "'"} else name


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
            database.text_factory = _decoded
            yield 1, _tables(database, limits.row_bytes), ""
    except _TooLongError:
        yield 1, limits.too_long("database"), ""
    except sqlite3.Error as error:
        raise InputError(
            f"The log {path} is a database of SQLite that cannot be read: {error}.",
            "Close the program that writes it, or write it as text with sqlite3's .dump or .recover.",
        ) from error


def _tables(database: sqlite3.Connection, most: int) -> dict[str, list[dict[str, Any]]]:
    names = [name for (name,) in database.execute(_NAMES_OF_TABLES)]
    columns = {name: _stored_columns(database, name) for name in names}
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
            row = zip(columns[name], map(_cell, values), strict=True)
            tables.setdefault(name, []).append(dict(row))
    return tables


def _stored_columns(database: sqlite3.Connection, name: str) -> list[str]:
    """Return the columns of a table that hold values of the file, and are not computed."""
    found = database.execute(f"PRAGMA main.table_xinfo({_quoted(name)})")
    return [column for _, column, *_, hidden in found if hidden == 0]


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _cell(value: Any) -> Any:
    """Return a cell's value; of JSON in a JSON text, which a column of JSON makes of a text, the JSON."""
    text = _decoded(value) if isinstance(value, bytes) else value
    return unquoted(text) if isinstance(text, str) and text.startswith(_ENCODED) else text


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "replace")
