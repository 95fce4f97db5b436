"""Draw replies for people to judge, record how they were drawn, and write forms with them.

A form is a CSV for a spreadsheet or one HTML page for a browser.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import polars as pl

from qsquared.errors import UsageError
from qsquared.method.rates.design import (
    LABELS_IN_STRATUM,
    allocate,
    chances_of,
    draw,
    equal_shares,
    strata,
    usual_risk,
)
from qsquared.method.threshold import is_inconsistent
from qsquared.storage.files.atomic import written_whole
from qsquared.storage.keys import digest
from qsquared.storage.labels.judged_replies import (
    RATE,
    VERDICTS,
    Score,
    add,
    draws_for_rates,
    judged_replies,
)
from qsquared.storage.outputs.spreadsheets import guarded
from qsquared.storage.store import Store, store_option
from qsquared.storage.tables import DRAWS

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw: its name, its replies in random order, and the score of each."""

    name: str
    scores: dict[str, float]


def draw_replies(store: Store, replies: pl.DataFrame, score: Score, number: int) -> Drawn:
    """Draw replies that no earlier draw brought a judgement of, and write the draw into the store.

    Args:
        store: the store.
        replies: the selected ones (`qsquared.storage.labels.judged_replies.selected`).
        score: the score that they are drawn by.
        number: how many to draw; all that are left, if there are fewer.

    Raises:
        UsageError: all are judged, or there are too many groups for so few.
    """
    scored = replies.filter(pl.col("score").is_not_null())
    if scored.is_empty():
        raise UsageError(
            "None of the selected replies has a score.",
            f"Score the log: q2 score LOGS {store_option(store)}",
        )
    judged = judged_replies(store).drop_nulls("judged").select("pair_id", "judged")
    earlier = draws_for_rates(store)["draw"].n_unique()
    # Else it would take the same again of which the form before has not come back.
    rng = np.random.default_rng([0, earlier] if earlier else 0)
    frame = _one_row_each(scored).join(judged, "pair_id", "left", maintain_order="left")
    frame, places = _drawn(frame, number, rng)
    if not len(places):
        raise UsageError(
            "Each of the selected replies that has a score is judged.", "Select other turns."
        )
    pairs, values = frame["pair_id"], frame["score"]
    scores = {pairs[index]: values[index] for index in places.tolist()}
    now = datetime.now(UTC)
    name = digest(["draw", RATE, score.configuration, score.measure, list(scores), now.isoformat()])
    every = {
        "draw": name,
        "drawn_at": now,
        "purpose": RATE,
        "measure": score.measure,
        "configuration": score.configuration,
        "overlap": False,
    }
    rows = frame.select("pair_id", "score", "turns", "chance", "free").iter_rows(named=True)
    add(store, DRAWS, name, [every | row | {"drawn": row["pair_id"] in scores} for row in rows])
    return Drawn(name, scores)


def _one_row_each(replies: pl.DataFrame) -> pl.DataFrame:
    """Return each reply once, with all its turns, in the group that gave it most often."""
    ordered = replies.sort("turns", "group", descending=[True, False], nulls_last=True)
    others = [pl.first("score"), pl.first("group"), pl.sum("turns")]
    return ordered.group_by("pair_id").agg(others).sort("pair_id")


