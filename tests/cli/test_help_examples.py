"""Tests that each command answers with its defaults, and each example of each help page, on a first day."""

import csv
import gzip
import json
import re
import shlex
import shutil

import pytest
import typer

from qsquared.cli.main import app
from qsquared.serve import server
from tests.calling import q2
from tests.conftest import ROOT
from tests.once import make_once

LOG = ROOT / "examples" / "logs" / "2026-11-17.jsonl"
_TURNS = 36
_OWN = "third_party/data"
"""The part of examples that not every machine has: published data that the user supplies."""
_NEEDS_MORE = {
    "explain": "Write q2 explain ID",
    "sql": "There is no query",
    "rate": "judge",
    "calibrate": "judge",
    "erase": "Nothing to erase is named.",
}
"""Commands that cannot do anything yet without an argument, or before people judged, and their reason."""
_TOO_SMALL = ("has fewer than 20 labels", "No threshold of support")
"""Examples that need more judgements than so small a store has."""


def leaves(group, words=()):
    """Each command that does something, by its words."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from leaves(command, (*words, name))
        else:
            yield (*words, name), command


COMMANDS = {" ".join(words): command for words, command in leaves(typer.main.get_command(app))}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_of_a_command_is_explained(name):
    """An argument is by its name."""
    options = [one for one in COMMANDS[name].params if one.param_type_name == "option"]
    assert all(one.help for one in options), [one.name for one in options if not one.help]


WITHOUT_ARGUMENTS = [
    name for name, found in COMMANDS.items() if not any(one.required for one in found.params)
]


def by_time(name):
    """A command as a parameter; those that score by several models take many seconds."""
    slow = name == "models check"
    return pytest.param(name, marks=pytest.mark.slow if slow else ())


def examples_of(command):
    """The lines of a help page's examples that call q2, without what a shell would do with the output."""
    block = re.search(r"```text\n(.*?)\n```", command.epilog or "", re.DOTALL)
    lines = block[1].splitlines() if block else []
    for line in lines:
        # What is piped into it is given as its argument.
        words = shlex.split(
            re.sub(r"^echo (.*) \| q2 sql$", r"q2 sql \1", line.partition("   (")[0])
        )
        ends = [words.index(sign) for sign in ("|", ">") if sign in words]
        if words[0] == "q2":
            yield words[1 : min(ends, default=len(words))]


def write_logs(folder):
    """Logs with the names that the help pages use."""
    lines = LOG.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[:_TURNS] if line.endswith("}")]
    rows = [
        row | {"stars": 1 + number % 5, "trace_id": f"{number:032x}", "span_id": f"{number:016x}"}
        for number, row in enumerate(rows)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    for name in ("logs", "desk", "export"):
        (folder / name).mkdir()
    for name in ("logs/2026-11-16.jsonl", "traces.jsonl", "chat.jsonl"):
        (folder / name).write_text(text, encoding="utf-8")
    nested = {
        "id": "1",
        "knowledge": "Coffee is grown in Brazil.",
        "output": {"answer": "In Brazil."},
    }
    (folder / "export" / "a.jsonl").write_text(json.dumps(nested) + "\n", encoding="utf-8")
    unknown = [
        {"call": row["id"], "bot": {"said": row["response"]}, "facts": row["knowledge"]}
        for row in rows
    ]
    (folder / "unknown.json").write_text(json.dumps(unknown), encoding="utf-8")
    (folder / "words.txt").write_text("Rumpelstiltskin\n", encoding="utf-8")
    with gzip.open(folder / "desk" / "night.csv.gz", "wt", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows(
            [
                ["id", "answer", "context"],
                ["n1", "Coffee is grown in Brazil.", "Brazil grows coffee."],
            ]
        )
    (folder / "query.sql").write_text("SELECT count(*) FROM turns", encoding="utf-8")
    (folder / "examples").symlink_to(ROOT / "examples")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with logs, a small store of their scores, and the names of its run and configuration."""

    def make(folder):
        write_logs(folder)
        store = folder / "q2-store"
        log = folder / "logs" / "2026-11-16.jsonl"
        done = q2("score", log, "--store", store)
        assert done.code == 0, done.err
        asked = "SELECT run_id, configuration FROM runs JOIN configurations USING (metric)"
        names = q2("sql", asked, "--json", "--store", store).out
        (folder / "names.json").write_text(names, encoding="utf-8")

    return make_once(tmp_path_factory, "first-day", make)


@pytest.fixture
def first_day(prepared, tmp_path, monkeypatch):
    """A fresh copy of that folder to work in, in which `q2 serve` ends at once."""
    folder = shutil.copytree(prepared, tmp_path / "day", symlinks=True)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(server, "run_server", lambda app, taken: taken.close())
    return folder


def judge(folder, form, **answers):
    """Have two people fill the form that a command writes: each column by turns with its answers."""
    assert q2(*form.split(), "--out", "form.csv").code == 0
    with (folder / "form.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    for name in ("ann", "bob"):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(rows[0]))
            writer.writeheader()
            for number, row in enumerate(rows):
                given = {column: each[number % len(each)] for column, each in answers.items()}
                writer.writerow(row | {"annotator": name} | given)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [by_time(name) for name in WITHOUT_ARGUMENTS])
def test_each_command_answers_with_its_defaults(first_day, name):
    """A newcomer who types nothing but its name gets an answer, or a sentence on what is missing."""
    done = q2(*name.split())
    if (missing := _NEEDS_MORE.get(name)) is None:
        assert done.code == 0, done.err
        assert done.out.strip()
    else:
        assert done.code in {2, 65}, done.err
        assert missing in done.said
    assert "defect" not in done.err


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [by_time(name) for name, one in COMMANDS.items() if one.epilog])
def test_each_example_of_a_help_page_works(first_day, name):
    """In their order, each ends well; what stands for a name of one's own is replaced by one."""
    if name in {"rate", "calibrate", "label read"}:
        judge(first_day, "label draw --n 36", verdict=("consistent", "inconsistent"))
    if name == "erase":
        wrong = {"id": "w1", "knowledge": "Tea grows in Assam.", "response": "Tea grows in Assam."}
        (first_day / "logs" / "wrong.jsonl").write_text(json.dumps(wrong) + "\n", encoding="utf-8")
        assert q2("ingest", "logs/wrong.jsonl").code == 0
    if name in {"rate", "calibrate"}:
        assert q2("label", "read", "ann.csv").code == 0
    names = json.loads((first_day / "names.json").read_text(encoding="utf-8"))
    own = {
        "20261120T023005-1b7e02": names["run_id"],
        "paper": "compact",
        "1f0c88d2": names["configuration"][:8],
        "scores": "q2-store",
        "8080": "0",
    }
    for words in examples_of(COMMANDS[name]):
        done = q2(
            *(own.get(word, word) for word in words), *(["--port", "0"] if name == "serve" else [])
        )
        if _OWN in words:
            assert done.code == 2
            assert _OWN in done.err
        elif words == ["sql"]:
            assert done.code == 2
        else:
            # A gate that is broken has its own exit code.
            told = any(reason in done.err for reason in _TOO_SMALL) or done.code == 3
            assert done.code == 0 or told, (words, done.err)
        assert "defect" not in done.err
