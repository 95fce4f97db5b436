"""Show what a store holds: ``q2 status``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text

from qsquared.cli.commands.app import app
from qsquared.cli.options import DEFAULT_STORE, StoreOption, open_store
from qsquared.cli.terminal.sentences import say, show, table_of
from qsquared.text import count

if TYPE_CHECKING:
    from qsquared.storage.records.indexes.store_index import StoreIndex
    from qsquared.storage.store import Store

_RUNS_SHOWN = 5
_DATES_SHOWN = 31
_DATE_STYLES = {"late": "yellow", "missed": "red", "failed": "red", "incomplete": "red"}
_MEANS = ("mean support", "mean Q²", "seconds", "turns")


@app.command()
def status(store: StoreOption = DEFAULT_STORE) -> None:
    """Show what is in the store: inputs, shards, stages of each profile, last runs.

    Note:
        Tables are counted and not read; q2 verify checks every byte of them.
    """
    from qsquared.storage.records.indexes.missing_tables import gaps
    from qsquared.storage.records.indexes.store_index import open_index
    from qsquared.storage.sql.catalogue import outdated_scores
    from qsquared.storage.tables.registry import PAIR

    # The damaged record of a run hides neither the others nor the stages.
    index = open_index(open_store(store), needs_runs=False)
    _show_inputs(index)
    sentences = (
        f"{count(len(shards), 'shard')} of distinct {unit}"
        for unit, shards in index.shards_of.items()
        if shards or unit == PAIR.name
    )
    say(f"\n{', '.join(sentences)}")
    _show_stages(index)
    for outdated in outdated_scores(index):
        say(f"\n{outdated}", style="yellow")
    _show_dates(index.store)
    _show_runs(index)
    for gap in gaps(index):
        say(f"\n{gap.problem} {gap.todo}", style="red")


def _mean(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _show_inputs(index: StoreIndex) -> None:
    rows = (
        (
            path,
            f"{manifest.turns:,}" + ("" if manifest.limit is None else " (limit)"),
            manifest.rejects,
            manifest.ingested_at[:16].replace("T", " "),
        )
        for manifest in index.inputs
        for path in manifest.paths
    )
    show(table_of(("input", "turns", "rejects", "read"), rows, right=("turns",)))


def _show_stages(index: StoreIndex) -> None:
    rows = (
        (config["metric"], config["profile"], config["digest"][:8], stage, done, every - done)
        for config in index.configurations
        for stage, done, every in index.stages_done(config)
    )
    columns = ("metric", "profile", "configuration", "stage", "done", "missing")
    show(table_of(columns, rows))


def _show_dates(store: Store) -> None:
    """Show the last dates that were scored by night, and the dates between them."""
    from qsquared.storage.records.dates.dated_logs import date_states

    states = list(date_states(store, datetime.now(UTC).date()))[-_DATES_SHOWN:]
    if not states:
        return
    rows = []
    for state in states:
        record = state.record
        verdict = record.verdict if record else None
        rows.append(
            (
                str(state.date),
                Text(state.state, _DATE_STYLES.get(state.state, "")),
                record.turns if record else None,
                _mean(record.mean_support if record else None),
                _mean(record.mean_q2 if record else None),
                verdict["outcome"] if verdict else "",
                "\n".join([*_gates_told(verdict), *state.details]),
            )
        )
    columns = ("date", "state", "turns", "mean support", "mean Q²", "gates", "what")
    show("\ndates", table_of(columns, rows, right=_MEANS))


def _gates_told(verdict: dict[str, Any] | None) -> list[str]:
    """Return a line for each broken gate, with its groups; for gates not judged, the first reason."""
    if verdict is None:
        return []
    if verdict["outcome"] == "broken":
        groups: dict[str, list[str]] = {}
        for finding in verdict["findings"]:
            if finding["outcome"] == "broken":
                groups.setdefault(finding["gate"], []).append(finding["group"])
        return [
            f"broken: {gate}" + (f" ({', '.join(filter(None, names))})" if any(names) else "")
            for gate, names in groups.items()
        ]
    reasons = [f["sentence"] for f in verdict["findings"] if f["outcome"] == "not judged"]
    return reasons[:1] if verdict["outcome"] == "not judged" else []


def _show_runs(index: StoreIndex) -> None:
    from qsquared.storage.records.runs import mean_support_of, status_of_run

    runs = index.runs[::-1][:_RUNS_SHOWN]
    if not runs:
        return
    rows = (
        (
            run["run_id"],
            status_of_run(index.store, run),
            run["profile"],
            run.get("turns"),
            _mean(mean_support_of(run)),
            _mean(run.get("mean_q2")),
            f"{run['seconds']:.1f}",
        )
        for run in runs
    )
    columns = ("run", "status", "profile", "turns", "mean support", "mean Q²", "seconds")
    table = table_of(columns, rows, right=_MEANS)
    table.columns[0].overflow, table.columns[0].no_wrap = "ignore", True  # it is to be copied
    show("\nlast runs", table)
