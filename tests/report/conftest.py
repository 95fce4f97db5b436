"""A report of the example log, one of a hostile log, and a real browser to open them in."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.calling import Outcome, q2

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

HOSTILE = "<script>window.ran = 'reply'</script>"
KNOWLEDGE = "The mill of Ely was built by Ann Low in 1858. </blockquote><script>ran = 1</script>"
ROWS = [
    {"id": "h1", "response": f"The mill was built in 1901 by {HOSTILE} Tom Hale."},
    {"id": "h2", "response": "It was built in 1901.</li></ol><img src=x onerror=\"window.ran='img'\">"},
    {"id": "h3", "response": "Built in 1904 \u202eesrever\u202c by \x1b[31mTom Hale\x07, {{ 7 * 7 }}."},
    {"id": "\"><svg onload=\"window.ran='id'\">", "response": "The mill was built in 1902."},
    {"id": "h5", "response": "The mill was built in 1903.", '"><script>ran=1</script>': "' onclick=x"},
    {"id": "h6", "response": "The mill of Ely was built by Ann Low."},
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Made:
    """A store, the report of it, and what the command said."""

    store: Path
    page: Path
    outcome: Outcome


def make(store, page, *arguments):
    """Write a report."""
    return Made(store, page, q2("report", "--store", store, "--out", page, *arguments))


@pytest.fixture(scope="session")
def example(scored, tmp_path_factory):
    """The report of the example log."""
    made = make(scored.store, tmp_path_factory.mktemp("report") / "new" / "report.html")
    assert made.outcome.code == 0, made.outcome.err
    return made


@pytest.fixture(scope="session")
def hostile(scored, tmp_path_factory, prefect_api):
    """The report of a log whose every text tries to be markup, against the example as baseline."""
    folder = tmp_path_factory.mktemp("hostile")
    log = folder / "<b>log.jsonl"
    log.write_text(
        "".join(
            json.dumps({"knowledge": KNOWLEDGE, "bot": "</select><script>ran=1</script>"} | row)
            + "\n"
            for row in ROWS
        )
        + '{"id": "<script>ran=1</script>"}\n'
    )
    done = q2("score", log, "--store", folder / "store")
    assert done.code == 0, done.err
    made = make(folder / "store", folder / "report.html", "--baseline", scored.store)
    assert made.outcome.code == 0, made.outcome.err
    return made


@pytest.fixture(scope="session")
def browser():
    """A real headless Chromium of this machine."""
    sync_api = pytest.importorskip("playwright.sync_api")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("there is no Chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield running
        running.close()


@dataclass(frozen=True, slots=True)
class Opened:
    """A page in the browser, what it asked for, and what it complained of."""

    page: object
    requests: list
    complaints: list


@pytest.fixture
def opened(browser):
    """A function that opens a report as a person would, at a width."""
    contexts = []

    def visit(path, width=1100, height=900, **more):
        context = browser.new_context(viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        page = context.new_page()
        requests, complaints = [], []
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path.as_uri())
        return Opened(page, requests, complaints)

    yield visit
    for context in contexts:
        context.close()
