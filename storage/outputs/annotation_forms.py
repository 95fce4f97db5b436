"""CSV forms for BEGIN's questionnaire (Dziri et al. 2021, appendix B): written from a store, read back.

One row for each distinct situation; the answers are numbers from 1 (not at all) to 5 (fully).
Texts that a spreadsheet would run as formulas are guarded (`storage/outputs/spreadsheets.py`).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from qsquared.errors import InputError
from qsquared.method.begin import Answers, annotated_label
from qsquared.storage.files.atomic import written_whole
from qsquared.storage.outputs.spreadsheets import guarded

if TYPE_CHECKING:
    import duckdb

QUESTIONS: Mapping[str, str] = {
    "generic": "The reply is general and would do after almost anything.",
    "off_topic": "The reply does not go on with what was said before.",
    "faithful": "The knowledge supports all that the reply tells.",
    "contradicting": "The knowledge says otherwise than the reply.",
    "cooperative": "The reply answers what was asked, or takes up what was said.",
}
"""The statements that an annotator agrees with, 1 (not at all) to 5 (fully).

The paper's own wording was not at hand: these say what its published labels mean.
"""
_ROWS = """
SELECT situation_id AS item, any_value(id) AS turn, coalesce(any_value(history[-1]), '') AS previous,
       any_value(array_to_string(knowledge, chr(10))) AS knowledge, any_value(response) AS response
FROM (SELECT * FROM turns WHERE pair_id IS NOT NULL ORDER BY input, position)
GROUP BY situation_id
ORDER BY md5(situation_id || $seed) LIMIT $number
"""


@dataclass(frozen=True, slots=True)
class Annotation:
    """The answers of one annotator on one item, and the label that follows."""

    item: str
    annotator: str
    answers: Answers

    @property
    def label(self) -> str:
        """The label by the rules of appendix B."""
        return annotated_label(self.answers)


def write_form(
    connection: duckdb.DuckDBPyConnection, out: Path, number: int | None, seed: int
) -> int:
    """Write a form with situations of the store, drawn by seed, and return the number of its rows.

    Without rows no form is written.

    Raises:
        UsageError: the file cannot be written.
    """
    values = {"number": number or 2**31, "seed": str(seed)}
    found = connection.execute(_ROWS, values).fetchall()
    names = ("item", "turn", "previous", "knowledge", "response")
    frame = pl.DataFrame(found, schema=dict.fromkeys(names, pl.String), orient="row")
    blank = [pl.lit("").alias(name) for name in ("annotator", *QUESTIONS)]
    if frame.height:
        with written_whole(out) as temporary:
            guarded(frame.with_columns(blank)).write_csv(temporary)
    return frame.height


def read_forms(paths: Iterable[Path]) -> list[Annotation]:
    """The filled rows of forms; where no annotator is named, the file's name is one.

    Rows without any answer were left out by the annotator and are skipped.

    Raises:
        InputError: a file is not a form, an answer is missing or not 1 to 5, or one annotator
            answers twice on an item.
    """
    found: dict[tuple[str, str], Annotation] = {}
    for path in paths:
        for line, row in enumerate(_rows(path), start=2):
            given = {name: (row.get(name) or "").strip() for name in QUESTIONS}
            if not any(given.values()):
                continue
            annotator = (row.get("annotator") or "").strip() or path.stem
            answers = Answers(**{name: _answer(path, line, name, given[name]) for name in given})
            one = Annotation(str(row["item"]), annotator, answers)
            if (one.item, annotator) in found:
                raise InputError(
                    f"{path}, line {line}: {annotator} answers on {one.item} a second time.",
                    "Name each annotator in the column annotator, or give each a file.",
                )
            found[one.item, annotator] = one
    return list(found.values())


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle)
            names = reader.fieldnames or []
            rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {error}.", "Give a form as CSV.") from error
    wanted = ["item", *(field.name for field in fields(Answers))]
    if missing := [name for name in wanted if name not in names]:
        raise InputError(
            f"{path} has no column {missing[0]}.", "Give a form that `q2 annotate form` wrote."
        )
    return rows


def _answer(path: Path, line: int, name: str, text: str) -> int:
    if text not in {"1", "2", "3", "4", "5"}:
        raise InputError(
            f"{path}, line {line}: {name} is {text!r}.",
            "Answer every question of a row with 1 (not at all) to 5 (fully), or none of them.",
        )
    return int(text)
