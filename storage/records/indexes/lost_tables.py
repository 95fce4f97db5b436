"""Find tables that a completed run wrote and that are now missing.

They were deleted, or put aside and not made again; the records of the runs name them.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qsquared.storage.connection import ask, exact_patterns
from qsquared.storage.logs.paths import log_is_there
from qsquared.storage.records.indexes.checks import STAGES, make_again
from qsquared.storage.records.indexes.store_index import StoreIndex
from qsquared.storage.records.runs import digests_of
from qsquared.storage.store import store_option
from qsquared.storage.tables import ScoredUnit, units_of

_WITHOUT_SHARD = """
select count(distinct id)
from (select {of_turn} as id from read_parquet($turns)) anti join read_parquet($there) on id = {key}
where id is not null
"""
_ALL = "select count(distinct {of_turn}) from read_parquet($turns)"


@dataclass(frozen=True, slots=True)
class Gap:
    """Rows that are not shown, a remedy, and whether they are lost for ever."""

    problem: str
    todo: str
    for_ever: bool = False


def gaps(index: StoreIndex) -> Iterator[Gap]:
    """Find the inputs, configurations and tables of completed runs that the store no longer has.

    Raises:
        DamagedFile: the turns or pairs cannot be trusted, where they have to be read.
    """
    completed = [run for run in index.runs if run["status"] == "completed"]
    yield from _lost_inputs(index, completed)
    yield from _lost_configurations(index, completed)
    for configuration in index.configurations:
        shards = {
            shard
            for run in completed
            if configuration["digest"] in digests_of(run).values()
            for shard in run.get("shard_keys")
            or [Path(file).stem for file in run.get("score_files", ())]
        }
        yield from _lost_stages(index, configuration, shards)


def unlisted_turns(index: StoreIndex) -> Iterator[Gap]:
    """Find turns without a manifest, as they are for a moment while a log is read."""
    with_manifest = {manifest.fingerprint for manifest in index.manifests}
    for path in index.store.tables("turns"):
        if path.stem not in with_manifest:
            yield Gap(
                f"{path} has no manifest, so its turns are not shown: its log is being read now, "
                "or the reading was cut short.",
                "Score the log again.",
            )


def _lost_inputs(index: StoreIndex, completed: list[dict[str, Any]]) -> Iterator[Gap]:
    logs = {log["fingerprint"]: log["paths"] for run in completed for log in run.get("inputs", ())}
    for fingerprint, paths in logs.items():
        if index.store.manifest_path(fingerprint).exists():
            continue
        there = [path for path in paths if log_is_there(path)]
        again = f"Read it again: q2 score {shlex.quote(there[0] if there else '')} {store_option(index.store)}"
        yield Gap(
            f"What the store knew of the log {', '.join(paths) or fingerprint} is lost; its turns are "
            "not shown.",
            again if there else "Its log is gone; put it back if you can, and score it again.",
            for_ever=not there,
        )


def _lost_configurations(index: StoreIndex, completed: list[dict[str, Any]]) -> Iterator[Gap]:
    kept = {path.stem.rpartition(".")[2] for path in index.store.small_files("configurations")}
    used = {digest[:8]: run["profile"] for run in completed for digest in digests_of(run).values()}
    for digest, profile in used.items():
        if digest not in kept:
            yield Gap(
                f"The store has lost the configuration {digest} of the profile {profile}; its tables "
                "are not shown.",
                make_again(index.store),
            )


def _lost_stages(
    index: StoreIndex, configuration: dict[str, Any], shards: set[str]
) -> Iterator[Gap]:
    profile = configuration["profile"]
    # A metric's own stages are all of one unit.
    unit = units_of(STAGES[stage] for stage in configuration["lineages"] if stage in STAGES)[0]
    present = index.shards_of[unit.name]
    lost = {
        stage: (shards & present) - {path.stem for path in index.stage_files(stage, configuration)}
        for stage in configuration["lineages"]
    }
    if any(lost.values()):
        stages = ", ".join(f"{stage} ({len(keys):,})" for stage, keys in lost.items() if keys)
        yield Gap(
            f"Shards that were scored with the profile {profile} have lost tables: {stages}; their "
            "rows are not shown.",
            make_again(index.store),
        )
    # What they held may have gone into other shards since; then all is well.
    if (shards - index.shards - index.other_shards) and (
        number := _count_without_shard(index, unit)
    ):
        yield Gap(
            f"{number:,} distinct {unit.name} of the turns are in no shard any more; they and their "
            f"scores with the profile {profile} are not shown.",
            make_again(index.store),
        )


def _count_without_shard(index: StoreIndex, unit: ScoredUnit) -> int:
    """Count the pairs or situations of the turns that are in no shard."""
    index.check({"turns", unit.name})
    files = {"turns": exact_patterns(index.files("turns"))}
    if not files["turns"]:
        return 0
    sql = _ALL
    if there := exact_patterns(index.files(unit.name)):
        sql, files["there"] = _WITHOUT_SHARD, there
    ((number,),) = ask(index.store.root, sql.format(of_turn=unit.of_turn, key=unit.key), files)
    return int(number)
