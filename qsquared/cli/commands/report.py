"""``q2 report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.options import DEFAULT_STORE, StoreOption, app


@app.command(
    epilog="Examples:  q2 report   ·   q2 report --out night.html --run latest --baseline 20261120T023005-1b7e02   ·   "
    "q2 report --profile paper --baseline compact"
)
def report(
    store: StoreOption = DEFAULT_STORE,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The HTML file.")] = Path("report.html"),
    profile: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Whose scores; the one used last if left out."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="RUN|PROFILE|DIR",
            help="Compare with another run or profile of the store, or with another store.",
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Only the logs of one run; `latest` is the last one."),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, metavar="Q²", help="Below it a turn is inconsistent."),
    ] = 0.5,
    cases: Annotated[
        int, typer.Option(min=0, max=2000, metavar="N", help="Number of hardest cases shown.")
    ] = 200,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Heading.")] = None,
) -> None:
    """Write one HTML file: how often replies are inconsistent, where, since when, and which.

    It opens from disk and asks no other machine for anything.
    """
    from qsquared.cli.report import run_report
    from qsquared.report.scope import ReportOptions

    options = ReportOptions(
        profile=profile, baseline=baseline, run=run, threshold=threshold, cases=cases
    )
    run_report(store, out, options, title)
