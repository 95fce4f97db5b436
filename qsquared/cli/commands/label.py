"""Have people judge a sample of replies: ``q2 label``."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from qsquared.cli.help_pages import commands, examples
from qsquared.cli.option_checks import refuse_filled_form
from qsquared.cli.options import DEFAULT_STORE, FormOption, StoreOption, app
from qsquared.cli.tables import plain_table
from qsquared.errors import InputError, UsageError
from qsquared.text import count, visible

if TYPE_CHECKING:
    import polars as pl

    from qsquared.storage.labels.selection import Score
    from qsquared.storage.store import Store

label_app = commands("label", "Have people judge a sample of replies, for `q2 rate`.")
app.add_typer(label_app, name="label")

FromOption = Annotated[
    str, typer.Option("--from", metavar="DATE", help="Only turns since that day (UTC).")
]
ToOption = Annotated[
    str, typer.Option("--to", metavar="DATE", help="Only turns up to that day (UTC).")
]
WhereOption = Annotated[
    str,
    typer.Option(metavar="SQL", help="Only turns with this condition on the table `turns`."),
]
MeasureOption = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Score to draw and correct by; that of the last draw, else blend."
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
        int | None, typer.Option("--n", min=1, metavar="N", help="Draw so many replies.")
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(
            min=0.005,
            max=1.0,
            metavar="W",
            help="Draw as many as an interval of this width takes, such as 0.1.",
        ),
    ] = None,
    by: Annotated[
        str, typer.Option(metavar="FIELD", help="As many of each value of this field of the log.")
    ] = "",
    first: FromOption = "",
    last: ToOption = "",
    where: WhereOption = "",
    purpose: Annotated[
        str,
        typer.Option(
            "--for", metavar="PURPOSE", help="rate, or hardest or disagreement (no estimate)."
        ),
    ] = "rate",
    overlap: Annotated[
        int, typer.Option(min=0, metavar="N", help="A second form with so many of them.")
    ] = 0,
    measure: MeasureOption = "",
    profile: ScoredByOption = "",
    seed: Annotated[int, typer.Option(metavar="N", help="Another seed draws others.")] = 0,
    again: Annotated[
        str,
        typer.Option(metavar="DRAW", help="Write what nobody has judged of an earlier draw."),
    ] = "",
) -> None:
    """Draw replies that people shall judge, and write a form for them."""
    from qsquared.storage.labels.drawing import draw_replies
    from qsquared.storage.labels.forms import write_form
    from qsquared.storage.labels.planning import labels_for_width, lacking_for_a_rate
    from qsquared.storage.labels.records import RATE, draws_for_rates, last_measure
    from qsquared.storage.labels.selection import Selection, find_score, selected, with_spread
    from qsquared.storage.records.store_index import store_option
    from qsquared.storage.sql.catalogue import connect
    from qsquared.storage.store import Store

    second = out.with_name(f"{out.stem}-second{out.suffix}")
    for path in (out, *([second] if overlap else [])):
        refuse_filled_form(path)
    _check_wanted(purpose, number, width, again)
    opened = Store.open(store)
    console = Console(highlight=False)
    if again:
        _write_again(console, opened, again, out, second)
        return
    score = find_score(opened, measure or last_measure(draws_for_rates(opened)), profile)
    with connect(opened) as connection:
        replies = selected(connection, score, Selection(first, last, where, by))
        if purpose == "disagreement":
            replies = with_spread(connection, replies)
        if number is None:
            assert width is not None
            number, why = labels_for_width(opened, replies, score, width)
            console.print(Text(why), soft_wrap=True)
        if purpose == RATE:
            _say_unanswered(console, opened)
        drawn = draw_replies(
            opened, replies, score, number, purpose=purpose, seed=seed, overlap=overlap
        )
        scores = dict(replies.select("pair_id", "score").iter_rows())
        written = write_form(connection, drawn, scores, out)
        if drawn.overlap:
            write_form(connection, drawn, scores, second, drawn.overlap)
    _say_drawn(console, out, (written, number, replies["pair_id"].n_unique()), score)
    for sentence in (
        f"{second}: {len(drawn.overlap):,} of them for a second annotator." * bool(drawn.overlap),
        lacking_for_a_rate(opened, replies, score) if purpose == RATE else "",
        "They are not a random sample: `q2 rate` leaves them out." * (purpose != RATE),
        f"Then: q2 label read FORM.csv {store_option(opened)}",
    ):
        if sentence:
            console.print(Text(sentence), soft_wrap=True)


def _check_wanted(purpose: str, number: int | None, width: float | None, again: str) -> None:
    """Refuse options of a draw that say nothing, or several things."""
    from qsquared.storage.labels.records import PURPOSES

    if purpose not in PURPOSES:
        raise UsageError(f"There is no purpose {purpose!r}.", f"Purposes: {', '.join(PURPOSES)}.")
    if (number is None) + (width is None) + (not again) != 2:
        raise UsageError(
            "Say how many replies to draw.",
            "Give either --n N or --width W, or, for the form of an earlier draw, --again DRAW.",
        )


def _say_drawn(console: Console, out: Path, numbers: tuple[int, int, int], score: Score) -> None:
    """Say how many replies were drawn, of how many that were wanted and are there."""
    written, wanted, every = numbers
    if written < wanted:
        console.print(f"Fewer than {wanted:,}: no more of the selected replies are left.")
    console.print(
        Text(
            f"{out}: {written:,} of {every:,} distinct replies, drawn by {score.measure} with "
            f"{score.profile}."
        ),
        soft_wrap=True,
    )


def _write_again(console: Console, store: Store, draw: str, out: Path, second: Path) -> None:
    """Write the forms of an earlier draw with what nobody has judged of it."""
    from qsquared.storage.labels.drawing import drawn_again
    from qsquared.storage.labels.forms import write_form
    from qsquared.storage.sql.catalogue import connect

    rest, lacking, scores = drawn_again(store, draw)
    for part, path, who in ((rest, out, ""), (lacking, second, " by a second annotator")):
        if part.pairs:
            refuse_filled_form(path)
            with connect(store) as connection:
                written = write_form(connection, part, scores, path)
            console.print(
                Text(
                    f"{path}: {written:,} replies of the draw {part.name[:8]} that are not judged{who} yet."
                ),
                soft_wrap=True,
            )


def _say_unanswered(console: Console, store: Store) -> None:
    """Say which draws have no judgement, and how their forms are written again."""
    from qsquared.storage.labels.drawing import unanswered_draws
    from qsquared.storage.records.store_index import store_option

    for name in unanswered_draws(store):
        console.print(
            Text(
                f"The draw {name[:8]} has no judgement yet, so its replies can be drawn again. Its "
                f"form, should it be lost: q2 label draw --again {name[:8]} --out FORM "
                f"{store_option(store)}"
            ),
            soft_wrap=True,
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
    with connect(opened) as connection:
        done = read_forms(opened, connection, forms)
    console = Console(highlight=False)
    rejected = sum(done.rejects.values())
    console.print(
        Text(
            f"{count(done.taken, 'judgement')} taken, {done.repeated:,} known already, "
            f"{count(done.empty, 'row')} without a verdict, {count(rejected, 'reject')}."
        ),
        soft_wrap=True,
    )
    for reason, number in sorted(done.rejects.items(), key=lambda one: -one[1])[:10]:
        console.print(Text(f"  {number:,} ×  {visible(reason)}"), soft_wrap=True)
    if rejected:
        all_rejects = f'q2 sql "FROM label_rejects" {store_option(opened)}'
        console.print(Text(f"  All: {all_rejects}"), soft_wrap=True)
    _show_agreement(console, read_all(opened, LABELS))
    if not done.taken and not done.repeated:
        raise InputError(
            "No judgement was taken.", "Fill the column verdict, or save the form in the browser."
        )


def _show_agreement(console: Console, labels: pl.DataFrame) -> None:
    """Show the numbers of each annotator, Krippendorff's alpha, and the kappa of each pair."""
    import numpy as np

    from qsquared.method.rates.judgements import INCONSISTENT, VERDICTS, alpha_of_two, kappa

    by_name = {
        name: dict(part.select("pair_id", "verdict").iter_rows())
        for (name,), part in labels.group_by("annotator", maintain_order=True)
    }
    table = plain_table("annotator", "replies", "inconsistent", right=("replies", "inconsistent"))
    for name, given in by_name.items():
        against = sum(verdict == INCONSISTENT for verdict in given.values())
        table.add_row(visible(str(name)), f"{len(given):,}", f"{against:,}")
    console.print(table)
    if len(by_name) < 2:
        return
    counts = [
        [sum(given.get(pair) == verdict for given in by_name.values()) for verdict in VERDICTS]
        for pair in dict.fromkeys(labels["pair_id"].to_list())
    ]
    alpha = alpha_of_two(*np.array(counts, dtype=float).T)
    shown = "not defined" if np.isnan(alpha) else f"{alpha:.3f}"
    console.print(Text(f"Krippendorff's alpha: {shown}"))
    for (first, one), (second, other) in combinations(by_name.items(), 2):
        both = [(one[pair], other[pair]) for pair in one.keys() & other.keys()]
        if both:
            agreed = kappa(both)
            value = "not defined, as all are the same" if agreed is None else f"{agreed:.3f}"
            names = visible(f"{first}, {second}")
            console.print(Text(f"  kappa of {names}: {value} ({len(both):,} replies)"))
