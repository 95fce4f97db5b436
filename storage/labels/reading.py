"""Read filled forms into the store: judgements, and rejects with their reasons."""

from __future__ import annotations

import difflib
import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from qsquared.errors import InputError
from qsquared.method.rates.judgements import VERDICTS
from qsquared.storage.keys import digest
from qsquared.storage.labels.form_files import FormRow, rows_of_form
from qsquared.storage.labels.forms import FORM_VERSION
from qsquared.storage.labels.records import add, read_all
from qsquared.storage.outputs.spreadsheets import guarded
from qsquared.storage.tables.registry import DRAWS, LABEL_REJECTS, LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from qsquared.storage.store import Store

_TELLING = ("source", "conversation_id", "line")
"""Columns of a list that tell turns of one id apart; of the path of a log its end is enough."""

_TURNS = f"""
SELECT DISTINCT id, pair_id, {", ".join(f"CAST({name} AS VARCHAR)" for name in _TELLING)} FROM turns
WHERE pair_id IS NOT NULL AND id IN (SELECT unnest($turns)) ORDER BY ALL
"""
_RAW = 500


@dataclass(slots=True)
class FormReading:
    """Numbers of the rows of some forms, and the reasons of the rejects by their number."""

    taken: int = 0
    repeated: int = 0
    twice: int = 0
    empty: int = 0
    rejects: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def read_forms(
    store: Store, connection: duckdb.DuckDBPyConnection, paths: Sequence[Path]
) -> FormReading:
    """Read filled forms; each judgement that is new and each reject becomes a row of the store.

    A list with the columns `turn` and `verdict` is read as well.

    A row without a verdict was left out by the annotator.

    Raises:
        InputError: a file is no form, or does not say whose it is.
    """
    done = FormReading()
    rows = []
    for path in paths:
        for row in rows_of_form(path):
            if row.verdict:
                rows.append(row)
            else:
                done.empty += 1
    _refuse_nameless(store, rows)
    _find_turns(store, connection, rows)
    reasons = _Reasons(store, connection, rows)
    known = frozenset(reasons.judged)
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
        elif key in known:
            done.repeated += 1
        elif key in reasons.judged:
            done.twice += 1
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


def _refuse_nameless(store: Store, rows: Sequence[FormRow]) -> None:
    """Refuse forms without a name in them that would pass for those of one annotator.

    Raises:
        InputError: two files of one name have no annotator, or one was read before.
    """
    homes: dict[str, set[Path]] = defaultdict(set)
    nameless = {
        row.annotator: row.form for row in rows if not row.cells.get("annotator", "").strip()
    }
    for name, form in read_all(store, LABELS).select("annotator", "form").unique().iter_rows():
        homes[name].add(Path(form).resolve())
    for row in rows:
        homes[row.annotator].add(Path(row.form).resolve())
    for name, form in nameless.items():
        if len(homes[name]) > 1:
            others = sorted(str(path) for path in homes[name] - {Path(form).resolve()})
            raise InputError(
                f"{form} names no annotator, and would count as {name!r}, as {others[0]} does. "
                "Nothing was read.",
                "Write who judged into its column annotator.",
            )


def _find_turns(
    store: Store, connection: duckdb.DuckDBPyConnection, rows: Sequence[FormRow]
) -> None:
    """Name the reply and its last draw in the rows that only name a turn."""
    bare = [row for row in rows if "item" not in row.cells]
    turns = sorted({row.cells["turn"] for row in bare})
    found: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for turn, *facts in connection.execute(_TURNS, {"turns": turns}).fetchall():
        found[turn].append(tuple(facts))
    drawn = read_all(store, DRAWS).filter("drawn").sort("drawn_at")
    draws = dict(drawn.select("pair_id", "draw").iter_rows())
    for row in bare:
        row.cells["item"], row.several = _reply_of(row.cells, found[row.cells["turn"]])
        row.cells["draw"] = draws.get(row.pair, "")


def _reply_of(cells: dict[str, str], turns: list[tuple[str, ...]]) -> tuple[str, str]:
    """Return the reply of the turn that a row of a list names, or why it is not known."""
    for place, name in enumerate(_TELLING, start=1):
        if said := cells.get(name, "").strip():
            turns = [one for one in turns if f"/{one[place]}".endswith(f"/{said}")]
    replies = {one[0] for one in turns}
    if len(replies) < 2:
        return next(iter(replies), ""), ""
    telling = [
        name
        for place, name in enumerate(_TELLING, start=1)
        if len({one[place] for one in turns}) > 1
    ]
    column = f"The column {telling[0]} tells them apart" if telling else "Fill a form instead"
    return "", f"{len(turns):,} turns have this id. {column}."


class _Reasons:
    """Reasons to reject rows: what the store says of them, and what they say of each other."""

    def __init__(
        self, store: Store, connection: duckdb.DuckDBPyConnection, rows: Sequence[FormRow]
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

    def of(self, row: FormRow) -> str:
        """Return the reason to reject a row; empty if there is none."""
        version = row.cells.get("form_version") or str(FORM_VERSION)
        if row.verdict not in VERDICTS:
            near = difflib.get_close_matches(row.verdict, VERDICTS, 1)
            return f"The verdict is {row.verdict!r}; it can be {' or '.join(near or VERDICTS)}."
        if version != str(FORM_VERSION):
            return f"The form has version {version}; this program reads version {FORM_VERSION}."
        return self._of_reply(row) or self._of_annotator(row)

    def _of_reply(self, row: FormRow) -> str:
        if "turn" in row.cells and not row.cells["draw"]:
            return row.several or "No draw drew this turn's reply."
        if row.cells["draw"] not in self._draws:
            return "The form was drawn from another store."
        if (row.cells["draw"], row.pair) not in self._drawn:
            return "The draw did not draw this reply."
        if row.pair not in self._plain:
            return (
                "The reply is in the store no more: its log has changed since the form was drawn."
            )
        shown = _same_lines(row.cells.get("response", self._plain[row.pair]))
        there = {self._plain[row.pair], self._guarded[row.pair]}
        if not row.encoding.startswith("utf"):
            # A spreadsheet of one country lacks the letters of others, and is not told for certain.
            shown, there = _ascii(shown), set(map(_ascii, there))
        if shown not in map(_same_lines, there):
            return "The text of the reply is not that of the store."
        return ""

    def _of_annotator(self, row: FormRow) -> str:
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


def _ascii(text: str) -> str:
    """Return the letters and digits that all encodings have in common."""
    return "".join(letter for letter in text if letter.isascii() and letter.isalnum())
