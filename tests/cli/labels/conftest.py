"""A store that is scored by token overlap, and functions that draw and judge its replies."""

import json
import shutil

import pytest

from tests.calling import q2
from tests.cli.labels.rows import judged, rows_of, write
from tests.conftest import without_prefect
from tests.once import make_once

FREQUENT = 80


@pytest.fixture(scope="session")
def overlapping(tmp_path_factory):
    """A store of 201 turns scored by token overlap, for 80 of which one reply was given."""

    def score(folder):
        with (folder / "log.jsonl").open("w", encoding="utf-8") as log:
            for number in range(200):
                reply = max(0, number - FREQUENT + 1)
                words = " ".join(f"word{(reply * 7 + step) % 50}" for step in range(reply % 6))
                row = {
                    "id": f"t{number}",
                    "knowledge": "The tower is 300 m high and of iron.",
                    "response": f"The tower “Wieża” is {words} number {reply}.",
                    "bot_version": "1.4" if number % 2 else "1.5",
                }
                log.write(json.dumps(row) + "\n")
        # The last id once more, in another log.
        row["response"] = "It is green."
        (folder / "second.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
        logs = (folder / "log.jsonl", folder / "second.jsonl")
        with without_prefect():
            outcome = q2("score", *logs, "--metric", "overlap", "--store", folder / "store")
        assert outcome.code == 0, outcome.err

    return make_once(tmp_path_factory, "overlapping", score) / "store"


@pytest.fixture
def store(overlapping, tmp_path):
    """A copy of that store."""
    return shutil.copytree(overlapping, tmp_path / "store")


@pytest.fixture
def done(store):
    """A function that runs a command on the store, which has to succeed, and returns the output."""

    def run(*arguments):
        outcome = q2(*arguments, "--store", store)
        assert outcome.code == 0, outcome.err
        return outcome.out

    return run


@pytest.fixture
def drawn(done, tmp_path):
    """A function that draws replies by token overlap, and returns the rows of the form."""

    def draw(name, *options):
        form = tmp_path / f"{name}.csv"
        done("label", "draw", "--measure", "overlap_f1", "--out", form, *options)
        return rows_of(form)

    return draw


@pytest.fixture
def judge(done, tmp_path):
    """A function that reads a form in which every third turn is inconsistent."""

    def read(rows, annotator="Ann"):
        path = tmp_path / f"{annotator}-{len(list(tmp_path.iterdir()))}.csv"
        write(path, judged(rows, annotator))
        return done("label", "read", path)

    return read
