"""Write a page on how often replies are inconsistent: ``q2 report``."""

from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.commands.app import app
from qsquared.cli.options import (
    DEFAULT_STORE,
    FromOption,
    ShareOption,
    StoreOption,
    ToOption,
    WhoseOption,
    file_to_write,
    open_store,
)
from qsquared.cli.terminal.sentences import say
from qsquared.text import count


@app.command()
def report(
    store: StoreOption = DEFAULT_STORE,
    out: Annotated[Path, typer.Option(parser=file_to_write)] = Path("report.html"),
    profile: WhoseOption = None,
    baseline: str | None = None,
    run: str | None = None,
    first: FromOption = "",
    last: ToOption = "",
    where: str = "",
    threshold: ShareOption = 0.5,
    cases: Annotated[int, typer.Option(min=0, max=2000)] = 200,
    title: str | None = None,
) -> None:
    """Write one HTML file: how often replies are inconsistent, where, since when, and which.

    It opens from disk and asks no other machine for anything.

    Args:
        out (FILE): The HTML file; a missing folder is made.
        baseline (RUN|PROFILE|DIR): Compare with another run or profile of the store, or with another store.
        run (RUN): Only the logs of one run; `latest` is the last one.
        where (SQL): Only turns with this condition on the view `outcomes`.
        threshold (SCORE): At or below it a turn is inconsistent.
        cases (N): Number of hardest cases shown.
        title (TEXT): Heading.

    Examples:
        q2 report
        q2 report --out night.html --run latest --baseline 20261120T023005-1b7e02
        q2 report --profile paper --baseline compact
        q2 report --from 2026-11-16 --where "fields.bot_version = '1.5'"
    """
    from qsquared.report.page import write_report
    from qsquared.report.scope import ReportOptions
    from qsquared.storage.labels.selection import TurnFilter

    selection = TurnFilter(first, last, where)
    options = ReportOptions(profile, baseline, run, threshold, cases, title, selection)
    figures = write_report(open_store(store), out, options)
    total = figures["total"]
    if total["rate"] is None:
        rate = f"none of {count(total['turns'], 'turn')} has a score"
    else:
        rate = (
            f"{total['inconsistent']:,} of {count(total['scored'], 'scored turn')} are inconsistent "
            f"({total['rate']:.1%}, 95 % interval {total['rate_low']:.1%} to {total['rate_high']:.1%}), "
            f"coverage {total['coverage']:.1%}"
        )
    if corrected := figures["corrected"]["rate"]:
        share = corrected["corrected"]
        say(
            f"Corrected by {share['labels']:,} labels: {share['value']:.1%} are inconsistent "
            f"(95 % interval {share['low']:.1%} to {share['high']:.1%})."
        )
    wrong = figures["wrong_pairs"]
    replies = f"{wrong:,} distinct {'reply' if wrong == 1 else 'replies'}"
    say(
        f"{out}: {rate}",
        f"{count(len(figures['cases']), 'case')} shown of {replies} at or below {threshold:g}; "
        f"{figures['bytes'] / 1e6:.1f} MB",
    )
