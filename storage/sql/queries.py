"""Run people's queries over the views of a store: read-only, within limits of time and memory."""

import difflib
import itertools
import re
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa

from qsquared.errors import LimitError, UsageError, first_line
from qsquared.storage.connection import QueryLimits, quote_name
from qsquared.storage.sql.derived_views import DESCRIBED

_NAMES = [described.name for described in DESCRIBED]
_UNKNOWN = re.compile(r"Table with name (\w+) does not exist")
_NO_COLUMN = re.compile(r'Referenced column "(\w+)" not found')
_OTHER_FILE = re.compile(
    r"Permission Error.*(file|disabled)|Cannot access", re.IGNORECASE | re.DOTALL
)
_MOST = 3


def hint_on(sql: str, error: str) -> str:
    """Return the advice to a person whose query was refused.

    Args:
        sql: the query.
        error: DuckDB's words.
    """
    if _OTHER_FILE.search(error):
        return (
            "A query reads the store and nothing else. A table of your own: "
            'q2 sql --attach users.csv "FROM users"'
        )
    of_log = ""
    if missing := _NO_COLUMN.search(error):
        name = missing[1]
        holders = [
            table.name for table in DESCRIBED if name in {column.name for column in table.columns}
        ]
        of_log = (
            f"{name} is a column of {', '.join(holders)}.\n"
            if holders
            else f"If {name} is a field of the log: "
            f'q2 sql "SELECT fields.{name}, count(*), avg(q2) FROM outcomes GROUP BY 1"\n'
        )
    words = re.findall(r"\w+", sql.lower())
    tables = [name for name in dict.fromkeys(words) if name in _NAMES]
    if unknown := _UNKNOWN.search(error):
        tables = difflib.get_close_matches(unknown[1].lower(), _NAMES, n=_MOST)
    described = ", ".join(f'q2 sql "DESCRIBE {name}"' for name in tables[:_MOST])
    columns = f"; their columns: {described}" if described else ""
    return f'{of_log}The tables and views: q2 sql "SHOW TABLES"{columns}'


def not_selected(error: duckdb.Error, owner: str, example: str) -> UsageError:
    """Return the error of a condition on the columns of ``owner`` that is no SQL, with an example of one."""
    return UsageError(
        f"The turns cannot be selected: {first_line(error)}",
        f'--where is an SQL condition on {owner}, such as "{example}".',
    )


if sys.platform == "linux":
    import resource

_EXPLAIN = re.compile(r"^\s*EXPLAIN\s*(\([^)]*\)\s*)?(ANALYZE\b)?", re.IGNORECASE)
# DuckDB makes several statements of a PIVOT that first looks for its columns. COPY, which would write,
# and CREATE begin otherwise.
_PIVOT = re.compile(r"\s*(PIVOT|FROM|SELECT|WITH)\b", re.IGNORECASE)
_ROWS_AT_ONCE = 2048
_AGAIN_SECONDS = 0.2
_GRACE_SECONDS = 10.0
"""The time that an interrupted query may take to end."""
# What no data frame, or neither CSV nor JSON, can hold.
_AS_TEXT = {"interval", "blob", "bit"}


def statements_of(sql: str) -> list[str]:
    """Return the statements of a text; a text that is no SQL, or holds none, is one."""
    try:
        with duckdb.connect() as connection:
            statements = [statement.query for statement in connection.extract_statements(sql)]
    except duckdb.Error:
        # Running it tells what is wrong.
        return [sql]
    return statements or [sql]


