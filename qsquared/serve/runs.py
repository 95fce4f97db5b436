"""The run at work on a store and the state of its dates, from its small files."""

from datetime import UTC, datetime
from typing import Any

from qsquared.storage.records.dates.dated_logs import date_states
from qsquared.storage.records.indexes.store_index import StoreIndex, open_index
from qsquared.storage.records.runs import digests_of, status_of_run
from qsquared.storage.store import Store

RUNS_SHOWN = 10
DATES_SHOWN = 14


def runs_of(store: Store) -> dict[str, Any]:
    """Return the latest runs, the work done in the configuration of the last one, and the dates.

    Raises:
        DamagedFile: a small file is broken.
    """
    index = open_index(store, lenient=True)
    latest = sorted(index.runs, key=lambda run: run["started_at"], reverse=True)[:RUNS_SHOWN]
    runs = [run | {"status": status_of_run(store, run)} for run in latest]
    today = datetime.now(UTC).date()
    return {
        "runs": runs,
        "last": runs[0] if runs else None,
        "stages": _stages(index, runs[0]) if runs else [],
        "dates": list(date_states(store, today))[-DATES_SHOWN:][::-1],
        "now": datetime.now(UTC).strftime("%H:%M:%S UTC"),
    }


def _stages(index: StoreIndex, run: dict[str, Any]) -> list[dict[str, Any]]:
    """Return how many shards of each stage are there, of how many."""
    digests = set(digests_of(run).values())
    found = {
        stage: {"stage": stage, "done": done, "shards": every}
        for configuration in index.all_configurations
        if configuration["digest"] in digests
        for stage, done, every in index.stages_done(configuration)
    }
    return list(found.values())
