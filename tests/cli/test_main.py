"""Tests of the command line as a whole: help, exit codes and error messages."""

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from qsquared import __version__
from qsquared.errors import UsageError
from qsquared.flows import local
from qsquared.storage import store
from qsquared.storage.store import Store
from tests.calling import q2
from tests.conftest import ROOT

LOG = ROOT / "examples" / "logs" / "2026-11-16.jsonl"


def test_help_names_every_command():
    """--help lists the commands and succeeds."""
    done = q2("--help")
    assert done.code == 0
    assert all(name in done.out for name in ("score", "ingest", "explain", "export", "sql"))


@pytest.mark.parametrize(
    "command",
    [
        "score",
        "ingest",
        "explain",
        "export",
        "sql",
        "status",
        "models",
        "models list",
        "models pull",
    ],
)
def test_each_command_has_help(command):
    """COMMAND --help shows how it is used."""
    done = q2(*command.split(), "--help")
    assert done.code == 0
    assert f"Usage: q2 {command}" in done.out


def test_a_group_without_a_command_shows_its_help():
    """The group's name alone is a question, so it is answered with the commands."""
    assert "Commands" in q2("models").said


def test_without_a_command_the_three_of_a_first_visit_are_shown():
    """Bare q2 names score, explain and report, and where the others are."""
    done = q2()
    assert done.code == 0
    assert re.findall(r"^    q2 (\w+)", done.out, re.MULTILINE) == ["score", "explain", "report"]
    assert "q2 --help" in done.out
    assert len(done.out.splitlines()) <= 12


def test_a_flag_has_no_type_and_each_example_a_line_of_its_own():
    """Nobody types `<bool>`, and an example can be copied as it stands."""
    assert "<bool>" not in q2("--help").out
    page = q2("score", "--help", columns=100).out
    assert not re.search(r"<(bool|str|list|Path)", page)
    lines = [line.strip() for line in page.splitlines()]
    assert "q2 score logs/2026-11-16.jsonl" in lines
    assert "q2 score logs/ --limit 100 --dry-run" in lines


@pytest.mark.parametrize("reason", [errno.EACCES, errno.EROFS])
def test_a_folder_without_permission_is_a_sentence(tmp_path, monkeypatch, reason):
    """It names the folder and what to do, and is no defect of the program."""

    def fail(*_, **__):
        raise OSError(reason, os.strerror(reason), "/srv/q2-store/runs")

    monkeypatch.setattr(local, "run_here", fail)
    done = q2("score", LOG, "--store", tmp_path / "store")
    assert done.code == 77
    assert "q2: /srv/q2-store/runs may not be used by" in done.err
    assert "chmod" in done.err
    assert "defect" not in done.err


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["report"], "The report {out} cannot be written: Permission denied."),
        (["export"], "The file {out} cannot be written: Permission denied."),
        (["score", LOG.parent], "The file {out} cannot be written: Permission denied."),
    ],
    ids=lambda told: told[0] if isinstance(told, list) else "",
)
def test_a_file_that_may_not_be_written_is_named_as_it_was_asked_for(
    tmp_path, scored, monkeypatch, command, told
):
    """Exit code 77, and no name of a temporary file that nobody asked for."""
    made = Path.mkdir

    def mkdir(path, *arguments, **options):
        if path == tmp_path / "closed":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), f"{path}/.hidden.tmp")
        return made(path, *arguments, **options)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    suffix = ".html" if command[0] == "report" else ".csv"
    out = tmp_path / "closed" / f"x{suffix}"
    done = q2(*command, "--store", scored.store, "--out", out)
    assert done.code == 77
    assert done.err.startswith(f"q2: {told.format(out=out)}")
    assert ".tmp" not in done.err


def test_a_store_that_may_not_be_made_is_a_matter_of_permission(tmp_path, monkeypatch):
    """Exit code 77, and the option that names another folder."""

    def fail(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "/srv/.store.json.tmp")

    monkeypatch.setattr(store, "write_json", fail)
    done = q2("score", LOG, "--store", tmp_path / "store")
    assert done.code == 77
    assert done.err.startswith(
        f"q2: The store {tmp_path / 'store'} cannot be made: Permission denied."
    )
    assert "--store DIR" in done.err


@pytest.mark.parametrize("command", [["score"], ["score", "--dry-run"], ["ingest"]])
def test_a_log_that_may_not_be_read_is_named_and_the_others_are_read(
    tmp_path, monkeypatch, command
):
    """Exit code 77, whether it stands alone or beside others; no advice on the store."""
    (tmp_path / "logs").mkdir()
    closed = tmp_path / "logs" / "b.jsonl"
    for path in (tmp_path / "logs" / "a.jsonl", closed):
        path.write_text('{"knowledge": "Lima lies in Peru.", "response": "Hello!"}\n')
    opened = Path.open

    def refuse(path, *arguments, **options):
        if path == closed:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)
    for logs in (closed.parent, closed):
        done = q2(*command, logs, "--store", tmp_path / "store")
        assert done.code == 77, done.err
        assert f"The log {closed} may not be read by this user: Permission denied." in done.said
        assert "--store DIR" not in done.err


def test_the_commands_are_known_without_their_libraries():
    """Showing the help imports neither engines nor models and takes less than a second."""
    code = "import qsquared.cli.main, sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"duckdb", "polars", "pyarrow", "prefect", "torch", "transformers", "spacy", "numpy"}
    assert not heavy & set(json.loads(done.stdout))