def refuse_writing(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> None:
    """Refuse a statement that does not only read.

    Raises:
        UsageError: it is not SELECT, PIVOT, DESCRIBE, SHOW or EXPLAIN.
    """
    kind = statement.type.name
    if kind == "EXPLAIN":
        # EXPLAIN ANALYZE runs what it explains.
        for inner in connection.extract_statements(_EXPLAIN.sub("", statement.query)):
            refuse_writing(connection, inner)
    elif kind != "SELECT" and not (kind == "MULTI" and _PIVOT.match(statement.query)):
        # DuckDB makes several statements of COPY (PIVOT …), too.
        named = statement.query.split()[0].upper() if kind == "MULTI" else kind.replace("_", " ")
        raise UsageError(
            f"The store is opened read-only, so {named} is refused.",
            "Give what COPY has in parentheses, with --parquet FILE, or --csv or --json > FILE."
            if named == "COPY"
            else "Use SELECT, DESCRIBE, SHOW or EXPLAIN.",
        )


def _named(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The result with values that can be shown; a column whose name comes again gets a number."""
    names: list[str] = []
    for name in relation.columns:
        free = (f"{name}_{n}" if n else name for n in itertools.count())
        names.append(next(other for other in free if other not in names))
    columns = []
    for i, (name, kind) in enumerate(zip(names, relation.types, strict=True), start=1):
        value = f"CAST(#{i} AS TEXT)" if kind.id in _AS_TEXT else f"#{i}"
        columns.append(f"{value} AS {quote_name(name)}")
    return relation.project(", ".join(columns))


def _data_bytes() -> int:
    """Private memory of this process, as its limit counts it."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    match = re.search(r"^VmData:\s+(\d+) kB", status, re.MULTILINE)
    return int(match[1]) << 10 if match else 0


@contextmanager
def _bounded_memory(most: int) -> Iterator[None]:
    """Have the kernel refuse this process private memory beyond so many bytes (Linux only).

    DuckDB's own limit counts its buffers, but not a text of gigabytes that a function makes.
    """
    if sys.platform != "linux" or not most:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    soft = most if before[0] == resource.RLIM_INFINITY else min(most, before[0])
    resource.setrlimit(resource.RLIMIT_DATA, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


@contextmanager
def ended_after(
    connection: duckdb.DuckDBPyConnection,
    seconds: float,
    on_stuck: Callable[[], None] | None = None,
) -> Iterator[None]:
    """Interrupt the queries of a connection within if they take longer than so many seconds.

    Raises:
        TimeoutError: it did.
    """
    done, late = threading.Event(), threading.Event()

    def end() -> None:
        late.set()
        # Again and again, since a statement that begins just now would not hear it.
        for _ in range(int(_GRACE_SECONDS / _AGAIN_SECONDS)):
            connection.interrupt()
            if done.wait(_AGAIN_SECONDS):
                return
        if on_stuck is not None:
            on_stuck()

    timer = threading.Timer(max(seconds, 0.0), end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (duckdb.Error, OSError, pa.ArrowException) as error:
        if late.is_set():
            raise TimeoutError from error
        raise
    finally:
        done.set()
        timer.cancel()
        timer.join()


def too_slow(limits: QueryLimits) -> LimitError:
    """The error of a query that took too long."""
    return LimitError(
        f"The query took longer than {limits.seconds:g} s and was ended.",
        "Narrow it with WHERE or LIMIT, or give it more time: --timeout SECONDS",
    )


def _too_large(limits: QueryLimits, error: BaseException) -> LimitError:
    return LimitError(
        f"The query needs more than its {limits.memory_megabytes:,} MB of memory: {first_line(error)}",
        "Narrow it with WHERE or LIMIT, or give it more memory: --memory MB",
    )


def _frames(connection: duckdb.DuckDBPyConnection, sql: str, most: int) -> Generator[pl.DataFrame]:
    """The result in frames, none of which is kept; the first has the columns and no rows."""
    statements = connection.extract_statements(sql)
    for statement in statements:
        refuse_writing(connection, statement)
    if not statements:
        raise UsageError(
            "There is no statement in the query.", 'For instance: q2 sql "FROM scores"'
        )
    # DuckDB knows statements that are a SELECT and write all the same (WITH x AS (INSERT …)).
    connection.execute("BEGIN TRANSACTION READ ONLY")
    last = reader = None
    try:
        with _bounded_memory(most):
            for statement in statements[:-1]:
                cursor = connection.execute(statement)
                while cursor.fetchmany(_ROWS_AT_ONCE):
                    pass
            last = _named(connection.sql(statements[-1].query))
            reader = last.to_arrow_reader(_ROWS_AT_ONCE)
        # Not `empty_table`, for which pyarrow imports pandas.
        yield pl.DataFrame(pa.Table.from_batches([], schema=reader.schema))
        while True:
            # The bound is DuckDB's alone: others, refused memory, would end the process.
            with _bounded_memory(most):
                batch = next(reader, None)
            if batch is None:
                return
            yield pl.DataFrame(batch)
    finally:
        # A result that was not read to its end would hold the connection.
        last = reader = None
        connection.execute("ROLLBACK")


def stream(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    limits: QueryLimits | None = None,
    on_stuck: Callable[[], None] | None = None,
) -> Generator[pl.DataFrame]:
    """Run statements that only read; the result of the last one in frames, the first without rows.

    Args:
        connection: one that is locked down.
        sql: the statements.
        limits: time and memory.
        on_stuck: called if the query goes on after its interruption.

    Raises:
        UsageError: the SQL is wrong, or a statement is not SELECT, DESCRIBE, SHOW or EXPLAIN.
        LimitError: it takes more time or memory than the limits allow.
        RuntimeError: Ctrl-C ended it.
    """
    limits = limits or QueryLimits()
    # What the process has already, what DuckDB may take, and as much for what it does not count.
    allowed = 2 * (limits.memory_megabytes << 20)
    most = _data_bytes() + allowed if sys.platform == "linux" else 0
    frames = _frames(connection, sql, most)
    until = time.monotonic() + limits.seconds
    try:
        while True:
            with ended_after(connection, until - time.monotonic(), on_stuck):
                frame = next(frames, None)
            if frame is None:
                return
            yield frame
    except TimeoutError as error:
        raise too_slow(limits) from error
    except (duckdb.OutOfMemoryException, MemoryError) as error:
        raise _too_large(limits, error) from error
    except (duckdb.Error, OSError, pa.ArrowException) as error:
        if "Out of Memory" in str(error):
            raise _too_large(limits, error) from error
        raise UsageError(f"DuckDB refused the query: {error}", hint_on(sql, str(error))) from error
    finally:
        frames.close()


def query(connection: duckdb.DuckDBPyConnection, sql: str) -> pl.DataFrame:
    """The whole result of `stream` in one frame.

    Raises:
        UsageError: the SQL is wrong, or a statement is not SELECT, DESCRIBE, SHOW or EXPLAIN.
        LimitError: it takes more time or memory than the limits allow.
    """
    return pl.concat(list(stream(connection, sql)))
