"""Forms for BEGIN's questionnaire (Dziri et al. 2021, appendix A): written from a store, read back.

One row for each sentence of each distinct situation, as CSV for a spreadsheet or as one HTML page
that a person fills in a browser and saves as CSV.
Texts that a spreadsheet would run as formulas are guarded (`storage/outputs/spreadsheets.py`).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from qsquared.errors import InputError, cannot_read
from qsquared.method.begin.questionnaire import AGREES, QUESTIONS, annotated_label, first_mistake
from qsquared.method.plain.sentences import sentences
from qsquared.storage.files.atomic import written_whole
from qsquared.storage.outputs.form_pages import form_page
from qsquared.storage.outputs.spreadsheets import guarded

if TYPE_CHECKING:
    import duckdb

NAMES = tuple(question.name for question in QUESTIONS)
_TEXTS = ("item", "sentence", "turn", "previous", "knowledge", "response", "text")
_ROWS = """
SELECT situation_id AS item, any_value(id) AS turn, coalesce(any_value(history[-1]), '') AS previous,
       any_value(array_to_string(knowledge, chr(10))) AS knowledge, any_value(response) AS response
FROM (SELECT * FROM turns WHERE pair_id IS NOT NULL ORDER BY input, position)
GROUP BY situation_id
ORDER BY md5(situation_id || $seed) LIMIT $number
"""


@dataclass(frozen=True, slots=True)
class Annotation:
    """The answers of one annotator on one sentence of an item, and the label that follows."""

    item: str
    sentence: str
    annotator: str
    answers: Mapping[str, str]

    @property
    def label(self) -> str:
        """The label by the rules of appendix B."""
        return annotated_label(self.answers)


def write_form(
    connection: duckdb.DuckDBPyConnection, out: Path, number: int | None, seed: int
) -> int:
    """Write a form with situations of the store, drawn by seed, and return the number of its rows.

    A file that ends in ``.html`` is a page for a browser, any other a CSV.
    Without rows no form is written.

    Raises:
        UsageError: the file cannot be written.
    """
    values = {"number": number or 2**31, "seed": str(seed)}
    rows = [
        (item, str(place), turn, previous, knowledge, response, response[start:end])
        for item, turn, previous, knowledge, response in connection.execute(
            _ROWS, values
        ).fetchall()
        for place, (start, end) in enumerate(sentences(response), start=1)
    ]
    if rows:
        with written_whole(out) as temporary:
            if out.suffix.lower() == ".html":
                temporary.write_text(_page(rows), encoding="utf-8")
            else:
                frame = pl.DataFrame(rows, schema=dict.fromkeys(_TEXTS, pl.String), orient="row")
                blank = [pl.lit("").alias(name) for name in ("annotator", *NAMES)]
                guarded(frame.with_columns(blank)).write_csv(temporary)
    return len(rows)


def _page(rows: Sequence[tuple[str, ...]]) -> str:
    """Return the page with the form as JSON, in which no text can end its element."""
    form = {
        "rows": [dict(zip(_TEXTS, row, strict=True)) for row in rows],
        "questions": [asdict(question) for question in QUESTIONS],
        "agrees": AGREES,
    }
    return form_page("qsquared.storage.outputs", "annotation_form.html", form)


def read_forms(paths: Iterable[Path]) -> list[Annotation]:
    """Read the filled rows of forms; where no annotator is named, the file's name is one.

    Rows without any answer were left out by the annotator and are skipped.

    Raises:
        InputError: a file is not a form, an answer is missing or not one of the question's, or one
            annotator answers twice on a sentence.
    """
    found: dict[tuple[str, str, str], Annotation] = {}
    for path in paths:
        for line, row in enumerate(_rows(path), start=2):
            given = {name: (row.get(name) or "").strip() for name in NAMES}
            if not any(given.values()):
                continue
            _check(path, line, given)
            annotator = (row.get("annotator") or "").strip() or path.stem
            one = Annotation(str(row["item"]), str(row["sentence"]), annotator, given)
            key = one.item, one.sentence, annotator
            if key in found:
                raise InputError(
                    f"{path}, line {line}: {annotator} answers on sentence {one.sentence} of "
                    f"{one.item} a second time.",
                    "Name each annotator in the column annotator, or give each a file.",
                )
            found[key] = one
    return list(found.values())


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle)
            names = reader.fieldnames or []
            rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(cannot_read(str(path), path, error), "Give a form as CSV.") from error
    if missing := [name for name in ("item", "sentence", *NAMES) if name not in names]:
        raise InputError(
            f"{path} has no column {missing[0]}.", "Give a form that `q2 annotate form` wrote."
        )
    return rows


def _check(path: Path, line: int, given: Mapping[str, str]) -> None:
    """Refuse answers of which an asked one is missing or none of the question's."""
    if not (name := first_mistake(given)):
        return
    (question,) = (one for one in QUESTIONS if one.name == name)
    because = (
        f", which {question.after} = {given[question.after]} asks for" if question.after else ""
    )
    raise InputError(
        f"{path}, line {line}: {name} is {given[name]!r}{because}.",
        f"Answer it with one of {', '.join(question.answers)}, or leave the whole row empty.",
    )
