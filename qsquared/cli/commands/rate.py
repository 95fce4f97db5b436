"""Estimate the true share of inconsistent replies from a few judgements: ``q2 rate``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from qsquared.cli.commands.label import MeasureOption, ScoredByOption, WhereOption
from qsquared.cli.help_pages import examples
from qsquared.cli.options import DEFAULT_STORE, FromOption, StoreOption, ToOption, app
from qsquared.cli.terminal import say, table_of
from qsquared.errors import UsageError
from qsquared.text import p_value, percent

if TYPE_CHECKING:
    from qsquared.method.rates.estimate import Share, ShareDifference
    from qsquared.storage.labels.rates import Labelled, Rate
    from qsquared.storage.store import Store

_INTERVALS = (
    "The interval of these turns is what the unjudged ones leave open. That of the bot is wider: the "
    "turns are a sample of what it would say, and those of one reply or one conversation say less of it."
)


@app.command(
    epilog=examples("q2 rate", "q2 rate --by bot_version --compare 1.4 1.5", "q2 rate --by day")
)
def rate(
    store: StoreOption = DEFAULT_STORE,
    by: Annotated[
        str,
        typer.Option(metavar="FIELD", help="Also by this field of the log, day, week or month."),
    ] = "",
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="The difference of two values of that field."),
    ] = None,
    first: FromOption = "",
    last: ToOption = "",
    where: WhereOption = "",
    measure: MeasureOption = "",
    profile: ScoredByOption = "",
    as_json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all figures as JSON.")
    ] = None,
) -> None:
    """Estimate the share of inconsistent replies from judgements and scores, with 95 % intervals."""
    from qsquared.storage.files.atomic import written_whole
    from qsquared.storage.labels.rates import labelled, rate_of
    from qsquared.storage.labels.selection import Selection, find_score
    from qsquared.storage.sql.catalogue import connect
    from qsquared.storage.store import Store

    if compare and not by:
        raise UsageError("There are no groups to compare.", "Name their field: --by bot_version")
    opened = Store.open(store)
    score = find_score(opened, measure, profile)
    with connect(opened, f"FROM turns, {score.table} {where}") as connection:
        labels = labelled(opened, connection, score, Selection(first, last, where, by))
    total = rate_of(labels)
    assert total is not None
    rates = {name: rate_of(labels, name) for name in labels.groups} if by else {}
    console = Console(highlight=False)
    _show(console, total, labels, f"{score.measure} with {score.profile}")
    if by:
        _show_groups(console, by, labels, rates)
    found = _difference(opened, rates, compare)
    if found is not None:
        say(console, _difference_sentence(*found))
    if as_json is not None:
        content = {
            "measure": score.measure,
            "profile": score.profile,
            "configuration": score.configuration,
            "all": total.to_json(),
            "groups": [one.to_json() for one in rates.values() if one is not None],
            "not_counted": {
                "without_score": labels.unscored,
                "after_the_draw": labels.outside,
                "drawn_not_judged": labels.unjudged,
            },
            "difference": None
            if found is None
            else {"first": found[0], "second": found[1]} | asdict(found[2]),
        }
        with written_whole(as_json) as temporary:
            temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _interval(share: Share) -> str:
    return f"{percent(share.low)} to {percent(share.high)}"


def _show(console: Console, total: Rate, labels: Labelled, scored_by: str) -> None:
    corrected, alone = total.corrected, total.alone
    console.print(
        Text(
            f"{percent(corrected.value)} of these {total.turns:,} turns are inconsistent", "bold"
        ).append(
            f" (95 % interval {_interval(corrected)}), by {corrected.labels:,} labels and {scored_by}; "
            f"of what the bot would say, {_interval(total.bot)}.",
            "not bold",
        ),
        soft_wrap=True,
    )
    rows = (
        ("corrected", percent(corrected.value), _interval(corrected), _interval(total.bot)),
        ("labels alone", percent(alone.value), _interval(alone), ""),
        ("scores alone", percent(total.raw), "not known", ""),
    )
    columns = ("", "share", "95 %: these turns", "95 %: the bot")
    console.print(table_of(columns, rows, right=("share",)))
    judged = (
        f"These {corrected.labels:,} labels are worth {total.worth:,.0f} of a simple sample of the "
        f"{total.turns:,} turns; without the scores they were worth {total.worth_alone:,.0f}. "
        f"{total.halved:,} labels would halve the interval of these turns."
    )
    say(
        console,
        _INTERVALS,
        judged,
        f"{labels.unscored:,} further turns have a reply and knowledge but no score, and are not counted."
        * bool(labels.unscored),
        f"{labels.outside:,} further turns came after the draw and are not counted."
        * bool(labels.outside),
        f"Drawn and not judged: {labels.unjudged:,}; the judged ones stand for them."
        * bool(labels.unjudged),
    )


def _show_groups(
    console: Console, field: str, labels: Labelled, rates: dict[str, Rate | None]
) -> None:
    from qsquared.storage.labels.rates import MOST_UNLABELLED

    rows: list[list[str | int | None]] = []
    for name, one in rates.items():
        part = labels.population.part(labels.groups[name])
        cells: list[str | int | None] = [name, round(part.turns.sum()), part.labels]
        if one is None:
            cells += [None, "too few labels", None, None]
        else:
            shares = (_interval(one.corrected), _interval(one.bot), percent(one.raw))
            cells += [percent(one.corrected.value), *shares]
        rows.append(cells)
    shown = ("corrected", "95 %: these turns", "95 %: the bot", "scores alone")
    columns = (field, "turns", "labels", *shown)
    console.print(table_of(columns, rows, right=("corrected", "scores alone")))
    say(
        console,
        *(
            f"{name}: {percent(one.unlabelled)} of its turns are in strata of the score without a "
            "label; labels of like scores stand for them."
            for name, one in rates.items()
            if one is not None and one.unlabelled > MOST_UNLABELLED
        ),
    )


def _difference(
    store: Store, rates: dict[str, Rate | None], compare: tuple[str, str] | None
) -> tuple[str, str, ShareDifference] | None:
    """Return the difference of two groups: the asked ones, or the only two.

    Raises:
        UsageError: an asked group is not there or has too few labels.
    """
    from qsquared.method.rates.estimate import difference
    from qsquared.storage.labels.rates import LEAST_IN_GROUP
    from qsquared.storage.records.store_index import store_option

    names = compare or (tuple(rates) if len(rates) == 2 else None)
    if names is None:
        return None
    first, second = (rates.get(name) for name in names)
    if first is None or second is None:
        if compare is None:
            return None
        lacking = names[0] if first is None else names[1]
        if lacking not in rates:
            raise UsageError(f"There is no group {lacking!r}.", f"Groups: {', '.join(rates)}.")
        raise UsageError(
            f"The group {lacking!r} has fewer than {LEAST_IN_GROUP} labels.",
            "Draw more of each group: q2 label draw --n 120 --by FIELD --out form.html "
            f"{store_option(store)}",
        )
    return names[0], names[1], difference(first.bot, second.bot)


def _difference_sentence(first: str, second: str, found: ShareDifference) -> str:
    return (
        f"{first} less {second}, of what the bots would say: {100 * found.value:+.1f} "
        f"points (95 % interval {100 * found.low:+.1f} to {100 * found.high:+.1f}, "
        f"{p_value(found.p_value)})."
    )
