"""Read the rows of filled forms as people send them: by a browser, by spreadsheets of any country."""

import csv
import difflib
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from qsquared.errors import InputError, cannot_read
from qsquared.storage.logs.file_types.dialects import HEAD, detect_encoding, detect_separator

_NEEDED = ("draw", "item", "verdict")
_NEEDED_OF_LISTS = ("turn", "verdict")
"""Columns of a list of judgements that no form of ours was filled for."""

_MOST_ROWS = 100_000


@dataclass(slots=True)
class FormRow:
    """One row of a form or list, with what it says in each column."""

    form: str
    line: int
    cells: dict[str, str]
    annotator: str
    verdict: str

    @property
    def pair(self) -> str:
        """The reply that the row is about."""
        return self.cells["item"]


def rows_of_form(path: Path) -> Iterator[FormRow]:
    """Yield the rows of a form.

    Raises:
        InputError: the file cannot be read, or lacks a column.
    """
    csv.field_size_limit(sys.maxsize)
    try:
        raw = path.read_bytes()
        _refuse_other_files(path, raw)
        encoding = detect_encoding(raw[:HEAD])
        text = io.StringIO(raw.decode(encoding, "replace").removeprefix("\ufeff"), newline="")
        reader = csv.DictReader(text, delimiter=detect_separator(raw[:HEAD], encoding))
        names = reader.fieldnames or []
        needed = _NEEDED_OF_LISTS if "turn" in names and "item" not in names else _NEEDED
        if missing := [name for name in needed if name not in names]:
            near = difflib.get_close_matches(missing[0], names, 1)
            raise InputError(
                f"{path} has no column {missing[0]}"
                f"{f'; it has {near[0]}' if near else ''}. Nothing of it was read.",
                "Name the columns of a form as `q2 label draw` did, those of a list of your own turn and "
                "verdict, and read it again.",
            )
        for number, given in enumerate(reader, start=1):
            if number > _MOST_ROWS:
                raise InputError(
                    f"{path} has more than {_MOST_ROWS:,} rows. Nothing of it was read.",
                    "A form has a row for each drawn reply: give the file that was filled.",
                )
            cells = {name: value for name, value in given.items() if isinstance(value, str)}
            yield FormRow(
                str(path),
                reader.line_num,
                dict.fromkeys(needed, "") | cells,
                cells.get("annotator", "").strip() or path.stem,
                cells.get("verdict", "").strip().lower(),
            )
    except (OSError, csv.Error) as error:
        raise InputError(cannot_read(str(path), path, error), "Give a form as CSV.") from error


def _refuse_other_files(path: Path, head: bytes) -> None:
    """Refuse the page of a form and a spreadsheet's own file.

    Raises:
        InputError: the file begins as one of them.
    """
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:9].lower().startswith((b"<!doctype", b"<html")):
        raise InputError(
            f"{path} is the form itself; its answers are in the browser.",
            "Press Save as CSV in the form and give that file.",
        )
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise InputError(f"{path} is a spreadsheet.", "Save it as CSV and give that file.")
