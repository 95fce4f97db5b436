"""Versions of scores: of each metric and profile the newest one is shown, and older ones in its gaps.

After an upgrade of models or stages the new version scores new turns only; until `q2 rescore` the
earlier turns keep the scores that they have, each marked by its configuration.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qsquared.storage.records.store_index import StoreIndex


@dataclass(frozen=True, slots=True)
class Version:
    """A configuration with the shards whose tables are shown; ``outdated``: it is not the newest."""

    configuration: dict[str, Any]
    shards: frozenset[str]
    outdated: bool


def versions(index: StoreIndex) -> Iterator[Version]:
    """Yield the versions that are shown, those of a metric and profile newest first.

    A shard that the newest version has not scored is shown by the latest older one that has every
    table of it.
    """
    older: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for one in index.all_configurations:
        if one["last_used"] and "collected" not in one:
            older[one["metric"], one["profile"]].append(one)
    for newest in index.configurations:
        others = older[newest["metric"], newest["profile"]]
        rest: set[str] = set()
        found = []
        if any(one["digest"] != newest["digest"] for one in others):
            taken = _complete(index, newest)
            for one in sorted(others, key=lambda other: other["last_used"], reverse=True):
                shards = _complete(index, one) - taken
                taken |= shards
                if shards and one["digest"] != newest["digest"]:
                    rest |= shards
                    found.append(Version(one, frozenset(shards), outdated=True))
        yield Version(newest, frozenset(index.shards - rest), outdated=False)
        yield from found


def _complete(index: StoreIndex, configuration: dict[str, Any]) -> set[str]:
    """Return the shards of which a configuration has every table."""
    stages = configuration["lineages"]
    there = ({path.stem for path in index.of_stage(stage, configuration)} for stage in stages)
    return set.intersection(*there) if stages else set()
