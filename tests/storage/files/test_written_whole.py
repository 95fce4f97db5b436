"""Tests that files for people are written whole or not at all."""

import errno
from pathlib import Path

import pytest

from qsquared.errors import NoSpaceError
from qsquared.storage.files.atomic import written_whole


@pytest.fixture
def full_disk(monkeypatch):
    """A disk on which half of each text still finds room."""

    def write_half(path, text, encoding=None):
        with path.open("w", encoding=encoding) as handle:
            handle.write(text[: len(text) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", write_half)


def test_a_write_that_fails_half_way_leaves_the_old_file(tmp_path, full_disk):
    """The command says that the file cannot be written, and leaves nothing half-written behind."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with (
        pytest.raises(NoSpaceError, match="cannot be written"),
        written_whole(path) as temporary,
    ):
        temporary.write_text("new and whole", encoding="utf-8")
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
