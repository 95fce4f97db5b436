"""What a run is about and what came of it: its turns, their scores, the summary, the export."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb

from qsquared.errors import UsageError
from qsquared.storage.atomic import publish, temporary_path
from qsquared.storage.catalogue import MEMORY_LIMIT, files, quote
from qsquared.storage.checks import Checks
from qsquared.storage.places import let_read
from qsquared.storage.queries import spill_folder
from qsquared.storage.spreadsheets import guarded_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from qsquared.storage.store import Store

CONFIDENCE = 0.95
EXPORTS = {
    ".parquet": "FORMAT parquet, COMPRESSION zstd",
    ".csv": "FORMAT csv, HEADER true",
    ".jsonl": "FORMAT json",
}
_LOGGED = ("id", "conversation_id", "reason", "response")
"""Texts of an export that a log, or whoever writes into one, decides."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The turns that a run is about: inputs by fingerprint, in order, and at most ``limit`` turns.

    The same content under two paths comes twice.
    """

    inputs: tuple[str, ...]
    limit: int | None = None

    def sql(self, store: Store) -> str:
        """The turns as a query with a column ``ordinal`` more, in no order.

        With a limit they are the first in the order of the logs.
        """
        rows = ", ".join(f"({i}, {quote(name)})" for i, name in enumerate(self.inputs))
        paths = [store.turns_path(name) for name in dict.fromkeys(self.inputs)]
        # Sorting a whole log, with its texts, would take memory in proportion to it.
        limit = (
            "" if self.limit is None else f" ORDER BY i.ordinal, t.position LIMIT {int(self.limit)}"
        )
        return (
            f"SELECT i.ordinal, t.* FROM {files(paths)} t "
            f"JOIN (VALUES {rows}) i(ordinal, input) ON t.input = i.input{limit}"
        )


def _connect(store: Store) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    let_read(connection, store.root)
    spill = spill_folder(store.root)
    connection.execute(f"SET memory_limit = '{MEMORY_LIMIT}'")
    connection.execute(f"SET temp_directory = {quote(spill)}")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def first_reject(store: Store, selection: Selection) -> str | None:
    """The reason of the first reject of the selected inputs, if there is one."""
    for name in selection.inputs:
        with _connect(store) as connection:
            found = connection.execute(
                f"SELECT reason FROM {files([store.rejects_path(name)])} ORDER BY position LIMIT 1"
            ).fetchone()
        if found is not None:
            return str(found[0])
    return None


def turns_by_shard(store: Store, selection: Selection, shards: Iterable[str]) -> dict[str, int]:
    """How many of the selected turns each shard scores."""
    paths = [store.pairs_path(shard) for shard in shards]
    if not paths:
        return {}
    with _connect(store) as connection:
        counted = connection.execute(
            f"SELECT parse_filename(p.filename, true), count(*) FROM ({selection.sql(store)}) t "
            f"JOIN (SELECT pair_id, filename FROM {files(paths)}) p USING (pair_id) GROUP BY ALL"
        ).fetchall()
    return {str(shard): int(turns) for shard, turns in counted}


def distinct_pairs(store: Store, selection: Selection) -> set[str]:
    """The pairs that the selected turns reduce to."""
    with _connect(store) as connection:
        found = connection.execute(
            f"SELECT DISTINCT pair_id FROM ({selection.sql(store)}) WHERE pair_id IS NOT NULL"
        ).fetchall()
    return {pair for (pair,) in found}


def scored_pairs(store: Store, lineage: str) -> set[str]:
    """The pairs that have a row in the sound scores of a lineage."""
    every = sorted((store.root / "stages" / "scores" / lineage).glob("[!.]*.parquet"))
    checks = Checks(store)
    paths = [path for path in every if checks.is_sound(path)]
    if not paths:
        return set()
    with _connect(store) as connection:
        found = connection.execute(f"SELECT pair_id FROM {files(paths)}").fetchall()
    return {pair for (pair,) in found}


def check_results(store: Store, selection: Selection, scores: Iterable[Path]) -> None:
    """Check the tables that the results are taken from; a long run checked them hours ago.

    Raises:
        DamagedFile: a table was damaged meanwhile.
    """
    checks = Checks(store)
    checks.tables(store.turns_path(name) for name in dict.fromkeys(selection.inputs))
    checks.tables(scores)


_SCORED = """
SELECT t.ordinal, t.position, t.line, t.id, t.conversation_id, t.turn, t.timestamp,
       s.q2, s.q2_without_nli,
       coalesce(t.status, s.status, 'pending') AS status,
       coalesce(t.reason, s.reason) AS reason,
       coalesce(s.questions, 0) AS questions,
       s.spans, s.questions_generated, s.no_answer, s.contradicted, s.nli_label,
       t.response, t.metadata, t.pair_id, t.input
