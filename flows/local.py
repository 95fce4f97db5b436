"""A scoring run on this machine, with Prefect or without, and a dry run, which stores nothing."""

import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from qsquared.errors import InputError
from qsquared.flows.loop import Steps, score_logs
from qsquared.flows.running.embedded_prefect import embedded_prefect, end_loops_with_process
from qsquared.flows.running.plan import Plan
from qsquared.flows.running.run import read_log, read_logs
from qsquared.storage.files.remote_paths import place
from qsquared.storage.outputs.selected_turns import Selection, distinct_pairs, scored_pairs
from qsquared.storage.records.inputs.manifests import InputManifest
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.running.stage_runner import open_job

_FEW_PAIRS = 24
"""The number of pairs up to which scoring takes less time than the start of Prefect."""


class _WithPrefectIfNeeded(Steps):
    """The steps of a run, with an embedded Prefect for the stages unless few pairs are left."""

    def run_shards(self, plan: Plan) -> None:
        if plan.unfinished_pairs <= _FEW_PAIRS:
            super().run_shards(plan)
            return
        with embedded_prefect(place(self.job.store)):
            # Prefect takes seconds to import.
            from qsquared.flows.score import score_shards

            score_shards(self.options, plan)


def run_here(options: ScoreOptions) -> dict[str, Any]:
    """Score logs and return the summary of the run.

    With ``PREFECT_API_URL`` the whole run is the flow `score` on that server.
    Without it the stages run in a flow of an embedded Prefect (`score_shards`), or without Prefect if
    few pairs are left to score.
    """
    if "PREFECT_API_URL" not in os.environ:
        return score_logs(options, _WithPrefectIfNeeded(options))
    end_loops_with_process()
    from qsquared.flows.score import score

    summary: dict[str, Any] = score(**asdict(options))
    return summary


@dataclass(frozen=True, slots=True)
class DryRun:
    """The logs that a run would read, or could not, and the number of pairs that it would score.

    ``pairs`` counts the distinct pairs of the logs, ``new_pairs`` those of them without scores.
    """

    inputs: dict[str, InputManifest]
    unreadable: dict[str, InputError]
    pairs: int
    new_pairs: int


def dry_run(options: ScoreOptions) -> DryRun:
    """Read the logs into a temporary store, and compare its pairs with the scores of the real one.

    Raises:
        InputError: no log can be read, or there is none.
    """
    with tempfile.TemporaryDirectory(prefix="q2-dry-run-") as folder:
        scratch = Store.open(Path(folder), create=True)
        inputs: dict[str, InputManifest] = {}

        def read(path: str) -> InputManifest:
            inputs[path] = read_log(scratch, options, path)
            return inputs[path]

        manifests, unreadable = read_logs(options.logs, options.limit, read)
        fingerprints = tuple(manifest.fingerprint for manifest in manifests)
        pairs = distinct_pairs(scratch, Selection(fingerprints, options.limit))
        new = pairs - _scored(options, pairs)
        return DryRun(inputs, unreadable, len(pairs), len(new))


def _scored(options: ScoreOptions, pairs: set[str]) -> set[str]:
    """Return the pairs that have scores of every asked metric in the store."""
    if not (place(options.store) / "store.json").exists():
        return set()
    runner = open_job(options.job)
    for stage in runner.paths.measured(()):
        lineage = runner.configuration.lineages[stage]
        pairs = pairs & scored_pairs(runner.store, stage, lineage)
    return pairs
