"""The check of docstrings in `make check`."""

import subprocess

import pytest

from tests.conftest import ROOT


def check_docstrings(folder):
    """Run the check of docstrings in a folder."""
    return subprocess.run(
        ["make", "-s", "-f", ROOT / "Makefile", "docstrings"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("word", ["What", "Where", "Which", "How", "Those"])
@pytest.mark.parametrize("before", ["", "class Store:\n    ", "def f():\n    r"])
def test_a_docstring_that_opens_as_a_riddle_is_refused(tmp_path, word, before):
    """The check fails and names the file and line of a module, class or function."""
    (tmp_path / "riddle.py").write_text(f'{before}"""{word} becomes of a log."""\n')
    found = check_docstrings(tmp_path)
    assert found.returncode != 0
    assert f"riddle.py:{1 + before.count(chr(10))}:" in found.stdout


def test_a_plain_docstring_passes(tmp_path):
    """A subject and a verb pass, also with one of the words further on or as part of another."""
    (tmp_path / "plain.py").write_text(
        '"""Logs, and where they are kept."""\n\n\ndef f():\n    """Whichever log is read."""\n'
    )
    assert check_docstrings(tmp_path).returncode == 0
