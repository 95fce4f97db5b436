"""Show what a store holds, and judge it: ``q2 status``, ``q2 gate``."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from qsquared.cli.help_pages import app
from qsquared.cli.options import DEFAULT_STORE, StoreOption, open_store, write_json
from qsquared.cli.terminal.printing import facts_of, say, show, table_of
from qsquared.display import count, visible
from qsquared.errors import GateError, Q2Error, UnjudgedError, UsageError

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
    from qsquared.storage.records.indexes.lost_tables import gaps
    from qsquared.storage.records.indexes.store_index import open_index
    from qsquared.storage.sql.views import outdated_scores
    from qsquared.storage.tables import PAIR

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
    from qsquared.storage.records.dated_logs import date_states

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


_OUTCOME_STYLES = {"passed": "green", "broken": "red", "not judged": "dim"}


@app.command()
def gate(
    rules: Annotated[Path, typer.Option()],
    store: StoreOption = DEFAULT_STORE,
    date: str = "",
    as_json: Annotated[Path | None, typer.Option("--json")] = None,
    tell: bool = False,
) -> None:
    """Judge the scores of a date by rules: inconsistency, rises, coverage, rejects, freshness.

    Args:
        rules (FILE): TOML file with the gates.
        date (DATE): The date to judge, as 2026-11-20; else the last.
        as_json (FILE): Write the whole verdict as JSON.
        tell: Post a broken gate to the webhook of the rules.

    Note:
        Exit code 0: no gate is broken; 3: one is; 4: after an upgrade a rise could not be judged.

    Example:
        q2 gate --rules examples/gates.toml --json verdict.json
    """
    from qsquared.gates.alerts import broken_event, send
    from qsquared.gates.counts import last_day, shown_as
    from qsquared.gates.rules import read_rules
    from qsquared.gates.verdicts import ON_SCORES, judge_date, unjudged_by_version
    from qsquared.storage.records.date_records import parse_date, read_date

    stated = read_rules(rules)
    opened = open_store(store)
    day = parse_date(date) if date else last_day(opened)
    if day is None:
        raise UsageError(
            "No turn of the store has a date: its logs are of no night, and have no timestamps.",
            "Score them with the nightly deployment (docs/operations.md), or log a timestamp.",
        )
    record = read_date(opened, day)
    digests = () if record is None else record.digests
    metric, profile = shown_as(opened, stated.score, digests)
    verdict = judge_date(opened, stated, day, metric, profile, newest=not date)
    if as_json is not None:
        write_json(as_json, verdict)
    _show_verdict(verdict)
    if verdict["outcome"] == "not judged":
        typer.echo(f"\n{visible(verdict['sentence'])}")
    if verdict["outcome"] != "broken":
        if kept_out := unjudged_by_version(verdict):
            raise UnjudgedError(kept_out, f"Its store: {store}")
        return
    broken = {finding["kind"] for finding in verdict["findings"] if finding["outcome"] == "broken"}
    hint = f"What was read: q2 status --store {store}"
    if broken & ON_SCORES:
        hint = f"Which replies: q2 report --from {day} --to {day} --store {store}"
    if tell and stated.webhook is not None:
        try:
            send(stated.webhook, broken_event(verdict, str(store)))
        except Q2Error as error:
            # The broken gate is what a build has to fail by.
            hint = f"{hint}\n{error.message} {error.hint}"
    raise GateError(verdict["sentence"], hint)


def _show_verdict(verdict: dict[str, Any]) -> None:
    say(f"{verdict['date']}, {verdict['metric']} with {verdict['profile']}")
    rows = (
        (Text(row["outcome"], _OUTCOME_STYLES[row["outcome"]]), row["gate"], row["sentence"])
        for row in verdict["findings"]
    )
    show(facts_of(rows, names=2))
