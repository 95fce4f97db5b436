"""Read filled forms into the store: judgements, and rejects with their reasons."""

from __future__ import annotations

import csv
import difflib
import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import polars as pl

from qsquared.errors import InputError
from qsquared.method.rates.judgements import VERDICTS
from qsquared.storage.keys import digest
from qsquared.storage.labels.forms import FORM_VERSION
from qsquared.storage.labels.records import add, read_all
from qsquared.storage.outputs.spreadsheets import guarded
from qsquared.storage.tables.labels import DRAWS, LABEL_REJECTS, LABELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb

    from qsquared.storage.store import Store

_NEEDED = ("draw", "item", "verdict")
_NEEDED_OF_LISTS = ("turn", "verdict")
"""Columns of a list of judgements that no form of ours was filled for."""

_TURNS = "SELECT DISTINCT ON (id) id, pair_id FROM turns WHERE id IN (SELECT unnest($turns))"
_LONGEST_CELL = 1 << 27
_RAW = 500
_MOST_ROWS = 100_000


@dataclass(slots=True)
class FormReading:
    """Numbers of the rows of some forms, and the reasons of the rejects by their number."""

    taken: int = 0
    repeated: int = 0
    empty: int = 0
    rejects: dict[str, int] = field(default_factory=lambda: defaultdict(int))


@dataclass(frozen=True, slots=True)
class _Row:
    form: str
    line: int
    cells: dict[str, str]
    annotator: str
    verdict: str

    @property
    def pair(self) -> str:
        return self.cells["item"]


def read_forms(
    store: Store, connection: duckdb.DuckDBPyConnection, paths: Sequence[Path]
) -> FormReading:
    """Read filled forms; each judgement that is new and each reject becomes a row of the store.

    A list with the columns `turn` and `verdict` is read as well.

    A row without a verdict was left out by the annotator.

    Raises:
        InputError: a file is no form.
    """
    done = FormReading()
    rows = []
    for path in paths:
        for row in _rows(path):
            if row.verdict:
                rows.append(row)
            else:
                done.empty += 1
    _find_turns(store, connection, rows)
    reasons = _Reasons(store, connection, rows)
    now = datetime.now(UTC)
    labels: list[dict[str, Any]] = []
    rejects: list[dict[str, Any]] = []
    for row in rows:
        key = row.annotator, row.pair
        if reason := reasons.of(row):
            done.rejects[reason] += 1
            raw = json.dumps(row.cells, ensure_ascii=False)[:_RAW]
            rejects.append(
                {"form": row.form, "line": row.line, "reason": reason, "raw": raw, "read_at": now}
            )
        elif key in reasons.judged:
            done.repeated += 1
        else:
            reasons.judged[key] = row.verdict
            labels.append(
                {
                    "draw": row.cells["draw"],
                    "pair_id": row.pair,
                    "annotator": row.annotator,
                    "verdict": row.verdict,
                    "spans": row.cells.get("spans") or None,
                    "form": row.form,
                    "form_version": int(row.cells.get("form_version") or FORM_VERSION),
                    "read_at": now,
                }
            )
    done.taken = len(labels)
    for table, found in ((LABELS, labels), (LABEL_REJECTS, rejects)):
        if found:
            add(
                store,
                table,
                digest([table.name, now.isoformat(), len(found), str(found[0])]),
                found,
            )
    return done


def _find_turns(store: Store, connection: duckdb.DuckDBPyConnection, rows: Sequence[_Row]) -> None:
    """Name the reply and its last draw in the rows that only name a turn."""
    bare = [row for row in rows if "item" not in row.cells]
    turns = sorted({row.cells["turn"] for row in bare})
    pairs = dict(connection.execute(_TURNS, {"turns": turns}).fetchall())
    drawn = read_all(store, DRAWS).filter("drawn").sort("drawn_at")
    draws = dict(drawn.select("pair_id", "draw").iter_rows())
    for row in bare:
        row.cells["item"] = pairs.get(row.cells["turn"]) or ""
        row.cells["draw"] = draws.get(row.pair, "")


