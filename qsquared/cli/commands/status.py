"""Show what a store holds: ``q2 status``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from qsquared.cli.options import DEFAULT_STORE, StoreOption, app, plain_table
from qsquared.text import count, visible

if TYPE_CHECKING:
    from qsquared.storage.records.store_index import StoreIndex
    from qsquared.storage.store import Store

_RUNS_SHOWN = 5
_DATES_SHOWN = 31
_DATE_STYLES = {"late": "yellow", "missed": "red", "failed": "red", "incomplete": "red"}
_NUMBERS = {"turns", "rejects", "done", "missing", "mean support", "mean Q²", "seconds"}


@app.command()
def status(store: StoreOption = DEFAULT_STORE) -> None:
    """Show what is in the store: inputs, shards, stages of each profile, last runs."""
    from qsquared.storage.labels.drift import drift_sentences
    from qsquared.storage.records.missing_tables import gaps
    from qsquared.storage.records.store_index import open_index
    from qsquared.storage.sql.outdated import outdated_turns
    from qsquared.storage.store import Store
    from qsquared.storage.tables.registry import PAIR

    # The damaged record of a run hides neither the others nor the stages.
    index = open_index(Store.open(store), needs_runs=False)
    console = Console()
    shown = [(one["metric"], one["profile"]) for one in index.configurations]
    for drift in drift_sentences(index, shown):
        console.print(Text(f"{visible(drift)}\n", "yellow"), soft_wrap=True)
    _show_inputs(console, index)
    held = (
        f"{count(len(shards), 'shard')} of distinct {unit}"
        for unit, shards in index.shards_of.items()
        if shards or unit == PAIR.name
    )
    console.print(f"\n{', '.join(held)}")
    _show_stages(console, index)
    for told in outdated_turns(index):
        console.print(Text(f"\n{visible(told.sentence(index.store))}", "yellow"), soft_wrap=True)
    _show_dates(console, index.store)
    _show_runs(console, index)
    # Every table that was counted is read and checked only now, as that takes a while.
    index.check()
    for gap in gaps(index):
        console.print(Text(f"\n{gap.problem} {gap.todo}", "red"), soft_wrap=True)


def _table(*columns: str) -> Table:
    return plain_table(*columns, right=_NUMBERS)


def _mean(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _show_inputs(console: Console, index: StoreIndex) -> None:
    table = _table("input", "turns", "rejects", "read")
    for manifest in index.inputs:
        for path in manifest.paths:
            turns = f"{manifest.turns:,}" + ("" if manifest.limit is None else " (limit)")
            read = manifest.ingested_at[:16].replace("T", " ")
            table.add_row(Text(visible(path)), turns, f"{manifest.rejects:,}", read)
    console.print(table)


def _show_stages(console: Console, index: StoreIndex) -> None:
    from qsquared.storage.records.checks import STAGES
    from qsquared.storage.tables.registry import PAIR, unit_of

    table = _table("metric", "profile", "configuration", "stage", "done", "missing")
    for configuration in index.configurations:
        for stage in configuration["lineages"]:
            done = len(index.of_stage(stage, configuration))
            unit = unit_of(STAGES[stage]) if stage in STAGES else PAIR
            table.add_row(
                configuration["metric"],
                configuration["profile"],
                configuration["digest"][:8],
                stage,
                f"{done:,}",
                f"{len(index.shards_of[unit.name]) - done:,}",
            )
    console.print(table)


def _show_dates(console: Console, store: Store) -> None:
    """Show the last dates that were scored by night, and the dates between them."""
    from qsquared.storage.records.dates.dated_logs import date_states

    states = list(date_states(store, datetime.now(UTC).date()))[-_DATES_SHOWN:]
    if not states:
        return
    table = _table("date", "state", "turns", "mean support", "mean Q²", "gates", "what")
    for state in states:
        record = state.record
        verdict = None if record is None else record.verdict
        lines = [*([] if verdict is None else _gates_told(verdict)), *state.details]
        table.add_row(
            str(state.date),
            Text(state.state, _DATE_STYLES.get(state.state, "")),
            "" if record is None else f"{record.turns:,}",
            "" if record is None else _mean(record.mean_support),
            "" if record is None else _mean(record.mean_q2),
            "" if verdict is None else verdict["outcome"],
            Text(visible("\n".join(lines))),
        )
    console.print("\ndates")
    console.print(table)


def _gates_told(verdict: dict[str, Any]) -> list[str]:
    """Return a line for each broken gate, with its groups; for gates not judged, the first reason."""
    if verdict["outcome"] == "broken":
        groups: dict[str, list[str]] = {}
        for finding in verdict["findings"]:
            if finding["outcome"] == "broken":
                groups.setdefault(finding["gate"], []).append(finding["group"])
        return [
            f"broken: {gate}" + (f" ({', '.join(filter(None, names))})" if any(names) else "")
            for gate, names in groups.items()
        ]
    if verdict["outcome"] == "not judged":
        reasons = [f["sentence"] for f in verdict["findings"] if f["outcome"] == "not judged"]
        return reasons[:1]
    return []


def _show_runs(console: Console, index: StoreIndex) -> None:
    from qsquared.storage.records.runs import mean_support_of, status_of_run

    runs = index.runs[::-1][:_RUNS_SHOWN]
    if not runs:
        return
    table = _table("run", "status", "profile", "turns", "mean support", "mean Q²", "seconds")
    table.columns[0].overflow, table.columns[0].no_wrap = "ignore", True  # it is to be copied
    for run in runs:
        table.add_row(
            run["run_id"],
            status_of_run(index.store, run),
            run["profile"],
            f"{run['turns']:,}" if "turns" in run else "",
            _mean(mean_support_of(run)),
            _mean(run.get("mean_q2")),
            f"{run['seconds']:.1f}",
        )
    console.print("\nlast runs")
    console.print(table)
