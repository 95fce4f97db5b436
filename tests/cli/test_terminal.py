"""Test of the progress bar and Ctrl-C on a real terminal."""

import os
import pty
import re
import select
import sys
import time

import pytest

from tests.calling import q2

_A_SHARD_DONE = r"\b([89]|[1-8]\d) of 96 turns\b"
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def _read(terminal, until, seconds=240):
    """Read a terminal until a text is seen or the program ends."""
    shown = ""
    deadline = time.monotonic() + seconds
    while until is None or not re.search(until, shown):
        assert time.monotonic() < deadline, shown[-2000:]
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        shown += _ESCAPES.sub("", data.decode("utf-8", "replace"))
    return shown


@pytest.mark.slow
def test_a_run_on_a_terminal_shows_a_bar_and_continues_after_ctrl_c(tmp_path, write_log, profiles):
    """Rate and time left are there before the first shard of eight turns is scored; Ctrl-C ends it."""
    log, store = write_log("log.jsonl", 96), tmp_path / "store"
    arguments = [
        "score", str(log), "--store", str(store),
        "--profile", "small-shards", "--profiles", str(profiles),
    ]  # fmt: skip
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"COLUMNS": "150", "LINES": "40", "TERM": "xterm"}
        os.execv(
            sys.executable, [sys.executable, "-c", "from qsquared.cli.main import main; main()", *arguments]
        )  # fmt: skip
    shown = _read(terminal, r"[\d.]+ turns/s, \d+ (?:s|min) left")
    assert re.search(r"\b[0-7] of 96 turns\b", shown)
    assert not re.search(_A_SHARD_DONE, shown)
    shown += _read(terminal, _A_SHARD_DONE)
    os.write(terminal, b"\x03")
    shown += _read(terminal, None)
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 130, shown
    assert re.search(r"scoring \(\w+\)", shown)
    said = " ".join(shown.split())
    assert f"The same command continues: q2 {' '.join(arguments)}" in said
    assert "Traceback" not in said
    done = q2(*arguments)
    assert done.code == 0
    (reused,) = re.findall(r"scoring 96 turns, (\d+) of them reused", done.out)
    assert 8 <= int(reused) < 96
