"""The command ``q2 glue fit``."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from qsquared.cli.text import count
from qsquared.storage.outputs.glue_ranges import fit_store, write_range
from qsquared.storage.store import Store


def run_fit(store: Path, profile: str, rating: str, out: Path) -> None:
    """Fit, write and show a range.

    Raises:
        InputError: there is nothing to fit on.
        UsageError: the file cannot be written.
        StoreError: there is no store.
    """
    fitted = fit_store(Store.open(store), profile, rating)
    write_range(out, fitted)
    regression = fitted.regression
    table = Table("indicator", "least", "greatest", "weight")
    for name, (low, high) in fitted.bounds.items():
        weight = None if regression is None else regression.coefficients.get(name)
        table.add_row(name, f"{low:.4f}", f"{high:.4f}", "" if weight is None else f"{weight:+.3f}")
    console = Console()
    console.print(table)
    turns = count(int(fitted.about["turns"]), "turn")
    told = f"{out}: fitted on {turns}"
    if regression is not None:
        told += f", {fitted.about['rated']:,} of them rated; intercept {regression.intercept:+.3f}"
    console.print(told, markup=False)
