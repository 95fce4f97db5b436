"""Records of comparisons: of profiles on the same replies, and of versions of a judge by anchors.

Anchors are replies that a version of a judge scored only to be compared with another one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from qsquared.storage.keys import digest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from qsquared.storage.store import Store

COMPARISONS = "comparisons"
"""The folder of the records in a store."""


def write_comparison(store: Store, record: Mapping[str, Any]) -> None:
    """Add a comparison to the store."""
    store.write_json(store.root / COMPARISONS / f"{digest(dict(record))}.json", record)


def last_comparison(store: Store) -> dict[str, Any] | None:
    """Return the record of the last comparison of a store, if there is one.

    Raises:
        DamagedFile: a record is broken.
    """
    every = map(store.read_json, store.small_files(COMPARISONS))
    return max(every, key=lambda one: str(one["at"]), default=None)


ANCHORS = "anchors"


@dataclass(frozen=True, slots=True)
class AnchorScores:
    """The scores of a version's anchors by pair; ``at`` is when it was first compared with another one.

    ``bundled`` are the pairs of the package, and whether each is inconsistent.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    bundled: Mapping[str, bool] = field(default_factory=dict)
    at: str = ""


def read_anchors(store: Store, lineage: str) -> AnchorScores:
    """Read the anchors of a version by the lineage of its scores; none if it has no record.

    Raises:
        DamagedFile: the record is damaged.
    """
    path = _path(store, lineage)
    if not path.exists():
        return AnchorScores()
    record = store.read_json(path)
    return AnchorScores(record["scores"], record["bundled"], record["at"])


def write_anchors(store: Store, lineage: str, found: AnchorScores, *, compared: bool) -> None:
    """Add anchors to the record of a version; if it was ``compared``, the first time of that is kept."""
    known = read_anchors(store, lineage)
    now = datetime.now(UTC).isoformat(timespec="seconds") if compared else ""
    record = {
        "scores": {**known.scores, **found.scores},
        "bundled": {**known.bundled, **found.bundled},
        "at": known.at or now,
    }
    store.write_json(_path(store, lineage), record)


def forget_anchors(store: Store, held: Collection[str]) -> None:
    """Take the pairs that no turn has any more out of all records, but for the bundled ones."""
    for path in store.small_files(ANCHORS):
        record = store.read_json(path)
        left = {
            pair: score
            for pair, score in record["scores"].items()
            if pair in held or pair in record["bundled"]
        }
        if len(left) < len(record["scores"]):
            store.write_json(path, record | {"scores": left})


def _path(store: Store, lineage: str) -> Path:
    return store.root / ANCHORS / f"{lineage}.json"
