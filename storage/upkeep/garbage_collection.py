"""Find what may go: outputs that no kept configuration reaches, and files that the program did not write.

Outputs are removed unless they are in use.

Kept are, for each metric and profile, the configuration that SQL shows; those that a run used
lately or uses now; and those that are pinned.
Only tables of stages go: turns, pairs, runs and dates stay, so all can be made again.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from qsquared.errors import UsageError
from qsquared.storage.files.shard_claims import Claim, is_dead_run, planning_lock
from qsquared.storage.records.indexes.checks import PLAIN_TABLES, SMALL_FILES, STAGES
from qsquared.storage.records.indexes.store_index import StoreIndex, open_index, versions
from qsquared.storage.records.request_journal import FOLDER as REQUESTS
from qsquared.storage.records.runs import FOLDER as EXECUTIONS
from qsquared.storage.records.runs import digests_of
from qsquared.storage.store import Store

PINS = "pins.json"
_BATCH = 64


@dataclass(frozen=True, slots=True)
class ConfigurationUse:
    """Whether a configuration is kept (and why), and the tables that only it uses.

    ``kept`` is the reason, empty if it is not kept.

    ``size`` is in bytes.
    """

    configuration: dict[str, Any]
    kept: str
    tables: int
    size: int


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """The files that a collection would remove; ``strays`` are tables of no configuration or of no pairs."""

    uses: list[ConfigurationUse]
    files: list[Path] = field(repr=False)
    size: int
    strays: int


def pins(store: Store) -> set[str]:
    """The digests that a person pinned.

    Raises:
        DamagedFile: the file of pins is broken.
    """
    path = store.root / PINS
    return set(store.read_json(path)["pins"]) if path.exists() else set()


def pin(store: Store, digest: str, *, keep: bool) -> str:
    """Pin a configuration, or let go of it; gives its whole digest.

    Raises:
        UsageError: no configuration of the store has a digest that begins so, or several have.
    """
    whole = resolve(open_index(store), digest)
    pinned = pins(store) | {whole} if keep else pins(store) - {whole}
    store.write_json(store.root / PINS, {"pins": sorted(pinned)})
    return whole


def resolve(index: StoreIndex, digest: str) -> str:
    """The whole digest of a configuration by its beginning.

    Raises:
        UsageError: none or several begin so.
    """
    digests: set[str] = {configuration["digest"] for configuration in index.all_configurations}
    matching = sorted(name for name in digests if digest and name.startswith(digest))
    if len(matching) != 1:
        subject = "No configuration" if not matching else "More than one configuration"
        raise UsageError(
            f"{subject} of the store has a digest that begins with {digest!r}.",
            "The digests: q2 gc, or SELECT * FROM runs.",
        )
    return matching[0]


def kept_configurations(index: StoreIndex, days: float, forget: Collection[str]) -> dict[str, str]:
    """Return the reason to keep each kept configuration, by digest.

    Args:
        index: the small files of the store.
        days: a configuration that a run used so lately is kept.
        forget: digests not to be kept for being shown or used lately.
    """
    since = datetime.now(UTC) - timedelta(days=days)
    shown = {version.configuration["digest"] for version in versions(index)}
    pinned = pins(index.store)
    reasons: dict[str, str] = {}
    for configuration in index.all_configurations:
        digest, used = configuration["digest"], configuration["last_used"]
        if digest in pinned:
            reasons[digest] = "pinned"
        elif digest in forget:
            continue
        elif digest in shown:
            reasons[digest] = "shown by SQL"
        elif used and datetime.fromisoformat(used) >= since:
            reasons[digest] = f"used in the last {days:g} days"
    for run in index.runs:
        begun = datetime.fromisoformat(run["started_at"])
        for digest in digests_of(run).values():
            if run["status"] == "running" and not is_dead_run(index.store.root, run):
                reasons[digest] = "a run is using it"
            elif run["status"] != "completed" and begun >= since and digest not in forget:
                reasons.setdefault(digest, f"a run of the last {days:g} days is not completed")
    return reasons


def plan_collection(index: StoreIndex, days: float, forget: Collection[str] = ()) -> RemovalPlan:
    """Plan the removal of unused tables; no file is touched.

    Raises:
        DamagedFile: the file of pins is broken.
    """
    kept = kept_configurations(index, days, forget)
    reached = _reached(index, kept)
    sizes: dict[str, list[int]] = defaultdict(list)
    files, strays = [], 0
    described = _reached(index, {config["digest"] for config in index.all_configurations})
    shards = index.shards
    for path in sorted((index.store.root / "stages").glob("*/*/[!.]*.parquet")):
        lineage = path.parent.name
        if lineage in reached and path.stem in shards:
            continue
        sizes[lineage].append(path.stat().st_size)
        strays += lineage not in described or path.stem not in shards
        files.append(path)
    uses = []
    for configuration in index.all_configurations:
        reason = kept.get(configuration["digest"], "")
        lineages = () if reason else set(configuration["lineages"].values())
        gone = [size for lineage in lineages for size in sizes.get(lineage, [])]
        uses.append(ConfigurationUse(configuration, reason, len(gone), sum(gone)))
    total = sum(sum(sizes_of_lineage) for sizes_of_lineage in sizes.values())
    return RemovalPlan(uses, files, total, strays)


def _reached(index: StoreIndex, kept: Collection[str]) -> set[str]:
    return {
        lineage
        for configuration in index.all_configurations
        if configuration["digest"] in kept
        for lineage in configuration["lineages"].values()
    }


@dataclass
class Collected:
    """Number of removed tables and bytes; ``in_use`` are shards that a process is working on."""

    tables: int = 0
    size: int = 0
    in_use: set[str] = field(default_factory=set)


def collect(
    store: Store, plan: RemovalPlan, days: float, forget: Collection[str] = ()
) -> Collected:
    """Remove the files of a plan, except those that came into use since.

    A run writes down that it runs before it looks which tables there are, and it looks under the
    lock that is held here; so either it is seen here, or it sees that the tables are gone.
    """
    by_shard: dict[str, list[Path]] = defaultdict(list)
    for path in plan.files:
        by_shard[path.stem].append(path)
    done = Collected()
    every = sorted(by_shard)
    for start in range(0, len(every), _BATCH):
        shards = every[start : start + _BATCH]
        claims = {shard: Claim(store.root, shard) for shard in shards}
        free = [shard for shard, claim in claims.items() if claim.take()]
        done.in_use |= set(shards) - set(free)
        try:
            with planning_lock(store.root):
                index = open_index(store)
                reached = _reached(index, kept_configurations(index, days, forget))
                there = index.shards
                for path in (path for shard in free for path in by_shard[shard]):
                    if path.parent.name not in reached or path.stem not in there:
                        done.tables += 1
                        done.size += path.stat().st_size
                        path.unlink(missing_ok=True)
        finally:
            for shard in free:
                claims[shard].release()
    _mark(store, plan)
    return done


def _mark(store: Store, plan: RemovalPlan) -> None:
    """Write into the configurations that their tables went, so that they do not count as missing."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    forgotten = {use.configuration["digest"] for use in plan.uses if not use.kept}
    for path in store.small_files("configurations"):
        configuration = store.read_json(path)
        if configuration["digest"] in forgotten:
            store.write_json(path, configuration | {"collected": now, "last_used": ""})


