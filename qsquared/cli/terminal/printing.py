"""Sentences and tables on a terminal: what a log brings in is harmless, numbers end at one edge."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from qsquared.display import visible

_GAP = (0, 2, 0, 0)

Cell = RenderableType | float | None


def say(*lines: str, style: str = "", console: Console | None = None) -> None:
    """Print lines, broken between words on a terminal; empty ones are left out.

    A line with a command of `q2` is never broken, so that it can be copied, and none is in a pipe.
    Beside a bar or a status that moves, they are printed by its own ``console``.
    """
    console = console or Console()
    for line in filter(None, lines):
        whole = not console.is_terminal or "q2 " in line
        console.print(Text(visible(line), style), soft_wrap=whole)


def show(*parts: RenderableType, whole: bool = False) -> None:
    """Print tables and texts, whose long lines are broken unless they are to stay ``whole``."""
    console = Console()
    for part in parts:
        console.print(part, soft_wrap=whole)


def table_of(
    columns: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    right: Collection[str] = (),
    whole: Collection[str] = (),
    title: str | None = None,
) -> Table:
    """Return a table with these columns, whose long values go on in the next line.

    Args:
        columns: the headings.
        rows: a cell for each column: a whole number, one of two digits, a text, or nothing.
        right: columns that end at one edge beside those with numbers.
        whole: columns of names, which are never broken.
        title: a line above the table.
    """
    every = [list(row) for row in rows]
    numbers = {
        name
        for index, name in enumerate(columns)
        if any(isinstance(row[index], int | float) for row in every)
    }
    table = Table(title=title, title_justify="left", box=None, padding=_GAP)
    for name in columns:
        justify = "right" if name in numbers or name in right else "left"
        heading, is_whole = Text(visible(name)), name in whole
        table.add_column(heading, overflow="fold", justify=justify, no_wrap=is_whole)  # type: ignore[arg-type]
    for row in every:
        table.add_row(*map(_shown, row))
    return table


def facts_of(rows: Iterable[Sequence[Cell]], names: int = 1) -> Table:
    """Return a table without a heading: names, which are never broken, and a fact on each."""
    table = Table(box=None, show_header=False, padding=_GAP)
    for _ in range(names):
        table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*map(_shown, row))
    return table


def _shown(cell: Cell) -> RenderableType:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return Text(visible(cell))
    if isinstance(cell, float):
        return Text(f"{cell:.2f}")
    return Text(f"{cell:,}") if isinstance(cell, int) else cell


@contextmanager
def counted(first: str) -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a progress bar on stderr if that is a terminal; yield a function that sets its text, count and total."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns,
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task(first, total=None)
        yield lambda what, done, every: progress.update(
            task, description=what, completed=done, total=every
        )
