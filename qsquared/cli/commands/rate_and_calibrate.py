"""Use a few judgements: ``q2 rate`` estimates the share of inconsistent replies, ``q2 calibrate`` a score's meaning."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from qsquared.cli.help_pages import app
from qsquared.cli.options import (
    DEFAULT_STORE,
    FromOption,
    MeasureOption,
    ScoredByOption,
    ShareOption,
    StoreOption,
    ToOption,
    WhereOption,
    open_store,
    write_json,
)
from qsquared.cli.terminal.printing import say, show, table_of
from qsquared.display import p_value, percent
from qsquared.errors import UsageError

if TYPE_CHECKING:
    from qsquared.method.rates.estimate import Share
    from qsquared.storage.labels.corrected_rates import Labelled, Rate

_INTERVALS = (
    "The interval of these turns is what the unjudged ones leave open. That of the bot is wider: the "
    "turns are a sample of what it would say, and those of one reply or one conversation say less of it."
)


@app.command()
def rate(
    store: StoreOption = DEFAULT_STORE,
    by: str = "",
    first: FromOption = "",
    last: ToOption = "",
    where: WhereOption = "",
    measure: MeasureOption = "",
    profile: ScoredByOption = "",
    as_json: Annotated[Path | None, typer.Option("--json")] = None,
) -> None:
    """Estimate the share of inconsistent replies from judgements and scores, with 95 % intervals.

    Args:
        by (FIELD): Also by this field of the log; two groups are compared.
        as_json (FILE): Write all figures as JSON.

    Examples:
        q2 rate
        q2 rate --by bot_version
    """
    from qsquared.storage.labels.corrected_rates import labelled, rate_of
    from qsquared.storage.labels.judged_replies import TurnFilter, find_score

    opened = open_store(store)
    score = find_score(opened, measure, profile)
    labels = labelled(opened, score, TurnFilter(first, last, where, by))
    total = rate_of(labels)
    assert total is not None
    rates = {name: rate_of(labels, name) for name in labels.groups} if by else {}
    _show(total, labels, f"{score.measure} with {score.profile}")
    if by:
        _show_groups(by, labels, rates)
    difference = _difference(rates)
    if difference is not None:
        say(
            f"{difference['first']} less {difference['second']}, of what the bots would say: "
            f"{100 * difference['value']:+.1f} points (95 % interval {100 * difference['low']:+.1f} to "
            f"{100 * difference['high']:+.1f}, {p_value(difference['p_value'])})."
        )
    if as_json is not None:
        content = {
            "measure": score.measure,
            "profile": score.profile,
            "configuration": score.configuration,
            "all": total.to_json(),
            "groups": [group.to_json() for group in rates.values() if group is not None],
            "not_counted": {
                "without_score": labels.unscored,
                "after_the_draw": labels.outside,
                "drawn_not_judged": labels.unjudged,
            },
            "difference": difference,
        }
        write_json(as_json, content)


def _interval(share: Share) -> str:
    return f"{percent(share.low)} to {percent(share.high)}"


def _show(total: Rate, labels: Labelled, scored_by: str) -> None:
    corrected, alone = total.corrected, total.alone
    head = Text(
        f"{percent(corrected.value)} of these {total.turns:,} turns are inconsistent", "bold"
    ).append(
        f" (95 % interval {_interval(corrected)}), by {corrected.labels:,} labels and {scored_by}; "
        f"of what the bot would say, {_interval(total.bot)}.",
        "not bold",
    )
    show(head, whole=True)
    rows = (
        ("corrected", percent(corrected.value), _interval(corrected), _interval(total.bot)),
        ("labels alone", percent(alone.value), _interval(alone), ""),
        ("scores alone", percent(total.raw), "not known", ""),
    )
    columns = ("", "share", "95 %: these turns", "95 %: the bot")
    show(table_of(columns, rows, right=("share",)))
    say(
        _INTERVALS,
        f"{labels.unscored:,} further turns have a reply and knowledge but no score, and are not counted."
        * bool(labels.unscored),
        f"{labels.outside:,} further turns came after the draw and are not counted."
        * bool(labels.outside),
        f"Drawn and not judged: {labels.unjudged:,}; the judged ones stand for them."
        * bool(labels.unjudged),
    )


def _show_groups(field: str, labels: Labelled, rates: dict[str, Rate | None]) -> None:
    rows: list[tuple[str | int | None, ...]] = []
    for name, rate_of_group in rates.items():
        part = labels.population.part(labels.groups[name])
        shares: tuple[str | None, ...] = (None, "too few labels", None, None)
        if rate_of_group is not None:
            within = _interval(rate_of_group.corrected), _interval(rate_of_group.bot)
            shares = (percent(rate_of_group.corrected.value), *within, percent(rate_of_group.raw))
        rows.append((name, round(part.turns.sum()), part.labels, *shares))
    shown = ("corrected", "95 %: these turns", "95 %: the bot", "scores alone")
    columns = (field, "turns", "labels", *shown)
    show(table_of(columns, rows, right=("corrected", "scores alone")))


def _difference(rates: dict[str, Rate | None]) -> dict[str, Any] | None:
    """Return the difference of two groups, if there are just two and both have labels enough."""
    from qsquared.method.rates.estimate import difference

    match list(rates.items()):
        case [(one, first), (other, second)] if first is not None and second is not None:
            interval = difference(first.bot, second.bot)
            return {"first": one, "second": other} | asdict(interval)
    return None


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
    from qsquared.storage.labels.corrected_rates import labelled
    from qsquared.storage.labels.judged_replies import TurnFilter, find_score
    from qsquared.storage.store import store_option

    if precision and recall:
        raise UsageError("A threshold has one aim.", "Give either --precision or --recall.")
    opened = open_store(store)
    score = find_score(opened, measure, profile)
    labels = labelled(opened, score, TurnFilter(where=where))
    calibration = calibrated(opened, labels, score, name, precision=precision, recall=recall)
    opened.write_json(opened.small_file("calibrations", name), calibration)
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
