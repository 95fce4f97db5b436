"""``q2 annotate``: a questionnaire for people, written and read back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.options import DEFAULT_STORE, StoreOption, app

annotate_app = typer.Typer(
    no_args_is_help=True, help="Have people label replies by BEGIN's questionnaire."
)
app.add_typer(annotate_app, name="annotate")


@annotate_app.command(epilog="Example:  q2 annotate form --limit 100 --out form.csv")
def form(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="CSV file to write.")],
    store: StoreOption = DEFAULT_STORE,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="So many replies, drawn by seed.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Another seed draws others.")] = 0,
) -> None:
    """Write a form with the replies of a store, for a spreadsheet."""
    from qsquared.cli.annotate import write

    write(store, out, limit, seed)


@annotate_app.command(epilog="Example:  q2 annotate read ann.csv bob.csv --out labels.csv")
def read(
    forms: Annotated[list[Path], typer.Argument(metavar="FILES…", help="Filled forms.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the labels as CSV.")
    ] = None,
) -> None:
    """Label the replies of filled forms, and tell how far the annotators agree."""
    from qsquared.cli.annotate import label

    label(forms, out)
