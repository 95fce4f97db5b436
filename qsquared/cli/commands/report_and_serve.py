"""Pages on how often replies are inconsistent: ``q2 report`` writes one, ``q2 serve`` shows the store in a browser."""

from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.help_pages import app
from qsquared.cli.options import (
    DEFAULT_STORE,
    FromOption,
    ShareOption,
    StoreOption,
    ToOption,
    WhoseOption,
    file_to_write,
    open_store,
    require,
)
from qsquared.cli.terminal.printing import say
from qsquared.display import count


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
    from qsquared.storage.labels.judged_replies import TurnFilter

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


_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@app.command()
def serve(
    store: StoreOption = DEFAULT_STORE,
    profile: WhoseOption = None,
    host: str = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8042,
    name: list[str] | None = None,
) -> None:
    """Show the store in a browser, read-only: overview, search, explanations, and today's run.

    It has no login: on another address than this machine's, put it behind a proxy that has one.

    Args:
        host (ADDRESS): Address to listen on; this machine only.
        port: Port to listen on.
        name (HOST): Further name under which browsers may ask for it; may be repeated.

    Examples:
        q2 serve
        q2 serve --store scores --port 8080
        q2 serve --host 0.0.0.0 --name scores.example.org
    """
    require("serve", "serve", "starlette", "uvicorn")
    from qsquared.report.scope import ReportOptions, current_scope
    from qsquared.serve.app import make_app
    from qsquared.serve.server import address_of, in_address, is_of_this_machine, listen, run_server
    from qsquared.storage.records.indexes.store_index import open_index

    opened = open_store(store)
    hosts = [in_address(host_name) for host_name in (*_LOOPBACK, host, *(name or []))]
    if profile is not None:
        # Else every page would say it.
        current_scope(open_index(opened, lenient=True), ReportOptions(profile=profile))
    taken = listen(host, port)
    address = address_of(host, taken)
    say(f"{address} shows {opened.root}; Ctrl-C ends it.")
    if not is_of_this_machine(taken):
        warning = "Whoever reaches this address reads the whole store: there is no login."
        if not name:
            warning += " Browsers on other machines have to ask by a name that --name gives."
        say(warning)
    run_server(make_app(opened, profile, hosts), taken)
