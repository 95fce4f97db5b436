"""``python -m lab.benchmarks.growth.pages STORE``: time the pages of `q2 serve`, and queries of its store.

With Chromium on this machine the pages are also timed until a browser has drawn them.
"""

import argparse
import shutil
import socket
import statistics
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import uvicorn
from rich.console import Console
from rich.table import Table

from lab.benchmarks.machine import describe_machine
from qsquared.serve.app import make_app
from qsquared.serve.snapshot import take
from qsquared.storage.sql.catalogue import connect
from qsquared.storage.sql.queries import query
from qsquared.storage.store import Store

REPEATS = 5
QUERIES = {
    "rate of all days": "SELECT count(*), sum(inconsistent) FROM daily",
    "passages, the most retrieved": "FROM passages ORDER BY retrieved DESC LIMIT 20",
    "nights, the largest change": "FROM nights ORDER BY change LIMIT 20",
    "answers of one id": "FROM answers_of WHERE id = '{id}'",
    "a field of the log": "SELECT {field}, avg(q2) FROM outcomes GROUP BY 1 ORDER BY 2 LIMIT 5",
}


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    store = Store.open(parser.parse_args().store)
    console = Console(width=120)
    machine = describe_machine()
    console.print(f"{machine['processor']}, {machine['cores']} cores")
    begun = time.perf_counter()
    snapshot = take(store, None)
    console.print(f"counted in {time.perf_counter() - begun:.1f} s")
    total = snapshot.figures["total"]
    console.print(f"{total['turns']:,} turns, {total['pairs']:,} distinct replies")
    first = snapshot.search("", "anywhere", "", 0).rows[0]
    word = first["response"].split()[0]
    paths = {
        "overview": "/",
        "search, the lowest scores": "/search",
        "search for a frequent word": f"/search?q={word}",
        "search for a word that is nowhere": "/search?q=qqqq",
        "a reply": f"/reply/{first['pair_id']}",
        "today's run": "/run",
    }
    _measure_pages(console, store, paths)
    table = Table("query", "seconds, without the check of files")
    with connect(store) as connection:
        fields = query(connection, "SELECT unnest(fields) FROM outcomes LIMIT 1").columns
        for name, sql in QUERIES.items():
            text = sql.format(id=first["id"], field=f'fields."{fields[0]}"')
            begun = time.perf_counter()
            query(connection, text)
            table.add_row(name, f"{time.perf_counter() - begun:.2f}")
    console.print(table)


def _measure_pages(console: Console, store: Store, paths: dict[str, str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    application = make_app(store, None, ["127.0.0.1"])
    server = uvicorn.Server(uvicorn.Config(application, port=port, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    address = f"http://127.0.0.1:{port}"
    while not server.started:
        time.sleep(0.05)
    while b"being read" in _get(address):
        time.sleep(0.5)
    table = Table("page", "median ms", "slowest ms", "in Chromium, median ms")
    drawn = _drawn(address, paths)
    for name, path in paths.items():
        times = _times(lambda path=path: _get(address + path))  # type: ignore[misc]
        table.add_row(
            name, f"{statistics.median(times):.0f}", f"{max(times):.0f}", drawn.get(name, "")
        )
    console.print(table)
    server.should_exit = True


def _get(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310
        found: bytes = answer.read()
    return found


def _times(ask: Callable[[], object]) -> list[float]:
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        ask()
        times.append(1000 * (time.perf_counter() - begun))
    return times


def _drawn(address: str, paths: dict[str, str]) -> dict[str, str]:
    """Return the milliseconds until a browser has loaded each page; nothing without a browser."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        return {}
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        found = {
            name: f"{statistics.median(_times(lambda path=path: page.goto(address + path))):.0f}"  # type: ignore[misc]
            for name, path in paths.items()
        }
        browser.close()
    return found


if __name__ == "__main__":
    main()
