"""Tests of commands that meet a full disk."""

import errno
import sys

import pytest

from qsquared.cli import main


@pytest.mark.parametrize("command", ["report", "explain", "sql", "label", "gate", "status"])
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_full_disk_ends_every_command_alike(monkeypatch, capsys, command, wrapped):
    """The exit code is 74, the command that goes on is named, and no defect is spoken of."""

    def fail(arguments):
        full = OSError(errno.ENOSPC, "No space left on device", "/full/file")
        if wrapped:
            raise ValueError("the library's own words") from full
        raise full

    monkeypatch.setattr(main, "_call", fail)
    monkeypatch.setattr(sys, "argv", ["q2", command, "--store", "some where"])
    with pytest.raises(SystemExit) as ended:
        main.main()
    told = capsys.readouterr().err
    assert ended.value.code == 74
    assert "The disk is full: /full/file could not be written" in told
    assert f"q2 {command} --store 'some where'" in told
    assert "defect" not in told
