"""Judge by rules whether the scores of a date are good enough: ``q2 gate``."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from qsquared.cli.help_pages import app
from qsquared.cli.options import DEFAULT_STORE, StoreOption, open_store, write_json
from qsquared.cli.terminal.sentences import facts_of, say, show
from qsquared.errors import GateError, Q2Error, UnjudgedError, UsageError
from qsquared.text import visible

_STYLES = {"passed": "green", "broken": "red", "not judged": "dim"}


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
    from qsquared.gates.judging import ON_SCORES, judge_date, unjudged_by_version
    from qsquared.gates.rules import read_rules
    from qsquared.storage.records.dates.date_records import parse_date, read_date

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
    _show(verdict)
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


def _show(verdict: dict[str, Any]) -> None:
    say(f"{verdict['date']}, {verdict['metric']} with {verdict['profile']}")
    rows = (
        (Text(row["outcome"], _STYLES[row["outcome"]]), row["gate"], row["sentence"])
        for row in verdict["findings"]
    )
    show(facts_of(rows, names=2))
