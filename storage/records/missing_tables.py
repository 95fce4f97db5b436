"""What should be in a store and is not: files that were deleted, or put aside and not made again.

The records of completed runs tell what was there.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qsquared.storage.connection import exact_pattern, open_connection
from qsquared.storage.records.checks import STAGES
from qsquared.storage.records.runs import digests_of
from qsquared.storage.records.store_index import StoreIndex, make_again, store_option
from qsquared.storage.tables.units import units_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qsquared.storage.tables.units import ScoredUnit

_HOMELESS = """
select count(distinct id)
from (select {of_turn} as id from read_parquet($turns)) anti join read_parquet($there) on id = {key}
where id is not null
"""
_ALL = "select count(distinct {of_turn}) from read_parquet($turns)"


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that is not shown, what to do about it, and whether nothing can be done any more."""

    problem: str
    todo: str
    for_ever: bool = False


def gaps(contents: StoreIndex) -> Iterator[Gap]:
    """What completed runs have left in the store and is there no more.

    Raises:
        DamagedFile: the turns or pairs cannot be trusted, where they have to be read.
    """
    completed = [run for run in contents.runs if run["status"] == "completed"]
    yield from _lost_inputs(contents, completed)
    yield from _lost_configurations(contents, completed)
    for configuration in contents.configurations:
        shards = {
            shard
            for run in completed
            if configuration["digest"] in digests_of(run).values()
            for shard in run.get("shard_keys", map(_stem, run.get("score_files", ())))
        }
        yield from _lost_stages(contents, configuration, shards)


def unlisted_turns(contents: StoreIndex) -> Iterator[Gap]:
    """Turns that no manifest tells of, which is so for a moment while a log is read."""
    known = {manifest.fingerprint for manifest in contents.manifests}
    for path in sorted((contents.store.root / "turns").glob("[!.]*.parquet")):
        if path.stem not in known:
            yield Gap(
                f"{path} has no manifest, so its turns are not shown: its log is being read now, "
                "or the reading was cut short.",
                "Score the log again.",
            )


def _stem(file: str) -> str:
    return Path(file).stem


def _lost_inputs(contents: StoreIndex, completed: list[dict[str, Any]]) -> Iterator[Gap]:
    lost: dict[str, list[str]] = {}
    for run in completed:
        for log in run.get("inputs", ()):
            if not contents.store.manifest_path(log["fingerprint"]).exists():
                lost[log["fingerprint"]] = list(log["paths"])
    for fingerprint, paths in lost.items():
        there = [path for path in paths if Path(path).exists()]
        again = f"Read it again: q2 score {shlex.quote(there[0] if there else '')} {store_option(contents.store)}"
        yield Gap(
            f"What the store knew of the log {', '.join(paths) or fingerprint} is lost; its turns are "
            "not shown.",
            again if there else "Its log is gone; put it back if you can, and score it again.",
            for_ever=not there,
        )


def _lost_configurations(contents: StoreIndex, completed: list[dict[str, Any]]) -> Iterator[Gap]:
    known = {path.stem.rpartition(".")[2] for path in contents.store.small_files("configurations")}
    lost = {
        digest: run["profile"]
        for run in completed
        for digest in digests_of(run).values()
        if digest[:8] not in known
    }
    for digest, profile in lost.items():
        yield Gap(
            f"The store has lost the configuration {digest[:8]} of the profile {profile}; its tables "
            "are not shown.",
            make_again(contents.store),
        )


def _lost_stages(
    contents: StoreIndex, configuration: dict[str, Any], shards: set[str]
) -> Iterator[Gap]:
    profile = configuration["profile"]
    lost: dict[str, set[str]] = {}
    # A metric's own stages are all of one unit.
    unit = units_of(STAGES[stage] for stage in configuration["lineages"] if stage in STAGES)[0]
    there_are = contents.shards_of[unit.name]
    for stage in configuration["lineages"]:
        there = {path.stem for path in contents.of_stage(stage, configuration)}
        lost[stage] = (shards & there_are) - there
    if any(lost.values()):
        stages = ", ".join(f"{stage} ({len(keys):,})" for stage, keys in lost.items() if keys)
        yield Gap(
            f"Shards that were scored with the profile {profile} have lost tables: {stages}; their "
            "rows are not shown.",
            make_again(contents.store),
        )
    # What they held may have gone into other shards since; then all is well.
    if (shards - contents.shards) and (number := _homeless(contents, unit)):
        yield Gap(
            f"{number:,} distinct {unit.name} of the turns are in no shard any more; they and their "
            f"scores with the profile {profile} are not shown.",
            make_again(contents.store),
        )


def _homeless(contents: StoreIndex, unit: ScoredUnit) -> int:
    """How many pairs or situations of the turns are in no shard."""
    contents.check({"turns", unit.name})
    turns = [exact_pattern(path) for path in contents.of("turns")]
    there = [exact_pattern(path) for path in contents.of(unit.name)]
    if not turns:
        return 0
    with open_connection(contents.store.root) as connection:
        found = (
            connection.execute(
                _HOMELESS.format(of_turn=unit.of_turn, key=unit.key),
                {"turns": turns, "there": there},
            )
            if there
            else connection.execute(_ALL.format(of_turn=unit.of_turn), {"turns": turns})
        ).fetchone()
    return int(found[0]) if found else 0
