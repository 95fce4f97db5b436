"""The command ``q2 status``."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from qsquared.cli.text import count, visible
from qsquared.storage.records.checks import STAGES
from qsquared.storage.records.dates.date_states import date_states
from qsquared.storage.records.missing_tables import gaps
from qsquared.storage.records.store_index import StoreIndex, open_index
from qsquared.storage.store import Store
from qsquared.storage.tables.units import PAIR, unit_of

_RUNS_SHOWN = 5
_DATES_SHOWN = 31
_STATE_STYLES = {"late": "yellow", "missed": "red", "failed": "red", "incomplete": "red"}


def run_status(folder: Path) -> None:
    """Show inputs, shards, stages of each profile, and the last runs.

    Every table that is counted is read and checked after all is shown.

    Raises:
        StoreError: there is no store.
        DamagedFile: a file cannot be trusted.
    """
    contents = open_index(Store.open(folder))
    console = Console()
    _show_inputs(console, contents)
    held = (
        f"{count(len(shards), 'shard')} of distinct {unit}"
        for unit, shards in contents.shards_of.items()
        if shards or unit == PAIR.name
    )
    console.print(f"\n{', '.join(held)}")
    _show_stages(console, contents)
    _show_dates(console, contents.store)
    _show_runs(console, contents)
    contents.check()
    for gap in gaps(contents):
        console.print(Text(f"\n{gap.problem} {gap.todo}", "red"), soft_wrap=True)


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in columns:
        number = column in {"turns", "rejects", "done", "missing", "mean Q²", "seconds"}
        table.add_column(column, justify="right" if number else "left", overflow="fold")
    return table


def _show_inputs(console: Console, contents: StoreIndex) -> None:
    table = _table("input", "turns", "rejects", "read")
    for manifest in contents.inputs:
        for path in manifest.paths:
            turns = f"{manifest.turns:,}" + ("" if manifest.limit is None else " (limit)")
            read = manifest.ingested_at[:16].replace("T", " ")
            table.add_row(Text(visible(path)), turns, f"{manifest.rejects:,}", read)
    console.print(table)


def _show_stages(console: Console, contents: StoreIndex) -> None:
    table = _table("metric", "profile", "configuration", "stage", "done", "missing")
    for configuration in contents.configurations:
        for stage in configuration["lineages"]:
            done = len(contents.of_stage(stage, configuration))
            unit = unit_of(STAGES[stage]) if stage in STAGES else PAIR
            table.add_row(
                configuration["metric"],
                configuration["profile"],
                configuration["digest"][:8],
                stage,
                f"{done:,}",
                f"{len(contents.shards_of[unit.name]) - done:,}",
            )
    console.print(table)


def _show_dates(console: Console, store: Store) -> None:
    """The last dates that were scored by night, and those between them."""
    states = list(date_states(store, datetime.now(UTC).date()))[-_DATES_SHOWN:]
    if not states:
        return
    table = _table("date", "state", "turns", "mean Q²", "gates", "what")
    for found in states:
        record = found.record
        mean = "" if record is None or record.mean_q2 is None else f"{record.mean_q2:.3f}"
        verdict = None if record is None else record.verdict
        what = found.detail
        if verdict is not None and verdict["outcome"] == "broken":
            what = " ".join(filter(None, (what, verdict["sentence"])))
        table.add_row(
            str(found.date),
            Text(found.state, _STATE_STYLES.get(found.state, "")),
            "" if record is None else f"{record.turns:,}",
            mean,
            "" if verdict is None else verdict["outcome"],
            Text(visible(what)),
        )
    console.print("\ndates")
    console.print(table)


def _show_runs(console: Console, contents: StoreIndex) -> None:
    runs = contents.runs[::-1][:_RUNS_SHOWN]
    if not runs:
        return
    table = _table("run", "status", "profile", "turns", "mean Q²", "seconds")
    for run in runs:
        mean = run.get("mean_q2")
        table.add_row(
            run["run_id"],
            run["status"],
            run["profile"],
            f"{run['turns']:,}" if "turns" in run else "",
            "" if mean is None else f"{mean:.3f}",
            f"{run['seconds']:.1f}",
        )
    console.print("\nlast runs")
    console.print(table)
