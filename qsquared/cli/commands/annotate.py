"""Have people label replies by a questionnaire: ``q2 annotate``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from qsquared.cli.extras import require
from qsquared.cli.help_pages import commands, examples
from qsquared.cli.option_checks import refuse_filled_form
from qsquared.cli.options import DEFAULT_STORE, FormOption, StoreOption, app
from qsquared.cli.tables import plain_table
from qsquared.errors import InputError, UsageError
from qsquared.text import count

if TYPE_CHECKING:
    from qsquared.storage.outputs.annotation_forms import Annotation

annotate_app = commands("annotate", "Have people label replies by BEGIN's questionnaire.")
app.add_typer(annotate_app, name="annotate")


@annotate_app.command(epilog=examples("q2 annotate form --limit 100 --out form.html"))
def form(
    out: FormOption,
    store: StoreOption = DEFAULT_STORE,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="So many replies, drawn by seed.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Another seed draws others.")] = 0,
) -> None:
    """Write a form with the sentences of a store's replies, for a browser or a spreadsheet."""
    from qsquared.method.begin.questionnaire import AGREES, QUESTIONS
    from qsquared.storage.outputs.annotation_forms import write_form
    from qsquared.storage.sql.catalogue import connect
    from qsquared.storage.store import Store

    refuse_filled_form(out)
    with connect(Store.open(store), "turns") as connection:
        rows = write_form(connection, out, limit, seed)
    if not rows:
        raise UsageError(f"The store {store} has no reply with knowledge.", "Score a log first.")
    console = Console()
    console.print(Text(f"{out} ({count(rows, 'sentence')}). The questions:"))
    for question in QUESTIONS:
        answers = f"{AGREES} or more" if question.when else f"below {AGREES}"
        condition = f" (if {question.after} is {answers})" if question.after else ""
        console.print(Text(f"  {question.place} {question.name}: {question.text}{condition}"))
    console.print(Text("1 is not at all, 5 is fully; give each annotator a copy."))


@annotate_app.command(epilog=examples("q2 annotate read ann.csv bob.csv --out labels.csv"))
def read(
    forms: Annotated[list[Path], typer.Argument(metavar="FILES…", help="Filled forms.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the labels as CSV.")
    ] = None,
) -> None:
    """Label the sentences of filled forms, and show the agreement of the annotators."""
    from qsquared.method.begin.agreement import agreement, majority_label
    from qsquared.method.begin.taxonomy import LABELS
    from qsquared.storage.outputs.annotation_forms import read_forms

    annotations = read_forms(forms)
    if not annotations:
        raise InputError(
            "No row of the forms is filled.", "Answer its questions, or save it in the browser."
        )
    labels: dict[tuple[str, str], list[str]] = defaultdict(list)
    for annotation in annotations:
        labels[annotation.item, annotation.sentence].append(annotation.label)
    majority = {unit: majority_label(given) for unit, given in labels.items()}
    console = Console()
    table = plain_table("label", "sentences")
    for label in (*LABELS, None):
        found = sum(agreed == label for agreed in majority.values())
        table.add_row(label or "no majority", f"{found:,}")
    console.print(table)
    require("annotate", "evaluation", "nltk")
    filled = [(a.annotator, f"{a.item}/{a.sentence}", a.answers) for a in annotations]
    for what, alpha in agreement(filled).items():
        shown = alpha if isinstance(alpha, str) else f"{alpha:.3f}"
        console.print(Text(f"Krippendorff's alpha, {what}: {shown}"))
    if out is not None:
        _write_labels(out, annotations, majority)
        console.print(Text(f"{out} ({count(len(annotations), 'label')})"))


def _write_labels(
    out: Path, annotations: Sequence[Annotation], majority: dict[tuple[str, str], str | None]
) -> None:
    import polars as pl

    from qsquared.storage.files.atomic import written_whole
    from qsquared.storage.outputs.spreadsheets import guarded

    rows = [
        {
            "item": a.item,
            "sentence": a.sentence,
            "annotator": a.annotator,
            "label": a.label,
            "majority": majority[a.item, a.sentence],
        }
        for a in annotations
    ]
    with written_whole(out) as temporary:
        guarded(pl.DataFrame(rows)).write_csv(temporary)
