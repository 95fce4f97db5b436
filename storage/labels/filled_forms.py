"""Read filled forms into the store: judgements, and rejects with their reasons.

People send forms by a browser and by spreadsheets of any country.
"""

import csv
import difflib
import io
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from qsquared.errors import InputError, cannot_read
from qsquared.storage.keys import digest
from qsquared.storage.labels.drawing import FORM_VERSION
from qsquared.storage.labels.judged_replies import VERDICTS, add, read_all
from qsquared.storage.logs.file_types.dialects import HEAD, detect_encoding, detect_separator
from qsquared.storage.store import Store
from qsquared.storage.tables import DRAWS, LABEL_REJECTS, LABELS

_NEEDED = ("draw", "item", "verdict")
_NEEDED_OF_LISTS = ("turn", "verdict")
"""Columns of a list of judgements that no form of ours was filled for."""

_MOST_ROWS = 100_000


@dataclass(slots=True)
class FormRow:
    """A row of a form or list, with what it says in each column."""

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


_TURNS = """
SELECT DISTINCT id, pair_id, conversation_id FROM turns
WHERE pair_id IS NOT NULL AND id IN (SELECT unnest($turns)) ORDER BY ALL
"""
_TEXTS = "SELECT DISTINCT pair_id, response FROM turns WHERE pair_id IN (SELECT unnest($pairs))"
_RAW = 500


@dataclass(slots=True)
class FormReading:
    """Numbers of the rows of some forms, and the reasons of the rejects by their number."""

    taken: int = 0
    repeated: int = 0
    empty: int = 0
    rejects: Counter[str] = field(default_factory=Counter)


def read_forms(
    store: Store, connection: duckdb.DuckDBPyConnection, paths: Sequence[Path]
) -> FormReading:
    """Read filled forms; each judgement that is new and each reject becomes a row of the store.

    A list with the columns `turn` and `verdict` is read as well.

    A row without a verdict was left out by the annotator.

    Raises:
        InputError: a file is no form.
    """
    every = [row for path in paths for row in rows_of_form(path)]
    rows = [row for row in every if row.verdict]
    _find_turns(store, connection, rows)
    drawn = set(read_all(store, DRAWS).filter("drawn").select("draw", "pair_id").iter_rows())
    pairs = {"pairs": sorted({row.pair for row in rows})}
    texts: dict[str, str] = dict(connection.execute(_TEXTS, pairs).fetchall())
    labelled = read_all(store, LABELS).select("annotator", "pair_id", "verdict")
    verdict_of = {(name, pair): verdict for name, pair, verdict in labelled.iter_rows()}
    now = datetime.now(UTC)
    done = FormReading(empty=len(every) - len(rows))
    labels: list[dict[str, Any]] = []
    rejects: list[dict[str, Any]] = []
    for row in rows:
        key = row.annotator, row.pair
        origin = {"form": row.form, "read_at": now}
        if reason := _reason(row, drawn, texts.get(row.pair), verdict_of.get(key)):
            done.rejects[reason] += 1
            raw = json.dumps(row.cells, ensure_ascii=False)[:_RAW]
            rejects.append(origin | {"line": row.line, "reason": reason, "raw": raw})
        elif key in verdict_of:
            done.repeated += 1
        else:
            verdict_of[key] = row.verdict
            given = {"draw": row.cells["draw"], "pair_id": row.pair, "annotator": row.annotator}
            more = {"verdict": row.verdict, "spans": row.cells.get("spans") or None}
            labels.append(origin | given | more | {"form_version": FORM_VERSION})
    done.taken = len(labels)
    for table, table_rows in ((LABELS, labels), (LABEL_REJECTS, rejects)):
        if table_rows:
            name = digest([table.name, now.isoformat(), len(table_rows), str(table_rows[0])])
            add(store, table, name, table_rows)
    return done


def _find_turns(
    store: Store, connection: duckdb.DuckDBPyConnection, rows: Sequence[FormRow]
) -> None:
    """Name the reply and its last draw in the rows that only name a turn; an id of several has none."""
    bare = [row for row in rows if "item" not in row.cells]
    turns = {"turns": sorted({row.cells["turn"] for row in bare})}
    replies_of: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for turn, pair, conversation in connection.execute(_TURNS, turns).fetchall():
        replies_of[turn].add((pair, conversation))
    drawn = read_all(store, DRAWS).filter("drawn").sort("drawn_at")
    draws = dict(drawn.select("pair_id", "draw").iter_rows())
    for row in bare:
        given = row.cells.get("conversation_id", "").strip()
        replies = {pair for pair, talk in replies_of[row.cells["turn"]] if given in {"", talk}}
        row.cells["several"] = str(len(replies)) if len(replies) > 1 else ""
        row.cells["item"] = "" if row.cells["several"] else next(iter(replies), "")
        row.cells["draw"] = draws.get(row.pair, "")


def _reason(row: FormRow, drawn: set[tuple[str, str]], text: str | None, before: str | None) -> str:
    """Return the reason to reject a row; empty if there is none."""
    several, draw = row.cells.get("several"), row.cells["draw"]
    near = difflib.get_close_matches(row.verdict, VERDICTS, 1) or VERDICTS
    unknown, gone = row.verdict not in VERDICTS, text is None
    response = row.cells.get("response", text or "")
    changed = _letters(response) != _letters(text or "")
    reasons = {
        f"The verdict is {row.verdict!r}; it can be {' or '.join(near)}.": unknown,
        f"{several} replies have this id. The column conversation_id can tell them apart; else fill a "
        "form.": several,
        "No draw drew this turn's reply.": "turn" in row.cells and not draw,
        "The form was drawn from another store.": (draw, row.pair) not in drawn,
        "The reply is in the store no more: its log has changed since the form was drawn.": gone,
        "The text of the reply is not that of the store.": changed,
        f"{row.annotator} judges this reply in two ways. Of two people with one name, give one another "
        "name.": before not in {None, row.verdict},
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _letters(text: str) -> str:
    """Return the letters and digits that all encodings have in common, as a spreadsheet leaves them."""
    return "".join(letter for letter in text if letter.isascii() and letter.isalnum())
