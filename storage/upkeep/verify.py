"""Check a whole store: every byte of every file, each file's place, and the rows among themselves; repair it."""

import contextlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb

from qsquared.storage.connection import open_connection
from qsquared.storage.files.atomic import remove_stale_temporaries, stale_temporaries
from qsquared.storage.files.file_errors import DamagedFile
from qsquared.storage.files.parquet import Receipt
from qsquared.storage.files.remote_paths import is_remote
from qsquared.storage.files.shard_claims import Claim, abandoned_claims, is_being_read_into
from qsquared.storage.logs.paths import log_is_there
from qsquared.storage.records.indexes.checks import (
    PLAIN_TABLES,
    STAGES,
    Checks,
    damaged_small_files,
    make_again,
    put_aside,
    read_again,
)
from qsquared.storage.records.indexes.lost_tables import gaps
from qsquared.storage.records.indexes.store_index import open_index
from qsquared.storage.records.inputs.manifests import InputManifest, read_manifest
from qsquared.storage.records.request_journal import FOLDER as REQUESTS
from qsquared.storage.records.request_journal import journal_damage, put_aside_changed_lines
from qsquared.storage.records.runs import unfinished_erasures
from qsquared.storage.store import Store, store_option
from qsquared.storage.tables import UNITS, unit_of
from qsquared.storage.upkeep.garbage_collection import unknown_files
from qsquared.storage.upkeep.row_checks import (
    BEFORE,
    in_two_shards,
    name_mismatch,
    rows_without_parent,
)

DAMAGED = "damaged"
MISSING = "missing"
MISFIT = "misfit"
UNFINISHED = "unfinished"
LEFTOVER = "leftover"
UNKNOWN = "unknown"
WRONG = (DAMAGED, MISSING, MISFIT, UNFINISHED)
"""The kinds that make a store unsound; the others are notes."""

