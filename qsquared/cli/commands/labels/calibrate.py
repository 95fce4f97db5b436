"""Calibrate a score by judgements: ``q2 calibrate``."""

from typing import Any

from qsquared.cli.commands.app import app
from qsquared.cli.options import (
    DEFAULT_STORE,
    MeasureOption,
    ScoredByOption,
    ShareOption,
    StoreOption,
    WhereOption,
    open_store,
)
from qsquared.cli.terminal.sentences import say, show, table_of
from qsquared.errors import UsageError
from qsquared.text import percent

_BAR = 30


@app.command()
def calibrate(
    store: StoreOption = DEFAULT_STORE,
    name: str = "default",
    precision: ShareOption = 0.0,
    recall: ShareOption = 0.0,
    where: WhereOption = "",
    measure: MeasureOption = "",
    profile: ScoredByOption = "",
) -> None:
    """Turn a score into a probability by judged replies, and find a threshold; scores stay.

    Args:
        name (NAME): Name of the calibration in the store.
        precision (P): A threshold with this precision.
        recall (R): A threshold with this recall.

    Example:
        q2 calibrate --name team --precision 0.8
    """
    from qsquared.storage.labels.calibrations import calibrate as calibrated
    from qsquared.storage.labels.calibrations import write_calibration
    from qsquared.storage.labels.rates import labelled
    from qsquared.storage.labels.selection import TurnFilter, find_score
    from qsquared.storage.store import store_option

    if precision and recall:
        raise UsageError("A threshold has one aim.", "Give either --precision or --recall.")
    opened = open_store(store)
    score = find_score(opened, measure, profile)
    labels = labelled(opened, score, TurnFilter(where=where))
    calibration = calibrated(opened, labels, score, name, precision=precision, recall=recall)
    write_calibration(opened, calibration)
    say(
        f"Calibration {name} of {score.measure} with {score.profile}, by {calibration['labels']:,} labels."
    )
    if threshold := calibration["threshold"]:
        say(
            f"Threshold {threshold['value']:.3f}: precision {percent(threshold['precision'])}, recall "
            f"{percent(threshold['recall'])} on these labels."
        )
    rows = (
        (percent(group["chance"]), percent(group["share"]), group["labels"], _bar(group))
        for group in calibration["reliability"]
    )
    columns = ("probability", "judged", "labels", "")
    show(table_of(columns, rows, right=columns[:2], title="Reliability"))
    query = f"q2 sql \"FROM calibrated WHERE calibration = '{name}'\" {store_option(opened)}"
    say(
        f"On held-out folds: AUC {calibration['auc']:.3f}, Brier score {calibration['brier']:.3f}.",
        f"Use it: {query}",
    )


def _bar(group: dict[str, Any]) -> str:
    """Return the share that people judged as a bar, with a mark at the probability."""
    bar = ["█"] * round(_BAR * group["share"])
    bar += [" "] * (_BAR + 1 - len(bar))
    bar[round(_BAR * group["chance"])] = "│"
    return "".join(bar)
