"""Write a page on how often replies are inconsistent: ``q2 report``."""

from pathlib import Path
from typing import Annotated

from rich.console import Console

from qsquared.cli.application import app, examples, takes
from qsquared.cli.files import file_to_write, open_store
from qsquared.cli.options import DEFAULT_STORE, FromOption, StoreOption, ToOption, WhoseOption
from qsquared.cli.terminal.sentences import say
from qsquared.text import count


@app.command(
    epilog=examples(
        "q2 report",
        "q2 report --out night.html --run latest --baseline 20261120T023005-1b7e02",
        "q2 report --profile paper --baseline compact",
        "q2 report --from 2026-11-16 --where \"fields.bot_version = '1.5'\"",
    )
)
def report(
    store: StoreOption = DEFAULT_STORE,
    out: Annotated[
        Path, takes("FILE", "The HTML file; a missing folder is made.", parser=file_to_write)
    ] = Path("report.html"),
    profile: WhoseOption = None,
    baseline: Annotated[
        str | None,
        takes(
            "RUN|PROFILE|DIR",
            "Compare with another run or profile of the store, or with another store.",
        ),
    ] = None,
    run: Annotated[
        str | None, takes("RUN", "Only the logs of one run; `latest` is the last one.")
    ] = None,
    first: FromOption = "",
    last: ToOption = "",
    where: Annotated[
        str, takes("SQL", "Only turns with this condition on the view `outcomes`.")
    ] = "",
    threshold: Annotated[
        float, takes("SCORE", "At or below it a turn is inconsistent.", min=0.0, max=1.0)
    ] = 0.5,
    cases: Annotated[int, takes("N", "Number of hardest cases shown.", min=0, max=2000)] = 200,
    title: Annotated[str | None, takes("TEXT", "Heading.")] = None,
) -> None:
    """Write one HTML file: how often replies are inconsistent, where, since when, and which.

    It opens from disk and asks no other machine for anything.
    """
    from qsquared.report.page import write_report
    from qsquared.report.scope import ReportOptions
    from qsquared.storage.labels.selection import Selection

    asked = Selection(first, last, where)
    options = ReportOptions(profile, baseline, run, threshold, cases, title, asked)
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
    console = Console(highlight=False)
    if corrected := figures["corrected"]["rate"]:
        share = corrected["corrected"]
        say(
            console,
            f"Corrected by {share['labels']:,} labels: {share['value']:.1%} are inconsistent "
            f"(95 % interval {share['low']:.1%} to {share['high']:.1%}).",
        )
    wrong = figures["wrong_pairs"]
    replies = f"{wrong:,} distinct {'reply' if wrong == 1 else 'replies'}"
    say(
        console,
        f"{out}: {rate}",
        f"{count(len(figures['cases']), 'case')} shown of {replies} at or below {threshold:g}; "
        f"{figures['bytes'] / 1e6:.1f} MB",
    )