FROM ({turns}) t LEFT JOIN ({scores}) s ON t.pair_id = s.pair_id
"""


def _scored(
    store: Store, selection: Selection, scores: Sequence[Path], blends: Sequence[Path] = ()
) -> str:
    found = (
        f"SELECT * FROM {files(scores)}"
        if scores
        else "SELECT NULL AS pair_id, NULL::DOUBLE AS q2, NULL::DOUBLE AS q2_without_nli, "
        "NULL AS status, NULL AS reason, NULL::INT AS questions, NULL::INT AS spans, "
        "NULL::INT AS questions_generated, NULL::INT AS no_answer, NULL::INT AS contradicted, "
        "NULL AS nli_label WHERE false"
    )
    scored = _SCORED.format(turns=selection.sql(store), scores=found)
    if not blends:
        return scored
    return (
        f"SELECT s.*, b.blend, b.nli, b.token_f1 FROM ({scored}) s "
        f"LEFT JOIN {files(blends)} b ON s.pair_id = b.pair_id"
    )


def mean_blend(
    store: Store, selection: Selection, scores: Sequence[Path], blends: Sequence[Path]
) -> float | None:
    """The mean blend over all turns that have one."""
    with _connect(store) as connection:
        found = connection.execute(
            f"SELECT avg(blend ORDER BY blend) FROM ({_scored(store, selection, scores, blends)})"
        ).fetchone()
    return None if found is None else found[0]


def _interval(mean: float | None, deviation: float | None, count: int) -> list[float] | None:
    """Student's t interval of a mean, cut to [0, 1]; None for fewer than two scores."""
    if mean is None or deviation is None or count < 2:
        return None
    from scipy.special import stdtrit  # scipy's stats take a second to import

    half = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * deviation / math.sqrt(count)
    return [max(0.0, mean - half), min(1.0, mean + half)]


def summarise(store: Store, selection: Selection, scores: Sequence[Path]) -> dict[str, Any]:
    """Counts by status and reason, and the mean scores with 95 % intervals.

    The mean is over all scored turns (fallback included), so a reply that was given often counts
    often; the interval treats turns as independent.
    """
    with _connect(store) as connection:
        connection.execute(
            "CREATE TEMP TABLE t AS "
            "SELECT id, pair_id, status, reason, q2, q2_without_nli, questions "
            f"FROM ({_scored(store, selection, scores)})"
        )
        statuses = connection.execute(
            "SELECT status, count(*) FROM t GROUP BY ALL ORDER BY 2 DESC, 1"
        ).fetchall()
        reasons = connection.execute(
            "SELECT status, reason, count(*) FROM t WHERE q2 IS NULL GROUP BY ALL ORDER BY 3 DESC, 2"
        ).fetchall()
        totals = connection.execute(
            # Sums of floats depend on their order, which threads change, so each is given one.
            "SELECT count(*), count(q2), avg(q2 ORDER BY q2), stddev_samp(q2 ORDER BY q2), "
            "avg(q2_without_nli ORDER BY q2_without_nli), "
            "count(DISTINCT pair_id), coalesce(sum(questions), 0) FROM t"
        ).fetchone()
        repeated = connection.execute(
            "SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) n FROM t GROUP BY id)"
        ).fetchone()
    assert totals is not None
    assert repeated is not None
    turns, scored, mean, deviation, without, pairs, questions = totals
    return {
        "turns": turns,
        "pairs": pairs,
        "scored_turns": scored,
        "questions": int(questions),
        "statuses": {str(status): int(number) for status, number in statuses},
        "unscored": [
            {"status": status, "reason": reason, "turns": number}
            for status, reason, number in reasons
        ],
        "mean_q2": mean,
        "mean_q2_interval": _interval(mean, deviation, scored),
        "mean_q2_without_nli": without,
        "repeated_ids": int(repeated[0]),
    }


def lowest(
    store: Store, selection: Selection, scores: Sequence[Path], number: int
) -> list[Mapping[str, Any]]:
    """The replies with the lowest scores among those scored by questions, one for each pair."""
    scored = _scored(store, selection, scores)
    with _connect(store) as connection:
        found = connection.execute(
            # First which they are, and then their texts: those of all turns would fill memory.
            "WITH low AS (SELECT q2, min({'ordinal': ordinal, 'position': position}) AS place "
            f"FROM ({scored}) WHERE status = 'scored' GROUP BY pair_id, q2 "
            f"ORDER BY q2, place LIMIT {int(number)}) "
            f"SELECT s.id, low.q2, s.response FROM ({scored}) s "
            "JOIN low ON s.ordinal = low.place.ordinal AND s.position = low.place.position "
            "ORDER BY low.q2, low.place"
        )
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def export(
    store: Store,
    selection: Selection,
    scores: Sequence[Path],
    out: Path,
    blends: Sequence[Path] = (),
) -> int:
    """Write one row for each selected turn, in the order of the logs; gives the number of rows.

    With the files of ``blends`` each row has the blend and its parts, too.

    In a CSV, a text that a spreadsheet would run as a formula has a single quote before it.

    Raises:
        UsageError: the extension of ``out`` names no known format, or it cannot be written.
    """
    form = out.suffix.lower()
    options = EXPORTS.get(form)
    if options is None:
        raise UsageError(
            f"--out {out} has no known extension.", f"Use one of: {', '.join(sorted(EXPORTS))}"
        )
    safe = ", ".join(f'{guarded_column(name)} AS "{name}"' for name in _LOGGED)
    guard = f"REPLACE ({safe})" if form == ".csv" else ""
    temporary = temporary_path(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with _connect(store) as connection:
            row = connection.execute(
                f"COPY (SELECT * EXCLUDE (ordinal, position, input) {guard} FROM "
                f"({_scored(store, selection, scores, blends)}) ORDER BY ordinal, position) "
                f"TO {quote(temporary)} ({options})"
            ).fetchone()
        publish(temporary, out)
    except (OSError, duckdb.IOException) as error:
        raise UsageError(f"The file {out} cannot be written: {error}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return int(row[0]) if row else 0
