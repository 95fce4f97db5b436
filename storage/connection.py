"""DuckDB connections in memory: their limits, their lock-down, and SQL literals."""

import glob
import os
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from qsquared.storage.files.remote_paths import (
    filesystem_of,
    is_remote,
    name_of,
    reaching,
    working_folder,
)

Answer = TypeVar("Answer")
_LITTLE_MEMORY = ("32MB", "128MB", "512MB", "2GB")
"""Limits that are tried in turn: the first suffices for a million pairs."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Limits of a query: seconds until its last row, MB of memory, MB of disk to spill to."""

    seconds: float = 300.0
    memory_megabytes: int = 2048
    spill_megabytes: int = 10_240


def open_connection(root: Path, memory_limit: str = "2GB") -> duckdb.DuckDBPyConnection:
    """Open a database in memory that can read a store.

    Beyond its memory limit it spills into a folder of its own in the store (for a remote store, on
    this machine), which DuckDB makes if it must and then removes.
    No extension is fetched or loaded; times are in UTC.

    Raises:
        UnreachableError: the remote store cannot be reached.
    """
    spill_folder = f".spill-{os.getpid()}-{secrets.token_hex(4)}"
    connection = duckdb.connect(
        config={
            "memory_limit": memory_limit,
            "temp_directory": str(working_folder(root).absolute() / spill_folder),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )
    connection.execute("SET TimeZone = 'UTC'")
    _register_filesystem(connection, root)
    return connection


def lock_down(
    connection: duckdb.DuckDBPyConnection, folder: Path, limits: QueryLimits | None = None
) -> None:
    """Restrict a connection to the files of one folder and to some limits, and lock its settings.

    It can open no other file, fetch or load no extension, and read no variable of this program.
    The seconds are up to who asks the query.
    """
    limits = limits or QueryLimits()
    for setting, value in (
        ("memory_limit", f"{limits.memory_megabytes}MB"),
        ("max_temp_directory_size", f"{limits.spill_megabytes}MB"),
        ("python_enable_replacements", False),
        ("allow_community_extensions", False),
        ("allowed_directories", [f"{folder}/" if is_remote(folder) else str(folder.absolute())]),
        ("enable_external_access", False),
        ("lock_configuration", True),
    ):
        connection.execute(f"SET {setting} = {quote(value)}")


def quote(value: str | Path | bool | list[str]) -> str:
    """Return a text, path, flag or list of texts as an SQL literal."""
    if isinstance(value, list):
        return f"[{', '.join(map(quote, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return "'" + str(value).replace("'", "''") + "'"


def ask(root: Path, sql: str, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
    """Return the rows of one query over the files of a store, in a connection of its own."""
    with open_connection(root) as connection:
        return connection.execute(sql, values).fetchall()


def in_little_memory(root: Path, answer: Callable[[duckdb.DuckDBPyConnection], Answer]) -> Answer:
    """Return what is found in all turns of a run, in as little memory as suffices; the rest waits on disk.

    Args:
        root: the store.
        answer: asks a connection of its own, again in another one if the memory did not suffice.

    Raises:
        OutOfMemoryException: not even the most did.
    """
    # Arrow keeps the memory of what it has read, which would come on top.
    pa.default_memory_pool().release_unused()
    *little, most = _LITTLE_MEMORY
    for memory in little:
        with suppress(duckdb.OutOfMemoryException), open_connection(root, memory) as connection:
            # Each thread would hold a part of the rows.
            connection.execute("SET threads = 1")
            return answer(connection)
    with open_connection(root, most) as connection:
        return answer(connection)


def exact_patterns(paths: Iterable[Path]) -> list[str]:
    """Return the patterns of file names that match these paths only."""
    return [exact_pattern(path) for path in paths]


def exact_pattern(path: Path) -> str:
    """Return the pattern of file names that matches one path only."""
    return glob.escape(str(path))


def quote_name(name: str) -> str:
    """Return the name of a column as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _register_filesystem(connection: duckdb.DuckDBPyConnection, root: Path) -> None:
    """Let DuckDB read a remote store through its filesystem, without an extension.

    Raises:
        UnreachableError: the store cannot be reached.
    """
    if is_remote(root):
        with reaching(root):
            # DuckDB asks many times about each file, so the files are listed once beforehand.
            listing = _listing(filesystem_of(root))
            listing.invalidate_cache()
            listing.find(name_of(root))
            connection.register_filesystem(listing)


@lru_cache(maxsize=16)
def _listing(filesystem: Any) -> Any:
    """Return the same filesystem with cached listings; it is remembered, as it is slow to make."""
    keeping = {"use_listings_cache": True, "skip_instance_cache": True}
    return type(filesystem)(**filesystem.storage_options | keeping)
