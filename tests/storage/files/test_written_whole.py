"""Tests that files for people are written whole or not at all."""

import errno
from pathlib import Path

import pytest
from rich.console import Group
from rich.text import Text

from qsquared.cli.commands.explain import _draw
from qsquared.errors import NoSpaceError
from qsquared.method.glue.fitted import fit_range
from qsquared.method.glue.indicators import INDICATORS
from qsquared.storage.files.atomic import written_whole
from qsquared.storage.outputs.glue_ranges import write_range


@pytest.fixture
def full_disk(monkeypatch):
    """A disk on which half of each text still finds room."""

    def write_half(path, text, encoding=None):
        with path.open("w", encoding=encoding) as handle:
            handle.write(text[: len(text) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", write_half)


def draw(path):
    """Write the picture of an explanation."""
    _draw(Group(Text("explained")), path, "q2 explain")


def fit(path):
    """Write a fitted range."""
    rows = [dict.fromkeys(INDICATORS, value) for value in (0.0, 0.5, 1.0)]
    write_range(path, fit_range(rows, None, {}))


@pytest.mark.parametrize("write", [draw, fit])
def test_a_write_that_fails_half_way_leaves_the_old_file(tmp_path, full_disk, write):
    """The command says that the file cannot be written, and leaves nothing half-written behind."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with pytest.raises(NoSpaceError, match="cannot be written"):
        write(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_appears_when_all_of_it_is_written(tmp_path):
    """Its folder is made, and nothing else remains in it."""
    path = tmp_path / "new" / "folder" / "out.txt"
    with written_whole(path) as temporary:
        temporary.write_text("whole", encoding="utf-8")
        assert not path.exists()
    assert path.read_text(encoding="utf-8") == "whole"
    assert list(path.parent.iterdir()) == [path]
