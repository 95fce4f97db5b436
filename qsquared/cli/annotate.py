"""The commands ``q2 annotate form`` and ``q2 annotate read``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from qsquared.cli.text import count
from qsquared.errors import InputError, Q2Error, UsageError
from qsquared.method.agreement import majority_label
from qsquared.method.begin import LABELS, three_way
from qsquared.storage.outputs.annotation_forms import QUESTIONS, Annotation, read_forms, write_form
from qsquared.storage.outputs.spreadsheets import guarded
from qsquared.storage.sql.catalogue import connect
from qsquared.storage.store import Store


def write(store: Path, out: Path, limit: int | None, seed: int) -> None:
    """Write a form and say how it is filled.

    Raises:
        UsageError: the store has no reply to label, or the file exists.
        StoreError: there is no store.
    """
    if out.exists():
        raise UsageError(f"{out} is there already.", "It may be filled: give another file.")
    with connect(Store.open(store), "turns") as connection:
        rows = write_form(connection, out, limit, seed)
    if not rows:
        out.unlink()
        raise UsageError(f"The store {store} has no reply with knowledge.", "Score a log first.")
    console = Console()
    console.print(Text(f"{out} ({count(rows, 'row')}). Each column is a statement:"))
    for name, statement in QUESTIONS.items():
        console.print(Text(f"  {name}: {statement}"))
    console.print(Text("Answer with 1 (not at all) to 5 (fully); give each annotator a copy."))


def label(forms: Sequence[Path], out: Path | None) -> None:
    """Show the labels of filled forms and the annotators' agreement.

    Raises:
        InputError: a form cannot be read, or none is filled.
        Q2Error: the library that reckons the agreement is not installed.
    """
    found = read_forms(forms)
    if not found:
        raise InputError("No row of the forms is filled.", "Answer with 1 to 5.")
    by_item: dict[str, list[Annotation]] = defaultdict(list)
    for one in found:
        by_item[one.item].append(one)
    agreed = {item: majority_label(a.label for a in all_) for item, all_ in by_item.items()}
    console = Console()
    table = Table("label", "replies", box=None, padding=(0, 2, 0, 0))
    for name in (*LABELS, None):
        number = sum(one == name for one in agreed.values())
        table.add_row(name or "no majority", f"{number:,}")
    console.print(table)
    for way, alpha in agreement(found).items():
        console.print(Text(f"Krippendorff's alpha, {way}: {alpha}"))
    if out is not None:
        rows = [
            {"item": a.item, "annotator": a.annotator, "label": a.label, "majority": agreed[a.item]}
            for a in found
        ]
        guarded(pl.DataFrame(rows)).write_csv(out)
        console.print(Text(f"{out} ({count(len(rows), 'label')})"))


def agreement(found: Sequence[Annotation]) -> dict[str, str]:
    """Krippendorff's alpha over the five labels and over the three, for nominal values.

    Raises:
        Q2Error: NLTK is not installed.
    """
    try:
        from nltk.metrics.agreement import AnnotationTask
    except ImportError as error:
        raise Q2Error(
            "q2 annotate needs the package nltk, which is not installed.",
            "Install what it needs with: pip install 'qsquared[evaluation]'",
        ) from error
    alphas = {}
    for way, named in (("five-way", lambda label: label), ("three-way", three_way)):
        triples = [(a.annotator, a.item, named(a.label)) for a in found]
        items = [item for _, item, _ in triples]
        if len(set(items)) == len(items):
            alphas[way] = "not defined, as no reply has two annotators"
        elif len({label for _, _, label in triples}) == 1:
            alphas[way] = "not defined, as all labels are the same"
        else:
            alphas[way] = f"{AnnotationTask(data=triples).alpha():.3f}"
    return alphas
