"""Have people judge a sample of replies: ``q2 label``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.help_pages import command_group
from qsquared.cli.options import (
    DEFAULT_STORE,
    FromOption,
    MeasureOption,
    ScoredByOption,
    StoreOption,
    ToOption,
    WhereOption,
    open_store,
)
from qsquared.cli.terminal.printing import say
from qsquared.display import count
from qsquared.errors import InputError, UsageError

label_app = command_group("label", "Have people judge a sample of replies, for `q2 rate`.")


@label_app.command()
def draw(
    out: Annotated[Path, typer.Option()],
    store: StoreOption = DEFAULT_STORE,
    number: Annotated[int, typer.Option("--n", min=1)] = 100,
    by: str = "",
    first: FromOption = "",
    last: ToOption = "",
    where: WhereOption = "",
    measure: MeasureOption = "",
    profile: ScoredByOption = "",
) -> None:
    """Draw replies that people shall judge, and write a form for them.

    Args:
        out (FILE): File to write: FORM.html for a browser, else CSV.
        number (N): Draw so many replies.
        by (FIELD): As many of each value of this field of the log.

    Example:
        q2 label draw --n 120 --by bot_version --out form.html
    """
    from qsquared.storage.labels.corrected_rates import LEAST_LABELS
    from qsquared.storage.labels.drawing import draw_replies, write_form
    from qsquared.storage.labels.judged_replies import TurnFilter, find_score, selected
    from qsquared.storage.records.runs import note_written
    from qsquared.storage.sql.views import connect
    from qsquared.storage.store import store_option

    if out.exists():
        raise UsageError(f"{out} is there already.", "It may be filled: give another file.")
    opened = open_store(store)
    score = find_score(opened, measure, profile)
    with connect(opened, f"FROM turns, {score.table} {where}") as connection:
        replies = selected(connection, score, TurnFilter(first, last, where, by))
        drawn = draw_replies(opened, replies, score, number)
        written = write_form(connection, drawn, out)
    note_written(opened, out)
    every = replies.drop_nulls("score")["pair_id"].n_unique()
    in_columns = out.suffix.lower() != ".html"
    filled = shlex.quote(str(out)) if in_columns else "FORM.csv"
    say(
        f"Fewer than {number:,}: no more of the selected replies are left." * (written < number),
        f"{out}: {written:,} of {every:,} distinct replies, drawn by {score.measure} with {score.profile}.",
        f"A rate takes {LEAST_LABELS} judged replies." * (written < LEAST_LABELS),
        "Its column verdict takes consistent or inconsistent." * in_columns,
        f"Then: q2 label read {filled} {store_option(opened)}",
    )


@label_app.command()
def read(forms: list[Path], store: StoreOption = DEFAULT_STORE) -> None:
    """Read filled forms into the store.

    Args:
        forms (FILES…): Filled forms.

    Example:
        q2 label read ann.csv bob.csv
    """
    from qsquared.storage.labels.filled_forms import read_forms
    from qsquared.storage.sql.views import connect
    from qsquared.storage.store import store_option

    opened = open_store(store)
    with connect(opened, "FROM turns") as connection:
        done = read_forms(opened, connection, forms)
    say(
        f"{count(done.taken, 'judgement')} taken, {done.repeated:,} known already, "
        f"{count(done.empty, 'row')} without a verdict, {count(done.rejects.total(), 'reject')}.",
        *(f"  {number:,} ×  {reason}" for reason, number in done.rejects.most_common(10)),
        f'  All: q2 sql "FROM label_rejects" {store_option(opened)}' * bool(done.rejects),
    )
    if not done.taken and not done.repeated:
        raise InputError(
            "No judgement was taken.", "Fill the column verdict, or save the form in the browser."
        )