def _drawn(
    frame: pl.DataFrame, number: int, rng: np.random.Generator
) -> tuple[pl.DataFrame, Indices]:
    """Return all replies with their chances, and the places of the drawn ones.

    A reply that was judged before has the chance that it would have, were it not.
    """
    frame = frame.with_columns(free=pl.col("judged").is_null())
    free = frame["free"].to_numpy()
    turns = frame["turns"].to_numpy().astype(float)
    predictions = 1 - frame["score"].to_numpy()
    groups = frame["group"].fill_null("")
    names = groups.unique().sort().to_list()
    least = min(LABELS_IN_STRATUM * len(names), int(free.sum()))
    if number < least:
        parts = f"{len(names):,} groups" if len(names) > 1 else "a rate"
        raise UsageError(f"{number:,} replies are too few for {parts}.", f"Draw {least:,} or more.")
    risk = usual_risk(predictions, turns)
    cells = np.zeros(len(frame), dtype=np.intp)
    labels_of: list[int] = []
    of_group = [(groups == name).to_numpy() for name in names]
    shares = equal_shares([int(free[inside].sum()) for inside in of_group], number)
    for inside, share in zip(of_group, shares, strict=True):
        strata_of_group = strata(predictions[inside], turns[inside], share)
        cells[inside] = strata_of_group + len(labels_of)
        left = free[inside]
        given = np.zeros(int(strata_of_group.max()) + 1, dtype=np.intp)
        if left.any():
            dense, back = np.unique(strata_of_group[left], return_inverse=True)
            given[dense] = allocate(
                back.astype(np.intp), turns[inside][left], risk[inside][left], share
            )
        labels_of += given.tolist()
    chances = np.zeros(len(frame))
    labels = np.array(labels_of)
    chances[free] = chances_of(cells[free], turns[free], labels)
    unjudged = np.bincount(cells[free], turns[free], len(labels))
    rates = np.divide(labels, unjudged, out=np.ones(len(labels)), where=unjudged > 0)
    chances[~free] = np.minimum(1.0, turns[~free] * rates[cells[~free]])
    places = np.flatnonzero(free)[draw(cells[free], chances[free], rng)]
    return frame.with_columns(chance=pl.Series(chances)), places


FORM_VERSION = 1
"""Raised when the form or its guidelines change in a way that could change a judgement."""

TEXTS = ("draw", "item", "turn", "history", "knowledge", "response")
ANSWERS = ("annotator", "verdict", "spans")

GUIDELINES = (
    "Compare the reply with the knowledge only, whatever you know yourself.",
    "Consistent: all that the reply states as a fact is supported by the knowledge.",
    "Inconsistent: at least one statement contradicts the knowledge or cannot be found in it.",
    "Ignore chit-chat: greetings, questions, opinions and what the speaker tells of itself.",
    "If you like, mark the words that make it inconsistent.",
)
"""After the instructions to annotators in Q²'s appendix (Honovich et al. 2021); the wording is ours."""

_ROWS = """
SELECT t.pair_id, any_value(t.id), coalesce(any_value(array_to_string(t.history, chr(10))), ''),
       any_value(array_to_string(t.knowledge, chr(10))), any_value(t.response)
FROM (FROM turns WHERE pair_id IN (SELECT unnest($pairs)) ORDER BY input, position) t GROUP BY ALL
"""


def write_form(connection: duckdb.DuckDBPyConnection, drawn: Drawn, out: Path) -> int:
    """Write a form with drawn replies in their random order, and return their number.

    A file that ends in ``.html`` is a page for a browser, any other a CSV; only the page has the
    scores, and shows each after its judgement.

    Raises:
        UsageError: the file cannot be written.
    """
    pairs = list(drawn.scores)
    row_of = {row[0]: row for row in connection.execute(_ROWS, {"pairs": pairs}).fetchall()}
    rows = [(drawn.name, *row_of[pair]) for pair in pairs if pair in row_of]
    with written_whole(out) as temporary:
        if out.suffix.lower() == ".html":
            temporary.write_text(_page(rows, drawn.scores), encoding="utf-8")
        else:
            frame = pl.DataFrame(rows, schema=dict.fromkeys(TEXTS, pl.String), orient="row")
            blank = dict.fromkeys(ANSWERS, pl.lit(""))
            form = frame.with_columns(**blank, form_version=pl.lit(FORM_VERSION))
            guarded(form).write_csv(temporary)
    return len(rows)


def _page(rows: list[tuple[str, ...]], scores: dict[str, float]) -> str:
    """Return the page with the form as JSON, in which no text can end its element."""
    form: dict[str, Any] = {
        "rows": [
            dict(zip(TEXTS, row, strict=True))
            | {
                "score": round(scores[row[1]], 3),
                "model": VERDICTS[is_inconsistent(scores[row[1]])],
            }
            for row in rows
        ],
        "columns": ("draw", "item", *ANSWERS, "form_version"),
        "verdicts": VERDICTS,
        "guidelines": GUIDELINES,
        "version": FORM_VERSION,
    }
    text = json.dumps(form, ensure_ascii=False).replace("<", "\\u003c")
    page = files("qsquared.storage.labels").joinpath("label_form.html").read_text(encoding="utf-8")
    return page.replace("{{ form }}", text)
