"""Arguments that name logs."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from qsquared.errors import InputError
from qsquared.storage.logs.paths import expand_inputs

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of logs and other files."""
    for name in ("b.jsonl", "a.csv.gz", "sub/c.parquet", "notes.txt", ".hidden.jsonl", ".x/d.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def names(arguments: list[str], folder: Path) -> list[str]:
    """Expand the arguments; return the paths relative to the folder."""
    return [path.relative_to(folder).as_posix() for path in expand_inputs(arguments)]


def test_a_folder_is_searched_for_logs(folder: Path) -> None:
    """Known extensions in all subfolders, sorted, hidden ones left out."""
    assert names([str(folder)], folder) == ["a.csv.gz", "b.jsonl", "sub/c.parquet"]


def test_a_pattern_is_expanded(folder: Path) -> None:
    """A pattern gives the files that match it, sorted."""
    assert names([f"{folder}/*.jsonl"], folder) == ["b.jsonl"]
    assert names([f"{folder}/**/*.parquet"], folder) == ["sub/c.parquet"]


def test_a_file_comes_once(folder: Path) -> None:
    """The same file by several names comes once, in the place of the first."""
    (folder / "link.jsonl").symlink_to(folder / "b.jsonl")
    given = [
        str(folder / "notes.txt"),
        str(folder / "b.jsonl"),
        str(folder),
        str(folder / "link.jsonl"),
    ]
    assert names(given, folder) == ["notes.txt", "b.jsonl", "a.csv.gz", "sub/c.parquet"]


def test_a_file_name_with_pattern_characters_is_a_file(tmp_path: Path) -> None:
    """An existing file is never taken for a pattern."""
    path = tmp_path / "log[1]*.jsonl"
    path.touch()
    assert expand_inputs([str(path)]) == [path]


@pytest.mark.parametrize("argument", ["none.jsonl", "*.none", "empty"])
def test_nothing_found_is_an_error(tmp_path: Path, argument: str) -> None:
    """An argument that names no log is an error that names the argument."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no log"):
        expand_inputs([str(tmp_path / argument)])


@pytest.mark.parametrize("closed", ["", "inner"])
def test_a_folder_that_may_not_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    """Its logs would be lost in silence, while those beside it are read."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.jsonl").touch()
    listed = os.scandir

    def scandir(path: str) -> object:
        if os.fspath(path) == str(tmp_path / closed):
            raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(InputError, match="may not be read by this user: Permission denied"):
        expand_inputs([str(tmp_path)])
