"""Prefect's own database: only history, so a broken one is put aside and a new one begun."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

logger = logging.getLogger("qsquared")

_NAME = "prefect.db"


def put_aside_if_broken(home: Path) -> None:
    """Rename the database in Prefect's home, and its journal, if SQLite finds it malformed.

    No other process may use the database meanwhile.
    """
    path = home / _NAME
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()
        reason = "" if found == ("ok",) else str(found[0] if found else "it does not answer")
    except sqlite3.OperationalError:
        # Locked, no right to read it, no room for the journal: nothing that renaming would mend.
        return
    except sqlite3.DatabaseError as error:
        reason = str(error)
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
