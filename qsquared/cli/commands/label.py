"""Have people judge a sample of replies: ``q2 label``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from qsquared.cli.help_pages import commands, examples
from qsquared.cli.option_checks import refuse_filled_form
from qsquared.cli.options import (
    DEFAULT_STORE,
    FormOption,
    FromOption,
    StoreOption,
    ToOption,
    app,
)
from qsquared.cli.terminal import say, table_of
from qsquared.errors import InputError
from qsquared.text import count

if TYPE_CHECKING:
    import polars as pl

label_app = commands("label", "Have people judge a sample of replies, for `q2 rate`.")
app.add_typer(label_app, name="label")

WhereOption = Annotated[
    str,
    typer.Option(metavar="SQL", help="Only turns with this condition on the table `turns`."),
]
MeasureOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Score to draw and correct by; that of the last draw, else support, blend or q2, the first that there is.",
    ),
]
ScoredByOption = Annotated[
    str, typer.Option("--profile", metavar="NAME", help="Profile of the score; the last used.")
]


@label_app.command(epilog=examples("q2 label draw --n 120 --by bot_version --out form.html"))
def draw(
    out: FormOption,
    store: StoreOption = DEFAULT_STORE,
    number: Annotated[
        int, typer.Option("--n", min=1, metavar="N", help="Draw so many replies.")
    ] = 100,
    by: Annotated[
        str, typer.Option(metavar="FIELD", help="As many of each value of this field of the log.")
    ] = "",
    first: FromOption = "",
    last: ToOption = "",
    where: WhereOption = "",
    measure: MeasureOption = "",
    profile: ScoredByOption = "",
) -> None:
    """Draw replies that people shall judge, and write a form for them."""
    from qsquared.storage.labels.drawing import draw_replies
    from qsquared.storage.labels.forms import write_form
    from qsquared.storage.labels.rates import LEAST_LABELS
    from qsquared.storage.labels.selection import Selection, find_score, selected
    from qsquared.storage.records.store_index import store_option
    from qsquared.storage.records.written import note_written
    from qsquared.storage.sql.catalogue import connect
    from qsquared.storage.store import Store

    refuse_filled_form(out)
    opened = Store.open(store)
    console = Console(highlight=False)
    score = find_score(opened, measure, profile)
    with connect(opened, f"FROM turns, {score.table} {where}") as connection:
        replies = selected(connection, score, Selection(first, last, where, by))
        drawn = draw_replies(opened, replies, score, number)
        written = write_form(connection, drawn, out)
    note_written(opened, out)
    every = replies.drop_nulls("score")["pair_id"].n_unique()
    lacking = LEAST_LABELS - drawn.together
    in_columns = out.suffix.lower() != ".html"
    filled = shlex.quote(str(out)) if in_columns else "FORM.csv"
    say(
        console,
        f"Fewer than {number:,}: no more of the selected replies are left." * (written < number),
        f"{out}: {written:,} of {every:,} distinct replies, drawn by {score.measure} with {score.profile}.",
        _lacking(lacking, drawn.together, every) * (lacking > 0),
        "Its column verdict takes consistent or inconsistent." * in_columns,
        f"Then: q2 label read {filled} {store_option(opened)}",
    )


def _lacking(lacking: int, together: int, every: int) -> str:
    """Return in sentences how far the replies drawn for a rate are from one."""
    takes = f"A rate takes {together + lacking} judged replies"
    if every < together + lacking:
        return (
            f"{takes}, and the selected turns have only {every:,} distinct with a score: no rate can come "
            "of them. Select more turns, or score more logs."
        )
    return (
        f"{takes}, and with this draw only {together:,} replies of these turns are drawn or judged. Once "
        f"they are judged, draw {lacking:,} or more others."
    )


@label_app.command(epilog=examples("q2 label read ann.csv bob.csv"))
def read(
    forms: Annotated[list[Path], typer.Argument(metavar="FILES…", help="Filled forms.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Read filled forms into the store, and show the agreement of the annotators."""
    from qsquared.storage.labels.reading import read_forms
    from qsquared.storage.labels.records import read_all
    from qsquared.storage.records.store_index import store_option
    from qsquared.storage.sql.catalogue import connect
    from qsquared.storage.store import Store
    from qsquared.storage.tables.registry import LABELS

    opened = Store.open(store)
    with connect(opened, "FROM turns") as connection:
        done = read_forms(opened, connection, forms)
    console = Console(highlight=False)
    rejected = sum(done.rejects.values())
    most = sorted(done.rejects.items(), key=lambda one: -one[1])[:10]
    say(
        console,
        f"{count(done.taken, 'judgement')} taken, {done.repeated:,} known already, "
        + f"{done.twice:,} of a reply in another row, " * bool(done.twice)
        + f"{count(done.empty, 'row')} without a verdict, {count(rejected, 'reject')}.",
        *(f"  {number:,} ×  {reason}" for reason, number in most),
        f'  All: q2 sql "FROM label_rejects" {store_option(opened)}' * bool(rejected),
    )
    _show_agreement(console, read_all(opened, LABELS))
    if not done.taken and not done.repeated:
        raise InputError(
            "No judgement was taken.", "Fill the column verdict, or save the form in the browser."
        )


def _show_agreement(console: Console, labels: pl.DataFrame) -> None:
    """Show the numbers of each annotator, and on how many replies several agree."""
    import polars as pl

    from qsquared.method.rates.judgements import INCONSISTENT

    rows = (
        (str(name), len(given), int((given["verdict"] == INCONSISTENT).sum()))
        for (name,), given in labels.group_by("annotator", maintain_order=True)
    )
    console.print(table_of(("annotator", "replies", "inconsistent"), rows))
    several = (
        labels.group_by("pair_id").agg(pl.len(), pl.n_unique("verdict")).filter(pl.col("len") > 1)
    )
    if len(several):
        alike = several.filter(verdict=1)
        console.print(
            f"They agree on {len(alike):,} of {len(several):,} replies that several judged."
        )
