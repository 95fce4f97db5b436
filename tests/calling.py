"""Call the command line within the test process, as a person would from a shell."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import sys
from dataclasses import dataclass
from unittest import mock

import typer

from qsquared.cli.main import main

# A process of its own would build the commands once; here thousands of calls share a process.
typer.main.get_command = functools.cache(typer.main.get_command)

_FOLDER = "{folder of the outcome}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str

    def keep(self, folder):
        """Write it into a folder, with a placeholder for the folder's path."""
        told = {"code": self.code, "out": self.out, "err": self.err}
        (folder / "outcome.json").write_text(json.dumps(told).replace(str(folder), _FOLDER))

    @staticmethod
    def kept(folder):
        """Read what `keep` wrote into a folder, or into the one that it is a copy of."""
        told = (folder / "outcome.json").read_text().replace(_FOLDER, str(folder))
        return Outcome(**json.loads(told))

    @property
    def said(self) -> str:
        """All words on both streams, the line breaks of a narrow terminal left out."""
        return " ".join((self.out + " " + self.err).split())


def q2(*arguments, stdin="", columns=200):
    """Run ``q2`` with these arguments on a terminal-less machine so many columns wide."""
    out, err = io.StringIO(), io.StringIO()
    _keep_stderr_open()
    with (
        mock.patch.object(sys, "argv", ["q2", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", io.StringIO(stdin)),
        mock.patch.dict(os.environ, {"COLUMNS": str(columns), "NO_COLOR": "1"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code or 0
    return Outcome(code, out.getvalue(), err.getvalue())


def _keep_stderr_open():
    """Let absl's log handler, where a library has made one, write to the process's own stderr.

    Prefect closes all handlers when it is imported, and absl's closes pytest's stream with itself,
    unless that is `sys.stderr` at that moment.
    """
    if absl := sys.modules.get("absl.logging"):
        absl.get_absl_handler().python_handler.stream = sys.__stderr__


def files_of(folder):
    """Every file below a folder with its bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def alike(found, shown):
    """Whether two outputs have the same words in order, and scores that differ by 0.02 at most.

    Scores depend a little on the arithmetic of the processor.
    """
    words = found.split(), shown.split()
    pairs = list(zip(*words, strict=False))
    return len(words[0]) == len(words[1]) and all(_alike(*pair) for pair in pairs)


def _alike(found, shown):
    if found == shown:
        return True
    try:
        return "." in found + shown and abs(float(found) - float(shown)) <= 0.02
    except ValueError:
        return False
