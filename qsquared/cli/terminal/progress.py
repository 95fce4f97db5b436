"""Progress of a scoring run: a bar on a terminal, lines of text elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from qsquared.display import count, duration, visible
from qsquared.flows.running.progress import Observer, observed_by

_LINE_EVERY_SECONDS = 10.0


@contextmanager
def watched() -> Iterator[None]:
    """Show the progress of the runs within."""
    watcher = Watcher(Console())
    with watcher.bar, observed_by(watcher):
        yield


class Watcher(Observer):
    """The work of a run in words: beside a bar on a terminal, else as a line every few seconds."""

    def __init__(self, console: Console) -> None:
        self.bar = Progress(
            SpinnerColumn(),
            BarColumn(),
            TextColumn("{task.description}", markup=False),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self.bar.add_task("starting", total=None)
        self._turns = self._reused = 0
        self._scored = self._in_shard = 0.0
        self._reading = self._stage = self._spent = ""
        self._began = self._last = time.monotonic()
        self._waiting = False

    def _print(self, line: str) -> None:
        """Print a line, which stays above the bar."""
        self.bar.console.print(visible(line), markup=False, highlight=False, soft_wrap=True)

    def _show(self, words: str) -> None:
        """Show the present work beside the bar, or as a line where there is none."""
        if self.bar.disable:
            self._print(words)
        else:
            self.bar.update(self._task, description=visible(words))

    def ingesting(self, path: str) -> None:
        """Name the log that is being read."""
        self._reading = f"reading {path}"
        self._show(self._reading)

    def rows_read(self, rows: int) -> None:
        """Show the number of rows read."""
        if not self.bar.disable:
            self._show(f"{self._reading}, {count(rows, 'row')}")

    def ingested(self, turns: int, rejects: int, reused: bool) -> None:
        """Show the numbers of turns and rejects."""
        earlier = " (read before)" if reused else ""
        self._show(f"  {count(turns, 'turn')}, {count(rejects, 'reject')}{earlier}")

    def unreadable(self, reason: str) -> None:
        """Print the reason."""
        self._print(f"  {reason}")

    def planned(self, turns: int, reused: int, pairs: int) -> None:
        """Begin to count the turns."""
        self._turns, self._reused, self._began = turns, reused, time.monotonic()
        self.bar.update(self._task, total=turns, completed=reused)
        self._show(f"scoring {count(turns, 'turn')}, {reused:,} of them reused")
        if pairs > turns - reused:
            self._print(
                f"  the {count(turns - reused, 'turn')} to score lie in shards with "
                f"{count(pairs, 'pair')}, which are scored whole"
            )

    def waiting(self, shards: int, owners: str) -> None:
        """Name the owners that the run waits for; from now on its own rate says nothing."""
        self._waiting = True
        self._print(f"  waiting for {count(shards, 'shard')} that others score: {owners}")

    def stage(self, name: str, shard: str) -> None:  # noqa: ARG002 - one shard at a time
        """Note the running stage."""
        self._stage = name

    def spent(self, words: str) -> None:
        """Note the requests to servers and their price, as words."""
        self._spent = words

    def advanced(self, turns: float) -> None:
        """Show the work on the current shard, too."""
        self._in_shard = turns
        self._tell()

    def scored(self, turns: float) -> None:
        """Show the turns of a shard as scored."""
        self._scored += turns
        self._in_shard = 0.0
        self._tell()

    def _tell(self) -> None:
        """Show the number of turns scored, the rate and the time left; a line only now and then."""
        now, scored = time.monotonic(), self._scored + self._in_shard
        if self.bar.disable:
            early = now - self._last < _LINE_EVERY_SECONDS
            if scored < 1 or (early and self._scored + self._reused < self._turns):
                return
        self._last = now
        words = f"  {int(self._reused + scored):,} of {self._turns:,} turns"
        # The time left that a part of one turn foretells is days.
        if scored >= 1 and not self._waiting:
            rate = scored / max(now - self._began, 1e-9)
            left = (self._turns - self._reused - scored) / rate
            words += f", {rate:.1f} turns/s, {duration(left)} left"
        words += f"; {self._spent}" if self._spent else ""
        self.bar.update(self._task, completed=self._reused + scored)
        if not self.bar.disable:
            words = ("waiting" if self._waiting else f"scoring ({self._stage})") + words
        self._show(words)
