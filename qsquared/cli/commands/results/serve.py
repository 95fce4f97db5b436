"""Show a store in a browser: ``q2 serve``."""

from typing import Annotated

from rich.console import Console

from qsquared.cli.application import app, examples, takes
from qsquared.cli.files import open_store
from qsquared.cli.options import DEFAULT_STORE, StoreOption, WhoseOption, require
from qsquared.cli.terminal.sentences import say

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@app.command(
    epilog=examples(
        "q2 serve",
        "q2 serve --store scores --port 8080",
        "q2 serve --host 0.0.0.0 --name scores.example.org",
    )
)
def serve(
    store: StoreOption = DEFAULT_STORE,
    profile: WhoseOption = None,
    host: Annotated[
        str, takes("ADDRESS", "Address to listen on; this machine only.")
    ] = "127.0.0.1",
    port: Annotated[int, takes(None, "Port to listen on.", min=0, max=65535)] = 8042,
    name: Annotated[
        list[str] | None,
        takes(
            "HOST", "Further name under which browsers may ask for it; may be repeated.", "--name"
        ),
    ] = None,
) -> None:
    """Show the store in a browser, read-only: overview, search, explanations, and today's run.

    It has no login: on another address than this machine's, put it behind a proxy that has one.
    """
    require("serve", "serve", "starlette", "uvicorn")
    from qsquared.report.scope import ReportOptions, current_scope
    from qsquared.serve.app import make_app
    from qsquared.serve.server import address_of, in_address, is_of_this_machine, listen, run_server
    from qsquared.storage.records.indexes.store_index import open_index

    opened = open_store(store)
    hosts = [in_address(one) for one in (*_LOOPBACK, host, *(name or []))]
    if profile is not None:
        # Else every page would say it.
        current_scope(open_index(opened, lenient=True), ReportOptions(profile=profile))
    taken = listen(host, port)
    console = Console(highlight=False)
    address = address_of(host, taken)
    say(console, f"{address} shows {opened.root}; Ctrl-C ends it.")
    if not is_of_this_machine(taken):
        warning = "Whoever reaches this address reads the whole store: there is no login."
        if not name:
            warning += " Browsers on other machines have to ask by a name that --name gives."
        say(console, warning)
    run_server(make_app(opened, profile, hosts), taken)
