"""Prefect's database in a store: a broken one is put aside, and a new one begins from a template.

It holds history only.
Prefect takes about ten seconds to make the tables, since it replays all its migrations; so an empty
database is kept in the user's cache, for each version of Prefect.
"""

import logging
import os
import shutil
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

from qsquared.storage.files.places import remote_work_root

logger = logging.getLogger("qsquared")

_NAME = "prefect.db"


def put_aside_if_broken(home: Path) -> None:
    """Rename the database in Prefect's home, and its journal, if SQLite finds it malformed.

    No other process may use the database meanwhile.
    """
    path = home / _NAME
    if not path.exists():
        return
    reason = _fault(path)
    if not reason:
        return
    mark = f"damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    for name in (_NAME, f"{_NAME}-wal", f"{_NAME}-shm"):
        old = home / name
        if old.exists():
            old.rename(home / f"{name}.{mark}")
    logger.warning(
        "Prefect's history %s is damaged: %s. It was renamed to %s.%s, and a new one is begun; no "
        "score is lost by that.",
        path,
        reason,
        _NAME,
        mark,
    )


def begin_from_empty(home: Path) -> bool:
    """Copy the empty database of the cache into Prefect's home, if that has none.

    Returns:
        Whether the home has a database now; without, Prefect makes one, which takes a while.
    """
    path = home / _NAME
    if path.exists():
        return True
    unfinished = path.with_suffix(".unfinished")
    with suppress(OSError, RuntimeError):
        empty = _empty_database()
        shutil.copyfile(empty, unfinished)
        if _fault(unfinished):
            empty.unlink()
        else:
            unfinished.replace(path)
    with suppress(OSError):
        unfinished.unlink()
    return path.exists()


def keep_empty(home: Path) -> None:
    """Copy a database that holds no run yet into the cache, for later stores."""
    path = home / _NAME
    if not path.exists():
        return  # the environment names another database
    # A cache that cannot be written costs time only.
    with suppress(OSError, RuntimeError, sqlite3.Error):
        empty = _empty_database()
        empty.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        unfinished = empty.with_name(f"{empty.name}.{os.getpid()}")
        with (
            closing(sqlite3.connect(path)) as own,
            closing(sqlite3.connect(unfinished)) as copy,
        ):
            own.backup(copy)
            # Else two more files would belong to it.
            copy.execute("PRAGMA journal_mode=DELETE")
        unfinished.replace(empty)


def is_current(home: Path) -> bool:
    """Whether the database in Prefect's home has the tables of this version of Prefect.

    That is known of the empty database that this version has made.
    It is not said of a home whose database the user's settings may have put elsewhere.
    """
    if _may_be_elsewhere(home):
        return False
    try:
        empty = _version_of(_empty_database())
        return empty is not None and _version_of(home / _NAME) == empty
    except (OSError, RuntimeError, sqlite3.Error):
        return False


def _may_be_elsewhere(home: Path) -> bool:
    """Whether a setting, or a file that Prefect reads settings from, speaks of a database."""
    files = [Path(name) for name in (".env", "prefect.toml", "pyproject.toml")]
    texts = [file.read_bytes() for file in (*files, home / "profiles.toml") if file.is_file()]
    named = any(name.startswith("PREFECT_") and "DATABASE" in name for name in os.environ)
    return named or any(b"database" in text.lower() for text in texts)


def _version_of(path: Path) -> tuple[str, ...] | None:
    if not path.exists():
        return None
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
        found: list[tuple[str]] = connection.execute(
            "SELECT version_num FROM alembic_version"
        ).fetchall()
    return tuple(number for (number,) in found)


def _empty_database() -> Path:
    """Return the path of this user's empty database, one for each version of Prefect."""
    return remote_work_root() / f"prefect-{version('prefect')}.db"


def _fault(path: Path) -> str:
    """Return the damage that SQLite finds in a database; empty if sound or not readable now."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:
        # Locked, no right to read it, no room for the journal: renaming would not help.
        return ""
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == ("ok",) else str(found[0] if found else "it does not answer")
