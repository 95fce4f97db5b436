"""``q2 sql`` without a query is a shell on a terminal, with completion and a history, read-only."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.calling import q2

if sys.platform != "linux":
    pytest.skip("pseudo terminals as on Linux", allow_module_level=True)

PROGRAM = "from qsquared.cli.main import main; main()"
PATIENCE = 30
CODES = re.compile(r"\x1b\[[0-9;?>=]*[a-zA-Z]|\x1b[=>]")


class Shell:
    """A shell in a process of its own, behind a pseudo terminal."""

    def __init__(self, store, state):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            more = {"COLUMNS": "150", "LINES": "40", "TERM": "xterm", "XDG_STATE_HOME": str(state)}
            # No terminal answers here where its cursor is.
            more["PROMPT_TOOLKIT_NO_CPR"] = "1"
            arguments = [sys.executable, "-c", PROGRAM, "sql", "--store", str(store)]
            os.execve(sys.executable, arguments, os.environ | more)
        self.raw = b""

    def shown(self):
        """Return the text on the terminal without control codes."""
        return CODES.sub("", self.raw.decode("utf-8", "replace"))

    def read(self, pattern, patience=PATIENCE):
        """Wait until something is shown; all that was shown up to then."""
        end = time.monotonic() + patience
        while not re.search(pattern, shown := self.shown(), re.DOTALL):
            left = end - time.monotonic()
            assert left > 0, shown
            if select.select([self.terminal], [], [], left)[0]:
                self.raw += os.read(self.terminal, 1 << 16)
        self.raw = b""
        return shown

    def type(self, keys):
        """Type keys."""
        os.write(self.terminal, keys.encode())

    def interrupt_at_work(self, pattern):
        """Ctrl-C, as often as people press it, once it has computed for a second; all that was shown.

        One that comes while the line editor closes is lost.
        """
        end, begun = time.monotonic() + PATIENCE, self.processor_seconds()
        while self.processor_seconds() < begun + 1:
            assert time.monotonic() < end, self.shown()
            time.sleep(0.1)
        while True:
            os.kill(self.child, signal.SIGINT)
            try:
                return self.read(pattern, patience=3)
            except AssertionError:
                assert time.monotonic() < end

    def processor_seconds(self):
        """Return the processor time that it has used."""
        fields = Path(f"/proc/{self.child}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        """Ctrl-D; the exit code."""
        self.type("\x04")
        while True:
            try:
                if not os.read(self.terminal, 1 << 16):
                    break
            except OSError:
                break
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


@pytest.mark.slow
def test_a_shell_completes_answers_refuses_and_goes_on(scored, tmp_path):
    """Names complete, statements have many lines, mistakes end nothing, and Ctrl-C ends a query only."""
    shell = Shell(scored.store, tmp_path)
    shell.read(r"read-only.*q2>")
    shell.type("select count(*) as bad_rows\rfrom rej\t")
    shell.read("from rej.*ects")
    shell.type(";\r")
    assert re.search(r"bad_rows\s+5", shell.read(r" 5.*q2>"))
    shell.type("drop view scores;\r")
    assert "read-only, so DROP is refused" in shell.read(r"EXPLAIN\..*q2>")
    shell.type("select count(*) from range(100000000000) a, range(1000000000) b;\r")
    shell.interrupt_at_work(r"Interrupted\..*q2>")
    shell.type("select 41 + 1 as answer;\r")
    shell.read(r" 42.*q2>")
    shell.type("help hallucinated_spans;\r")
    shell.read(r"How many turns of the store gave that reply\..*q2>")
    shell.type("help\r")
    shell.read(r"hallucinated_spans.*q2>")
    assert shell.end() == 0
    history = tmp_path / "q2" / "sql_history"
    assert "+from rejects;" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0


def test_without_a_terminal_there_is_no_shell(scored):
    """A script that forgot its query gets an error."""
    done = q2("sql", "--store", scored.store)
    assert done.code == 2
    assert "There is no query." in done.err


@pytest.mark.slow
def test_one_ctrl_c_ends_a_query_of_the_command_line(scored):
    """A query may look for signals nowhere for as long as it lasts."""
    query = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(100000000) b"
    command = [sys.executable, "-c", PROGRAM, "sql", "--store", str(scored.store), query]
    asking = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    stat, end = Path(f"/proc/{asking.pid}/stat"), time.monotonic() + PATIENCE
    # The start of Python and the check of the files take less than this.
    while int(stat.read_text().rpartition(")")[2].split()[11]) < 5 * os.sysconf("SC_CLK_TCK"):
        assert time.monotonic() < end
        time.sleep(0.1)
    asking.send_signal(signal.SIGINT)
    try:
        _, told = asking.communicate(timeout=PATIENCE)
    finally:
        asking.kill()
    assert asking.returncode == 130
    assert told.strip().startswith("Interrupted.")