class _Reasons:
    """Reasons to reject rows: what the store says of them, and what they say of each other."""

    def __init__(
        self, store: Store, connection: duckdb.DuckDBPyConnection, rows: Sequence[_Row]
    ) -> None:
        draws = read_all(store, DRAWS).filter("drawn")
        self._draws = set(draws["draw"].to_list())
        self._drawn = set(draws.select("draw", "pair_id").iter_rows())
        pairs = sorted({row.pair for row in rows})
        texts = connection.execute(
            "SELECT DISTINCT pair_id, response FROM turns WHERE pair_id IN (SELECT unnest($pairs))",
            {"pairs": pairs},
        ).fetchall()
        frame = pl.DataFrame(texts, schema=["pair_id", "text"], orient="row") if texts else None
        self._plain: dict[str, str] = dict(texts)
        self._guarded: dict[str, str] = {} if frame is None else dict(guarded(frame).iter_rows())
        labels = read_all(store, LABELS)
        self.judged: dict[tuple[str, str], str] = {
            (name, pair): verdict
            for name, pair, verdict in labels.select("annotator", "pair_id", "verdict").iter_rows()
        }
        self._now: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in rows:
            self._now[row.annotator, row.pair].add(row.verdict)

    def of(self, row: _Row) -> str:
        """Return the reason to reject a row; empty if there is none."""
        version = row.cells.get("form_version") or str(FORM_VERSION)
        if row.verdict not in VERDICTS:
            near = difflib.get_close_matches(row.verdict, VERDICTS, 1)
            return f"The verdict is {row.verdict!r}; it can be {' or '.join(near or VERDICTS)}."
        if version != str(FORM_VERSION):
            return f"The form has version {version}; this program reads version {FORM_VERSION}."
        return self._of_reply(row) or self._of_annotator(row)

    def _of_reply(self, row: _Row) -> str:
        if "turn" in row.cells and not row.cells["draw"]:
            return "No draw drew this turn's reply."
        if row.cells["draw"] not in self._draws:
            return "The form was drawn from another store."
        if (row.cells["draw"], row.pair) not in self._drawn:
            return "The draw did not draw this reply."
        if row.pair not in self._plain:
            return (
                "The reply is in the store no more: its log has changed since the form was drawn."
            )
        shown = _same_lines(row.cells.get("response", self._plain[row.pair]))
        there = (self._plain[row.pair], self._guarded[row.pair])
        if shown not in map(_same_lines, there):
            return "The text of the reply is not that of the store."
        return ""

    def _of_annotator(self, row: _Row) -> str:
        key = row.annotator, row.pair
        if self.judged.get(key, row.verdict) == row.verdict and len(self._now[key]) == 1:
            return ""
        return (
            f"{row.annotator} judges this reply in two ways. Of two people with one name, give one "
            "another name."
        )


def _same_lines(text: str) -> str:
    """Return a text with the line ends that a CSV may change made equal."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _rows(path: Path) -> Iterator[_Row]:
    """Yield the rows of a form.

    Raises:
        InputError: the file cannot be read, or lacks a column.
    """
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle)
            names = reader.fieldnames or []
            needed = _NEEDED_OF_LISTS if "turn" in names and "item" not in names else _NEEDED
            if missing := [name for name in needed if name not in names]:
                near = difflib.get_close_matches(missing[0], names, 1)
                raise InputError(
                    f"{path} has no column {missing[0]}"
                    f"{f'; it has {near[0]}' if near else ''}. Nothing of it was read.",
                    "Name its columns as `q2 label draw` did, and read it again.",
                )
            for number, given in enumerate(reader, start=1):
                if number > _MOST_ROWS:
                    raise InputError(
                        f"{path} has more than {_MOST_ROWS:,} rows. Nothing of it was read.",
                        "A form has a row for each drawn reply: give the file that was filled.",
                    )
                cells = {name: value for name, value in given.items() if isinstance(value, str)}
                yield _Row(
                    str(path),
                    reader.line_num,
                    dict.fromkeys(needed, "") | cells,
                    cells.get("annotator", "").strip() or path.stem,
                    cells.get("verdict", "").strip().lower(),
                )
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {error}.", "Give a form as CSV.") from error
    finally:
        csv.field_size_limit(before)
