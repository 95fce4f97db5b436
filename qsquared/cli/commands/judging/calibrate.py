"""Calibrate a score by judgements: ``q2 calibrate``."""

from typing import Annotated, Any

import typer
from rich.console import Console

from qsquared.cli.commands.judging.label import MeasureOption, ScoredByOption, WhereOption
from qsquared.cli.options import DEFAULT_STORE, StoreOption, app, examples
from qsquared.cli.terminal.sentences import say, table_of
from qsquared.errors import UsageError
from qsquared.text import percent

_BAR = 30


@app.command(epilog=examples("q2 calibrate --name team --precision 0.8"))
def calibrate(
    store: StoreOption = DEFAULT_STORE,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the calibration in the store.")
    ] = "default",
    precision: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, metavar="P", help="A threshold with this precision."),
    ] = 0.0,
    recall: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="R", help="A threshold with this recall.")
    ] = 0.0,
    where: WhereOption = "",
    measure: MeasureOption = "",
    profile: ScoredByOption = "",
) -> None:
    """Turn a score into a probability by judged replies, and find a threshold; scores stay."""
    from qsquared.storage.labels.calibrations import calibrate as calibrated
    from qsquared.storage.labels.calibrations import write_calibration
    from qsquared.storage.labels.rates import labelled
    from qsquared.storage.labels.selection import Selection, find_score
    from qsquared.storage.records.indexes.store_index import store_option
    from qsquared.storage.sql.catalogue import connect
    from qsquared.storage.store import Store

    if precision and recall:
        raise UsageError("A threshold has one aim.", "Give either --precision or --recall.")
    opened = Store.open(store)
    score = find_score(opened, measure, profile)
    with connect(opened, f"FROM turns, {score.table} {where}") as connection:
        labels = labelled(opened, connection, score, Selection(where=where))
    made = calibrated(opened, labels, score, name, precision=precision, recall=recall)
    write_calibration(opened, made)
    console = Console(highlight=False)
    say(
        console,
        f"Calibration {name} of {score.measure} with {score.profile}, by {made['labels']:,} labels.",
    )
    if found := made["threshold"]:
        say(
            console,
            f"Threshold {found['value']:.3f}: precision {percent(found['precision'])}, recall "
            f"{percent(found['recall'])} on these labels.",
        )
    rows = (
        (percent(one["chance"]), percent(one["share"]), one["labels"], _bar(one))
        for one in made["reliability"]
    )
    columns = ("probability", "judged", "labels", "")
    console.print(table_of(columns, rows, right=columns[:2], title="Reliability"))
    asked = f"q2 sql \"FROM calibrated WHERE calibration = '{name}'\" {store_option(opened)}"
    say(
        console,
        f"On held-out folds: AUC {made['auc']:.3f}, Brier score {made['brier']:.3f}.",
        f"Use it: {asked}",
    )


def _bar(one: dict[str, Any]) -> str:
    """Return what people say as a bar, with a mark at what the probability says."""
    bar = ["█"] * round(_BAR * one["share"])
    bar += [" "] * (_BAR + 1 - len(bar))
    bar[round(_BAR * one["chance"])] = "│"
    return "".join(bar)
