"""Move the damaged files of a store to quarantine, so that scoring makes them again."""

import contextlib
from dataclasses import replace

from qsquared.storage.files.atomic import remove_stale_temporaries
from qsquared.storage.files.damage import DamagedFile
from qsquared.storage.files.locks.claims import Claim
from qsquared.storage.logs.paths import log_is_there
from qsquared.storage.records.indexes.checks import Checks
from qsquared.storage.records.inputs.manifests import read_manifest
from qsquared.storage.records.requests import FOLDER as REQUESTS
from qsquared.storage.records.requests import put_aside_changed_lines
from qsquared.storage.store import Store
from qsquared.storage.upkeep.verify import DAMAGED, MISFIT, Report


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
