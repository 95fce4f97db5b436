"""Fit the ranges of the GLUE proxy indicators: ``q2 glue fit``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from qsquared.cli.help_pages import commands, examples
from qsquared.cli.options import DEFAULT_STORE, StoreOption, app
from qsquared.text import count

glue_app = commands("glue", "Ranges of the GLUE proxy indicators.")
app.add_typer(glue_app, name="glue")


@glue_app.callback()
def _glue() -> None:
    """Keep `fit` a command of its own, since typer would merge a single one into its group."""


@glue_app.command(
    epilog=examples(
        "q2 score logs/ --metric glue",
        "q2 glue fit --rating stars --out range.json",
        "q2 score logs/ --metric glue --glue-range range.json",
    )
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
    from qsquared.storage.outputs.glue_ranges import fit_store, write_range
    from qsquared.storage.store import Store

    fitted = fit_store(Store.open(store), profile, rating)
    write_range(out, fitted)
    regression = fitted.regression
    table = Table("indicator", "least", "greatest", "weight")
    for name, (low, high) in fitted.bounds.items():
        weight = None if regression is None else regression.coefficients.get(name)
        table.add_row(name, f"{low:.4f}", f"{high:.4f}", "" if weight is None else f"{weight:+.3f}")
    console = Console()
    console.print(table)
    line = f"{out}: fitted on {count(int(fitted.about['turns']), 'turn')}"
    if regression is not None:
        line += f", {fitted.about['rated']:,} of them rated; intercept {regression.intercept:+.3f}"
    console.print(line, markup=False)