_NOT_ITS_OWN = "Nothing reads it. Remove it if you do not need it."
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of one file.

    ``path`` is relative to the store (empty: the store as a whole), ``problem`` and ``todo`` are
    sentences, ``moved_to`` is where in the store a damaged file was put, if it was.
    """

    path: str
    kind: str
    problem: str
    todo: str
    moved_to: str = ""

    @property
    def wrong(self) -> bool:
        """Whether the store is unsound by it."""
        return self.kind in WRONG


@dataclass(slots=True)
class Report:
    """Numbers of checked files, and the findings."""

    tables: int = 0
    small_files: int = 0
    findings: list[Finding] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong; notes do not count."""
        return not any(finding.wrong for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """The report as a plain JSON object."""
        return {"sound": self.sound} | asdict(self)


def verify(store: Store, on_progress: Progress | None = None) -> Report:
    """Check a store in whatever state, and change nothing; ``on_progress`` gets tables done and of all.

    Raises:
        StoreError: it is of another version, or a file cannot be read for a reason that says nothing
            of its content.
    """
    return _Verifier(store, on_progress or (lambda _done, _all: None)).run()


class _Verifier:
    def __init__(self, store: Store, on_progress: Progress) -> None:
        self._store = store
        self._root = store.root
        self._again = make_again(store)
        self._on_progress = on_progress
        self._checks = Checks(store)
        self._report = Report()
        self._damaged: set[Path] = set()
        self._sound: dict[Path, dict[str, Path]] = defaultdict(dict)
        """Folder → shard or input → table."""
        self._receipts: dict[Path, Receipt] = {}
        self._manifests: dict[str, InputManifest] = {}

    def run(self) -> Report:
        try:
            self._store.check_version()
        except DamagedFile as damage:
            self._add(damage.path, DAMAGED, damage.reason, damage.hint)
        for file in damaged_small_files(self._store):
            self._damaged.add(file.path)
            self._add(file.path, DAMAGED, file.reason, put_aside(self._store))
        self._report.small_files = sum(1 for _ in self._root.glob("[!.]*/[!.]*.json"))
        self._manifests = {
            path.stem: read_manifest(self._store, path.stem)
            for path in self._store.small_files("inputs")
            if path not in self._damaged
        }
        self._journal()
        self._tables()
        for manifest in self._manifests.values():
            self._input(manifest)
        self._inputs_without_manifest()
        with open_connection(self._root) as connection:
            self._units(connection)
            self._stages(connection)
        self._gaps()
        self._erasures()
        self._notes()
        return self._report

    def _add(self, path: Path | None, kind: str, problem: str, todo: str) -> None:
        name = "" if path is None else path.relative_to(self._root).as_posix()
        self._report.findings.append(Finding(name, kind, problem, todo))

    def _gaps(self) -> None:
        """Report the missing tables of completed runs, if the small files are sound."""
        with contextlib.suppress(DamagedFile):  # it is told of already
            for gap in gaps(open_index(self._store, lenient=True)):
                self._add(None, LEFTOVER if gap.for_ever else MISSING, gap.problem, gap.todo)

    def _journal(self) -> None:
        for path, problem, todo in journal_damage(self._store):
            hint = todo and f"{todo} {store_option(self._store)}"
            kind = DAMAGED if todo else LEFTOVER
            self._add(path, kind, problem, hint or "Nothing: its request is sent again.")

    def _tables(self) -> None:
        paths = [
            *(path for name in PLAIN_TABLES for path in self._store.tables(name)),
            *(self._root / "stages").glob("*/*/[!.]*.parquet"),
        ]
        paths.sort()
        self._report.tables = len(paths)
        for number, path in enumerate(paths, start=1):
            self._table(path)
            self._on_progress(number, len(paths))

    def _table(self, path: Path) -> None:
        try:
            self._receipts[path] = self._checks.table(path)
            self._sound[path.parent][path.stem] = path
        except DamagedFile as damage:
            if damage.path in self._damaged or (damage.path == path and not path.exists()):
                return  # it is told of already, or somebody has just put it aside
            self._damaged.add(damage.path)
            if damage.path != path:
                reason = f"{damage.reason}, so the tables of this lineage cannot be checked"
                self._add(damage.path, MISSING, reason, self._again)
                return
            of_log = path.parent.name in {"turns", "rejects"} and path.stem in self._manifests
            todo = read_again(self._store, self._manifests[path.stem]) if of_log else self._again
            self._add(path, DAMAGED, damage.reason, todo)

    def _input(self, manifest: InputManifest) -> None:
        """Compare the tables of an input with its manifest."""
        for table, stated in (("turns", manifest.turns_table), ("rejects", manifest.rejects_table)):
            path = self._store.table_path(table, manifest.fingerprint)
            receipt = self._receipts.get(path)
            if receipt is None:
                # Newer content has taken the place of one without paths, and nothing reads it.
                if path not in self._damaged and manifest.paths:
                    self._add(path, MISSING, "it is missing", read_again(self._store, manifest))
            # Reading replaces tables a moment before their manifest.
            elif receipt.sha256 != stated.sha256 and not is_being_read_into(self._root):
                problem = "it is not the table that its manifest tells of"
                self._add(path, MISFIT, problem, read_again(self._store, manifest))
        if manifest.turns + manifest.rejects + len(manifest.erased) != manifest.rows:
            parts = f"{manifest.turns:,} turns and {manifest.rejects:,} rejects"
            problem = f"it tells of {manifest.rows:,} rows, but of {parts}"
            path = self._store.manifest_path(manifest.fingerprint)
            self._add(path, MISFIT, problem, read_again(self._store, manifest))

    def _inputs_without_manifest(self) -> None:
        for table in ("turns", "rejects"):
            for key, path in self._sound[self._root / table].items():
                if not self._store.manifest_path(key).exists():
                    problem = "no manifest tells of it: its log is being read, or the reading was cut short"
                    self._add(path, LEFTOVER, problem, "Score its log again.")

    def _units(self, connection: duckdb.DuckDBPyConnection) -> None:
        for unit in UNITS.values():
            files = self._sound[self._root / unit.name]
            for path in files.values():
                if problem := name_mismatch(path, unit):
                    self._add(path, MISFIT, problem, self._again)
            for path, problem in in_two_shards(connection, files, unit):
                self._add(path, MISFIT, problem, self._again)

    def _stages(self, connection: duckdb.DuckDBPyConnection) -> None:
        stages = self._root / "stages"
        for folder, files in sorted(self._sound.items()):
            if folder.parent.parent != stages or not files:
                continue
            stage = folder.parent.name
            unit = unit_of(STAGES[stage])
            shards = {path.stem for path in self._store.tables(unit.name)}
            before: dict[str, Path] = {}
            if earlier := BEFORE.get(stage):
                inputs = self._checks.lineage(folder.name)["inputs"]
                before = self._sound[stages / earlier / inputs.get(earlier, "")]
            for path, problem in rows_without_parent(
                connection, stage, files, self._sound[self._root / unit.name], before
            ):
                self._add(path, MISFIT, problem, self._again)
            if old := len(files.keys() - shards):
                problem = f"{old:,} of its tables are of shards that have no {unit.name} any more"
                self._add(folder, LEFTOVER, problem, "Nothing reads them. They may be removed.")

    def _erasures(self) -> None:
        for path in unfinished_erasures(self._store):
            todo = f"Finish it: q2 erase --yes {store_option(self._store)}"
            self._add(path, UNFINISHED, "this erasure was interrupted", todo)

    def _notes(self) -> None:
        again = f"Nothing: the next q2 score removes it, or q2 verify --quarantine {store_option(self._store)}"
        for path in [] if is_remote(self._root) else stale_temporaries(self._root):
            self._add(path, LEFTOVER, "a process that is dead left it half-written", again)
        for path, owner in abandoned_claims(self._root):
            self._add(path, LEFTOVER, f"its owner, {owner}, is dead", again)
        for path in unknown_files(self._store):
            self._add(path, UNKNOWN, "the store did not write it", _NOT_ITS_OWN)


def repair(store: Store, report: Report) -> Report:
    """Move damaged files to quarantine, so that the next scoring makes them again; remove leftovers.

    Each file is checked once more, since another process may have made it again meanwhile.
    """
    findings = []
    for finding in report.findings:
        path = store.root / finding.path
        moved = None
        if finding.path == "store.json":
            Store.open(store.root, create=True)
        elif finding.kind == DAMAGED and path.parent.name == REQUESTS:
            moved = put_aside_changed_lines(store, path, finding.problem)
        elif finding.kind == MISFIT or (
            finding.kind == DAMAGED and not Checks(store).is_sound(path)
        ):
            moved = store.quarantine(path, finding.problem)
        if finding.wrong and path.parent.name in {"turns", "rejects"}:
            _give_up_lost_log(store, path.stem)
        if path.parent.name == "locks":
            claim = Claim(store.root, path.stem)
            if claim.take():
                claim.release()
        moved_to = "" if moved is None else moved.relative_to(store.root).as_posix()
        findings.append(replace(finding, moved_to=moved_to))
    remove_stale_temporaries(store.root)
    return replace(report, findings=findings)


def _give_up_lost_log(store: Store, fingerprint: str) -> None:
    """Put aside the manifest of an input whose turns are lost and whose log is gone.

    Else nothing could be asked of the store any more.
    """
    path = store.manifest_path(fingerprint)
    with contextlib.suppress(DamagedFile):
        if not any(log_is_there(log) for log in read_manifest(store, fingerprint).paths):
            store.quarantine(path, "the turns that it tells of are damaged, and their log is gone")
