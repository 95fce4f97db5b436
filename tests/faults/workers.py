"""Processes of ``q2 score`` for tests of faults."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.faults.corpus import PROFILE, Corpus

ROOT = Path(__file__).parents[2]
_PATIENCE_SECONDS = 900.0
_POLL_SECONDS = 0.02


def score_command(corpus: Corpus, store: Path) -> list[str]:
    """The command that scores the corpus; the same at every start."""
    real = [str(Path(sys.executable).with_name("q2"))]
    command = [sys.executable, "-m", "tests.faults.stubbed"] if corpus.stubbed else real
    return [
        *command, "score", str(corpus.logs), "--store", str(store),
        "--profiles", str(corpus.profiles), "--profile", PROFILE,
    ]  # fmt: skip


class Worker:
    """One process that scores into a store; what it says goes to a file.

    With ``own_api`` it starts Prefect's API itself, as for a person; else it uses the one that the
    environment names, which spares seconds.
    """

    def __init__(self, corpus: Corpus, store: Path, said: Path, own_api: bool = True) -> None:
        spared = {"PREFECT_HOME", "PREFECT_API_URL"} if own_api else {"PREFECT_HOME"}
        environment = {k: v for k, v in os.environ.items() if k not in spared}
        self.said = said
        with said.open("wb") as output:
            self._process = subprocess.Popen(
                score_command(corpus, store),
                cwd=ROOT,
                env=environment | {"COLUMNS": "200"},
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.poll() is not None

    @property
    def words(self) -> str:
        """All that the process said so far."""
        return self.said.read_text(errors="replace")

    def send(self, number: int) -> None:
        """Send a signal to the process alone, as the kernel and a scheduler do."""
        self._process.send_signal(number)

    def wait(self) -> int:
        """The exit code; a negative one names the signal that ended the process."""
        return self._process.wait(_PATIENCE_SECONDS)

    def end(self) -> None:
        """Make sure that nothing of it is left when a test fails."""
        if not self.ended:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()


def published(store: Path) -> dict[Path, int]:
    """Every stage file that is in the store, with the time at which it was published (ns)."""
    found = {}
    for path in store.glob("stages/*/*/[!.]*.parquet"):
        try:
            found[path] = path.stat().st_mtime_ns
        except FileNotFoundError:
            continue
    return found


def await_that(reached: Callable[[], bool], *workers: Worker) -> bool:
    """Wait until something is so; False if all these workers ended before."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not reached():
        if workers and all(worker.ended for worker in workers):
            return reached()
        if time.monotonic() > deadline:
            raise TimeoutError("A run made no progress: " + workers[0].words[-2000:])
        time.sleep(_POLL_SECONDS)
    return True


def processes_of(store: Path) -> Iterator[int]:
    """The processes whose Prefect lives in the store (Linux only)."""
    home = f"PREFECT_HOME={store / 'prefect'}".encode()
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if home in environ.read_bytes():
                yield int(environ.parent.name)
        except OSError:
            continue


def await_no_process_of(store: Path) -> list[int]:
    """The processes that are left of a store's runs some seconds after their end."""
    deadline = time.monotonic() + 30
    while (left := list(processes_of(store))) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left
