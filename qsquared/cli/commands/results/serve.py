"""Show a store in a browser: ``q2 serve``."""

from typing import Annotated

import typer

from qsquared.cli.commands.app import app
from qsquared.cli.options import DEFAULT_STORE, StoreOption, WhoseOption, open_store, require
from qsquared.cli.terminal.sentences import say

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
