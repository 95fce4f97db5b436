"""Records of comparisons of profiles: figures without texts, one JSON file each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qsquared.storage.keys import digest

if TYPE_CHECKING:
    from collections.abc import Mapping

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
