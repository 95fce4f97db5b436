"""Progress of a scoring run: a bar on a terminal, lines of text elsewhere."""

import time
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from qsquared.flows.running.progress import Observer
from qsquared.text import count, visible

_LINE_EVERY_SECONDS = 10.0


def _whole_shards(turns: int, pairs: int) -> str:
    return (
        f"  the {count(turns, 'turn')} to score lie in shards with {count(pairs, 'pair')}, "
        "which are scored whole"
    )


def _for_others(shards: int, owners: str) -> str:
    return f"  waiting for {count(shards, 'shard')} that others score: {owners}"


class _TimeLeft(TimeRemainingColumn):
    """The time left, by this run's own rate; unknown while others do the work."""

    def render(self, task: Task) -> Text:
        return Text("-:--:--") if task.description == "waiting" else super().render(task)


class _Watcher(Observer, ABC):
    """The turns of a run that are done, counted for both forms; the subclasses show them."""

    def __init__(self) -> None:
        self._turns = self._reused = self._scored = 0
        self._in_shard = 0.0
        self._spent = ""
        self._began = time.monotonic()
        self._waiting = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        pass

    def planned(self, turns: int, reused: int, pairs: int) -> None:  # noqa: ARG002
        """Begin to count."""
        self._turns, self._reused, self._began = turns, reused, time.monotonic()

    def waiting(self, shards: int, owners: str) -> None:  # noqa: ARG002
        """Note that from now on the run's own rate says nothing."""
        self._waiting = True

    def spent(self, words: str) -> None:
        """Keep what servers were asked, for the next note."""
        self._spent = words

    def advanced(self, turns: float) -> None:
        """Show the work on the current shard, too."""
        self._in_shard = turns
        self._tell()

    def scored(self, turns: int) -> None:
        """Show the turns of a shard as scored."""
        self._scored += turns
        self._in_shard = 0.0
        self._tell()

    @abstractmethod
    def _tell(self) -> None:
        """Show how far the run is."""

    def _rate(self) -> float:
        """Return the turns a second since the work began."""
        done = self._scored + self._in_shard
        return done / max(time.monotonic() - self._began, 1e-9)


class TerminalWatcher(_Watcher):
    """A progress bar: turns scored, rate, time left, and the number of reused turns."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
            _TimeLeft(),
            console=console,
        )
        self._task = self._progress.add_task("starting", total=None, note="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def ingesting(self, path: str) -> None:
        """Show the log that is being read."""
        self._progress.reset(
            self._task, total=None, description="reading", note=escape(visible(path))
        )

    def rows_read(self, rows: int) -> None:
        """Show the number of rows read."""
        self._progress.update(self._task, completed=rows)

    def unreadable(self, reason: str) -> None:
        """Print the reason above the bar."""
        self._progress.console.print(visible(reason), markup=False, style="red")

    def planned(self, turns: int, reused: int, pairs: int) -> None:
        """Begin the bar of the turns."""
        super().planned(turns, reused, pairs)
        note = f"{reused:,} reused" if reused else ""
        if pairs > turns - reused:
            self._progress.console.print(_whole_shards(turns - reused, pairs), highlight=False)
        self._progress.reset(
            self._task, total=turns, completed=reused, description="scoring", note=note
        )

    def waiting(self, shards: int, owners: str) -> None:
        """Name the owners that the run waits for, above the bar."""
        self._progress.console.print(_for_others(shards, owners), markup=False, highlight=False)
        super().waiting(shards, owners)
        self._progress.update(self._task, description="waiting", note="")

    def stage(self, name: str, shard: str) -> None:  # noqa: ARG002 - one shard at a time
        """Name the running stage."""
        self._progress.update(self._task, description=f"scoring ({name})")

    def _tell(self) -> None:
        done = self._scored + self._in_shard
        reused = f", {self._reused:,} reused" if self._reused else ""
        note = f"{self._rate():.1f} turns/s{reused}" if done and not self._waiting else reused[2:]
        notes = ", ".join(filter(None, (note, self._spent)))
        self._progress.update(self._task, completed=self._reused + done, note=notes)


class LineWatcher(_Watcher):
    """Plain lines for a log file, at most one every few seconds while scoring."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._last = self._began

    def _say(self, line: str) -> None:
        self._console.print(visible(line), markup=False, highlight=False, soft_wrap=True)

    def ingesting(self, path: str) -> None:
        """Name the log that is being read."""
        self._say(f"reading {path}")

    def ingested(self, turns: int, rejects: int, reused: bool) -> None:
        """Print the numbers of turns and rejects."""
        known = " (read before)" if reused else ""
        self._say(f"  {count(turns, 'turn')}, {count(rejects, 'reject')}{known}")

    def unreadable(self, reason: str) -> None:
        """Print the reason."""
        self._say(f"  {reason}")

    def planned(self, turns: int, reused: int, pairs: int) -> None:
        """Print the number of turns to score."""
        super().planned(turns, reused, pairs)
        self._say(f"scoring {count(turns, 'turn')}, {reused:,} of them reused")
        if pairs > turns - reused:
            self._say(_whole_shards(turns - reused, pairs))

    def waiting(self, shards: int, owners: str) -> None:
        """Name the owners that the run waits for."""
        super().waiting(shards, owners)
        self._say(_for_others(shards, owners))

    def _tell(self) -> None:
        """Print, at times and at the end, the number of turns scored, the rate and the time left."""
        now = time.monotonic()
        scored = self._scored + self._in_shard
        done = self._scored + self._reused
        if now - self._last < _LINE_EVERY_SECONDS and done < self._turns:
            return
        if scored < 1:  # The time left that a part of one turn foretells is days.
            return
        self._last = now
        rate = self._rate()
        left = (self._turns - self._reused - scored) / rate
        shown = int(self._reused + scored)
        pace = "" if self._waiting else f", {rate:.1f} turns/s, {left:.0f} s left"
        spent = f"; {self._spent}" if self._spent else ""
        self._say(f"  {shown:,} of {self._turns:,} turns{pace}{spent}")