def test_version_is_the_packages():
    """--version prints one line."""
    done = q2("--version")
    assert (done.code, done.out) == (0, f"q2 {__version__}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["scores"],
        ["--wrong"],
        ["score"],
        ["score", LOG, "--wrong"],
        ["score", LOG, "--limit", "0"],
        ["score", LOG, "--limit", "many"],
        ["sql", "SELECT 1", "--rows", "0"],
        ["explain"],
        ["models", "remove"],
    ],
)
def test_a_mistyped_command_exits_with_2_and_says_where_help_is(arguments):
    """Unknown commands and options, missing and impossible arguments."""
    done = q2(*arguments)
    assert done.code == 2
    assert "--help" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--profile", "compactt"], "There is no profile 'compactt'. Profiles: compact, "),
        (["--profiles", "no.toml"], "no.toml. Check the path."),
        (["--map", "answer"], "The mapping 'answer' is not of the form theirs=ours."),
        (["--map", "answer=reply"], "names an unknown field 'reply'. The fields are id, "),
        (["--map", "a=response", "--map", "b=response"], "mapped to 'response'"),
        (
            ["--set", "variant=singel"],
            "The parameter variant is 'singel'. Use one of: single, multi",
        ),
        (["--set", "fallback_premise=x"], "fallback_premise is 'x'. Use one of: knowledge, "),
        (["--set", "fallback=1"], "No metric has a parameter fallback. Parameters: "),
        (["--set", "variant"], "--set variant is not of the form NAME=VALUE."),
        (["--out", "scores.xlsx"], "--out scores.xlsx names no form. End it with .parquet, .csv"),
        (["--out", "scores"], "--out scores names no form."),
    ],
)
def test_a_wrong_option_is_a_sentence_before_any_work(tmp_path, arguments, told):
    """A wrong option exits with 2, names the mistake and the valid values, and makes no store."""
    done = q2("score", LOG, "--store", tmp_path / "store", *arguments)
    assert done.code == 2
    assert done.err.startswith("q2: ")
    assert told in done.said
    assert "Traceback" not in done.err
    assert not (tmp_path / "store").exists()


def test_a_log_that_does_not_exist_exits_with_1(tmp_path):
    """The path is named, with the kinds of files that would do."""
    done = q2("score", tmp_path / "none.jsonl", "--store", tmp_path / "store")
    assert done.code == 1
    assert f"q2: There is no log at {tmp_path / 'none.jsonl'}." in done.err
    assert ".parquet" in done.err


def test_an_out_that_cannot_be_written_is_a_sentence(tmp_path, scored):
    """The file is named; the scores stay in the store."""
    (tmp_path / "file").touch()
    out = tmp_path / "file" / "scores.csv"
    done = q2("score", LOG.parent, "--store", scored.store, "--out", out)
    assert done.code == 2
    assert done.err.startswith(f"q2: The file {out} cannot be written")
    assert "Traceback" not in done.err


def test_a_store_that_cannot_be_made_is_a_sentence(tmp_path):
    """A file in the place of the store's folder is an error with a sentence."""
    (tmp_path / "file").touch()
    done = q2("score", LOG, "--store", tmp_path / "file" / "store")
    assert done.code == 1
    assert "cannot be made" in done.err


@pytest.mark.parametrize(
    "arguments", [["sql", "SELECT 1"], ["explain", "x"], ["status"]], ids=lambda a: a[0]
)
def test_without_a_store_a_command_says_so(tmp_path, arguments):
    """Commands that read a store never make one."""
    done = q2(*arguments, "--store", tmp_path / "none")
    assert done.code == 1
    assert f"q2: There is no store at {tmp_path / 'none'}." in done.err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("place", [0, 1, 2, 4])
def test_debug_goes_anywhere(tmp_path, place):
    """With --debug anywhere among the arguments the error itself comes out."""
    arguments = ["sql", "SELEC 1", "--store", str(tmp_path)]
    Store.open(tmp_path, create=True)
    assert q2(*arguments).code == 2
    arguments.insert(place, "--debug")
    with pytest.raises(UsageError):
        q2(*arguments)


def test_debug_shows_the_traceback(tmp_path):
    """A real process ends with Python's traceback and not with success."""
    command = [sys.executable, "-c", "from qsquared.cli.main import main; main()"]
    done = subprocess.run(
        [*command, "status", "--debug", "--store", str(tmp_path)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback (most recent call last)" in done.stderr
    assert "There is no store" in done.stderr


def test_a_defect_is_reported_with_the_command_that_shows_its_traceback(tmp_path, monkeypatch):
    """An unforeseen error has an exit code of its own, and nobody sees a raw traceback."""

    def fail(*_, **__):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(local, "run_here", fail)
    done = q2("score", LOG, "--store", tmp_path / "a store")
    assert done.code == 70
    assert "q2: unexpected ZeroDivisionError: by nothing" in done.err
    assert f"q2 --debug score {LOG} --store '{tmp_path}/a store'" in done.err
    assert "Traceback (" not in done.err


def test_an_interrupted_command_says_how_to_go_on(tmp_path, monkeypatch):
    """An interrupt exits with 130 and prints a command that a shell can run."""

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(local, "run_here", stop)
    done = q2("score", LOG, "--store", tmp_path / "a store", "--limit", 3)
    assert done.code == 130
    assert re.search(
        rf"The same command continues: q2 score {re.escape(str(LOG))} "
        rf"--store '{re.escape(str(tmp_path))}/a store' --limit 3$",
        done.err.strip(),
    )
