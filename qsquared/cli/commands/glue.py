"""``q2 glue fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.options import DEFAULT_STORE, StoreOption, app

glue_app = typer.Typer(no_args_is_help=True, help="Ranges of the GLUE proxy indicators.")
app.add_typer(glue_app, name="glue")


@glue_app.callback()
def _glue() -> None:
    pass


@glue_app.command(
    epilog="Example:  q2 score logs/ --metric glue   ·   q2 glue fit --rating stars --out range.json   "
    "·   q2 score logs/ --metric glue --glue-range range.json"
)
def fit(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The range, as JSON.")],
    store: StoreOption = DEFAULT_STORE,
    profile: Annotated[
        str, typer.Option("--profile", metavar="NAME", help="As SQL's column `profile` has it.")
    ] = "compact",
    rating: Annotated[
        str, typer.Option(metavar="FIELD", help="Field of the log with people's rating.")
    ] = "",
) -> None:
    """Fit the range of each indicator, and with ratings their combination, on a scored store.

    Scores made with one range are comparable from night to night.
    """
    from qsquared.cli.glue import run_fit

    run_fit(store, profile, rating, out)
