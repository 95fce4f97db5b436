"""Tally the turns, passages and rejects of a log that the store has read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsquared.storage.connection import open_connection
from qsquared.storage.outputs.selection import UNREAD
from qsquared.storage.sql.catalogue import files

if TYPE_CHECKING:
    from qsquared.storage.records.manifests import InputManifest
    from qsquared.storage.store import Store


@dataclass(frozen=True, slots=True)
class Tally:
    """The numbers of turns, of those with a reply and with knowledge, of passages, and of rejects by reason.

    ``undated`` is the number of turns whose time could not be read.
    """

    turns: int
    scored: int
    knowing: int
    passages: int
    undated: int
    reasons: tuple[tuple[str, int, int], ...]
    """Reason, number of rejects, and line of the first one; the most frequent reason first."""


def tally(store: Store, manifest: InputManifest) -> Tally:
    """Return the tally of a log."""
    name = manifest.fingerprint
    with open_connection(store.root) as connection:
        counted = connection.execute(
            "SELECT count(*), count(*) FILTER (status IS DISTINCT FROM 'empty_response'), "
            "count(*) FILTER (len(knowledge) > 0), coalesce(sum(len(knowledge)), 0), "
            f"count(*) FILTER ({UNREAD}) "
            f"FROM {files([store.turns_path(name)])}"
        ).fetchone() or (0, 0, 0, 0, 0)
        reasons = connection.execute(
            f"SELECT reason, count(*) AS number, min(line) FROM {files([store.rejects_path(name)])} "
            "GROUP BY reason ORDER BY number DESC, reason"
        ).fetchall()
    turns, scored, knowing, passages, undated = (int(number) for number in counted)
    return Tally(
        turns,
        scored,
        knowing,
        passages,
        undated,
        tuple((str(r), int(number), int(line)) for r, number, line in reasons),
    )