EVALUATED = "evaluated"
"""The folder in which stores of earlier versions keep a copy of what was evaluated; nothing reads it."""

_OWN = {"store.json", PINS, ".ingest.lock", ".plan.lock", "catalog.duckdb"}
# Prefect, DuckDB and people look after these.
_NOT_CHECKED = re.compile(r"prefect(-\d+)?|\.spill(-.*)?|quarantine")
_SUFFIXES = {
    **dict.fromkeys(SMALL_FILES, ".json"),
    **dict.fromkeys(PLAIN_TABLES, ".parquet"),
    EVALUATED: ".jsonl",
    EXECUTIONS: ".jsonl",
    REQUESTS: ".jsonl",
    "locks": ".lock",
    "retry": ".parquet",
}


def unknown_files(store: Store) -> Iterator[Path]:
    """Yield the files and folders that the program did not write; nothing reads them."""
    for path in _in(store.root):
        if path.name in _OWN or _NOT_CHECKED.fullmatch(path.name):
            continue
        if path.name == "stages" and path.is_dir():
            for stage in _in(path):
                if stage.name not in STAGES or not stage.is_dir():
                    yield stage
                    continue
                for lineage in _in(stage):
                    yield from _unknown_in_folder(lineage, ".parquet")
        elif path.name in _SUFFIXES:
            yield from _unknown_in_folder(path, _SUFFIXES[path.name])
        else:
            yield path


def _in(folder: Path) -> list[Path]:
    """Return the entries of a folder by name, without files that are being written."""
    return sorted(path for path in folder.iterdir() if not re.fullmatch(r"\..*\.tmp", path.name))


def _unknown_in_folder(folder: Path, suffix: str) -> Iterator[Path]:
    """Yield the files of a folder that are not of its kind; itself, if it is none."""
    if not folder.is_dir():
        yield folder
        return
    for path in _in(folder):
        if path.suffix != suffix or path.name.startswith("."):
            yield path
