"""Tables of one's own beside a store: files that a query may read, each named by a person."""

import re
from collections.abc import Iterable
from pathlib import Path

import duckdb

from qsquared.errors import UsageError, first_line
from qsquared.storage.connection import exact_pattern, quote
from qsquared.storage.sql.derived_views import DESCRIBED

_READERS = {
    **dict.fromkeys((".csv", ".tsv"), "read_csv"),
    ".parquet": "read_parquet",
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "read_json"),
}
_OURS = {described.name for described in DESCRIBED}


def attachments(given: Iterable[str]) -> dict[str, Path]:
    """Return the files to attach by the names of their tables.

    Args:
        given: `FILE`, whose name without its ending is the table's, or `NAME=FILE`. A path that
            holds the sign itself, as in `day=1/users.csv`, is taken whole.

    Raises:
        UsageError: a file is missing or of another form, or a name is taken or is none.
    """
    attached: dict[str, Path] = {}
    for text in given:
        name, equals, file = text.partition("=")
        holds_sign = Path(text).is_file() and not Path(file).is_file()
        whole = not equals or holds_sign or Path(name).name != name
        path = Path(text if whole else file)
        if whole:
            name = re.sub(r"\W+", "_", path.name.partition(".")[0])
        if not re.fullmatch(r"[^\W\d]\w*", name):
            raise UsageError(f"{name!r} is no name of a table.", f"Name it: --attach users={path}")
        if name.lower() in _OURS | attached.keys():
            raise UsageError(
                f"There is a table {name} already.", f"Name the other: --attach my_{name}={path}"
            )
        if not path.is_file():
            raise UsageError(f"There is no file {path} to attach.", "Give the path of one file.")
        if not _reader(path):
            raise UsageError(
                f"{path} is no table that can be attached.",
                "Attach a CSV, TSV, Parquet, JSON or JSON Lines file.",
            )
        attached[name.lower()] = path.absolute()
    return attached


def _reader(path: Path) -> str:
    """Return the DuckDB function that reads a file, by its last known ending; empty without one."""
    endings = (ending.lower() for ending in reversed(path.suffixes))
    return next((_READERS[ending] for ending in endings if ending in _READERS), "")


def attach(connection: duckdb.DuckDBPyConnection, files: dict[str, Path]) -> None:
    """Make a view of each file; the connection may then read these files and no others beside them.

    Raises:
        UsageError: a file cannot be read.
    """
    for name, path in files.items():
        pattern = quote(exact_pattern(path))
        try:
            connection.execute(f'CREATE VIEW "{name}" AS FROM {_reader(path)}({pattern})')
        except duckdb.Error as error:
            raise UsageError(
                f"{path} cannot be read as a table: {first_line(error)}",
                "Attach a CSV, TSV, Parquet, JSON or JSON Lines file with one row for each record.",
            ) from error
    # DuckDB asks for the path as it was written, and then for the file that it matches.
    allowed = [text for path in files.values() for text in (str(path), exact_pattern(path))]
    connection.execute(f"SET allowed_paths = {quote(allowed)}")
