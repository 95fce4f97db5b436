"""Tables without lines for a terminal."""

from collections.abc import Collection

from rich.table import Table


def plain_table(*columns: str, right: Collection[str] = (), title: str | None = None) -> Table:
    """Return a table with these columns, whose long values go on in the next line.

    Args:
        columns: the headings.
        right: the columns of numbers, which end at one edge.
        title: a line above the table.
    """
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for name in columns:
        justify = "right" if name in right else "left"
        table.add_column(name, overflow="fold", justify=justify)  # type: ignore[arg-type]
    return table
