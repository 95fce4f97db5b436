"""A report of the example log, and one of a hostile log."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.calling import Outcome, q2

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
def hostile(scored, tmp_path_factory):
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
