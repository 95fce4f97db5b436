"""Draw replies for people to judge, and record how they were drawn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
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
from qsquared.method.rates.logistic import fit_logistic
from qsquared.storage.keys import digest
from qsquared.storage.labels.records import (
    HARDEST,
    RATE,
    add,
    judged_replies,
    read_all,
)
from qsquared.storage.records.store_index import store_option
from qsquared.storage.tables.registry import DRAWS, LABELS

if TYPE_CHECKING:
    import numpy.typing as npt

    from qsquared.storage.labels.selection import Score
    from qsquared.storage.store import Store

    Array = npt.NDArray[np.float64]
    Indices = npt.NDArray[np.intp]

_ENOUGH_KNOWN = 30


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw: its name, its replies in random order, and those for a second annotator."""

    name: str
    pairs: tuple[str, ...]
    overlap: frozenset[str]


def draw_replies(
    store: Store,
    replies: pl.DataFrame,
    score: Score,
    number: int,
    *,
    purpose: str = RATE,
    seed: int = 0,
    overlap: int = 0,
) -> Drawn:
    """Draw replies that nobody has judged yet, and write the draw into the store.

    A draw for a rate can take those, too, that only a draw of another purpose or by other scores
    brought a judgement of: else they would be missing in its sample.

    Args:
        store: the store.
        replies: the selected ones (`qsquared.storage.labels.selection.selected`); for the purpose
            `disagreement` with a column `spread`, how far the metrics are at odds.
        score: the score that they are drawn by.
        number: how many to draw; all that are left, if there are fewer.
        purpose: see `PURPOSES`.
        seed: another one draws others.
        overlap: how many of them a second annotator judges, too.

    Raises:
        UsageError: all are judged, or there are too many groups for so few.
    """
    draws = read_all(store, DRAWS)
    judged = set(judged_replies(store)["pair_id"].to_list())
    for_rates = draws.filter((pl.col("purpose") == RATE) & pl.col("drawn"))
    scored = replies.filter(pl.col("score").is_not_null())
    if scored.is_empty():
        raise UsageError(
            "None of the selected replies has a score.",
            f"Score the log: q2 score LOGS {store_option(store)}",
        )
    if purpose == RATE:
        alike = for_rates.filter(pl.col("configuration") == score.configuration)
        earlier = for_rates["draw"].n_unique()
        frame, places = _for_rates(
            store,
            scored,
            judged & set(alike["pair_id"].to_list()),
            number,
            # Else it would take the same again of which the form before has not come back.
            [seed, earlier] if earlier else seed,
        )
    else:
        asked = list(judged | set(for_rates["pair_id"].to_list()))
        frame = _one_row_each(scored.filter(~pl.col("pair_id").is_in(asked)))
        order = "score" if purpose == HARDEST else "spread"
        frame = frame.with_columns(chance=pl.lit(0.0), free=pl.lit(value=True)).sort(
            order, "pair_id", descending=[purpose != HARDEST, False]
        )
        frame = frame.head(number)
        places = np.random.default_rng(seed).permutation(len(frame))
    if not len(places):
        raise UsageError(
            "Each of the selected replies that has a score is judged, or drawn for a rate.",
            "Select other turns, or write the form of a draw again: q2 label draw --again DRAW --out FORM "
            f"{store_option(store)}",
        )
    pairs = frame["pair_id"].to_list()
    drawn = tuple(pairs[place] for place in places)
    second = frozenset(drawn[: min(overlap, len(drawn))])
    now = datetime.now(UTC)
    name = digest(
        ["draw", purpose, score.configuration, score.measure, seed, drawn, now.isoformat()]
    )
    rows = _rows(frame, set(drawn), second, name, now, purpose, score)
    add(store, DRAWS, name, rows)
    return Drawn(name, drawn, second)


def drawn_again(store: Store, draw: str) -> tuple[Drawn, Drawn, dict[str, float]]:
    """Return what is not judged yet of a draw, in random order, and the score of each reply.

    The second of the two is what lacks the judgement of a second annotator.

    Args:
        store: the store.
        draw: the name of the draw, or its beginning.

    Raises:
        UsageError: no draw, or more than one, has that name, or all of it is judged.
    """
    draws = read_all(store, DRAWS).filter("drawn").sort("drawn_at")
    labels = read_all(store, LABELS)
    judgements = labels.group_by("pair_id").agg(annotators=pl.col("annotator").n_unique())
    draws = draws.join(judgements, "pair_id", "left").with_columns(
        pl.col("annotators").fill_null(0)
    )
    names = [name for name in draws["draw"].unique(maintain_order=True) if name.startswith(draw)]
    if len(names) != 1 or not draw:
        rows = draws.group_by("draw", maintain_order=True).agg(
            pl.first("drawn_at"), pl.len(), judged=(pl.col("annotators") > 0).sum()
        )
        known = "; ".join(
            f"{name[:8]} of {at:%Y-%m-%d %H:%M}, {judged:,} of {number:,} judged"
            for name, at, number, judged in rows.iter_rows()
        )
        raise UsageError(
            f"{'Several draws begin' if names else 'No draw begins'} with {draw!r}.",
            f"Draws: {known or 'none'}.",
        )
    own = draws.filter(pl.col("draw") == names[0]).sort("pair_id")
    rest = own.filter(pl.col("annotators") == 0)
    second = own.filter(pl.col("overlap") & (pl.col("annotators") < 2))
    if rest.is_empty() and second.is_empty():
        raise UsageError(
            f"All {len(own):,} replies of the draw {names[0][:8]} are judged.",
            f"Draw others: q2 label draw --n 100 --out form.html {store_option(store)}",
        )
    found = []
    for part in (rest, second):
        order = np.random.default_rng(int(names[0], 16)).permutation(len(part))
        pairs = tuple(part["pair_id"][int(place)] for place in order)
        found.append(Drawn(names[0], pairs, frozenset()))
    return found[0], found[1], dict(own.select("pair_id", "score").iter_rows())


def unanswered_draws(store: Store) -> list[str]:
    """Return the names of the draws for a rate that no judgement has come of."""
    judged = judged_replies(store)
    rows = read_all(store, DRAWS).filter((pl.col("purpose") == RATE) & pl.col("drawn"))
    answered = set(rows.join(judged, "pair_id", "semi")["draw"].to_list())
    names = rows.sort("drawn_at")["draw"].unique(maintain_order=True).to_list()
    return [name for name in names if name not in answered]


def _rows(
    frame: pl.DataFrame,
    drawn: set[str],
    second: frozenset[str],
    name: str,
    now: datetime,
    purpose: str,
    score: Score,
) -> list[dict[str, Any]]:
    every = {
        "draw": name,
        "drawn_at": now,
        "purpose": purpose,
        "measure": score.measure,
        "configuration": score.configuration,
    }
    return [
        every | row | {"drawn": row["pair_id"] in drawn, "overlap": row["pair_id"] in second}
        for row in frame.select("pair_id", "score", "turns", "chance", "free").iter_rows(named=True)
    ]


def _one_row_each(replies: pl.DataFrame) -> pl.DataFrame:
    """Return each reply once, with all its turns, in the group that gave it most often."""
    ordered = replies.sort("turns", "group", descending=[True, False], nulls_last=True)
    others = [pl.first("score"), pl.first("group"), pl.sum("turns")]
    if "spread" in replies.columns:
        others.append(pl.first("spread"))
    return ordered.group_by("pair_id").agg(others).sort("pair_id")


def _for_rates(
    store: Store, scored: pl.DataFrame, judged: set[str], number: int, seed: int | list[int]
) -> tuple[pl.DataFrame, Indices]:
    """Return all replies with their chances, and the places of the drawn ones.

    A reply that was judged before has the chance that it would have, were it not.
    """
    frame = _one_row_each(scored)
    free = ~np.array([pair in judged for pair in frame["pair_id"]], dtype=bool)
    frame = frame.with_columns(free=pl.Series(free))
    turns = frame["turns"].to_numpy().astype(float)
    predictions = 1 - frame["score"].to_numpy()
    groups = frame["group"].fill_null("").to_list()
    names = sorted(set(groups))
    least = min(least_drawn(len(names)), int(free.sum()))
    if number < least:
        parts = f"{len(names):,} groups" if len(names) > 1 else "a rate"
        raise UsageError(f"{number:,} replies are too few for {parts}.", f"Draw {least:,} or more.")
    if not free.any():
        return frame.with_columns(chance=pl.lit(1.0)), np.zeros(0, dtype=np.intp)
    risk = _risk(store, frame, predictions, turns)
    cells = np.zeros(len(frame), dtype=np.intp)
    wanted: list[int] = []
    of_group = [np.array([group == name for group in groups]) for name in names]
    shares = equal_shares([int(free[inside].sum()) for inside in of_group], number)
    for inside, share in zip(of_group, shares, strict=True):
        own = strata(predictions[inside], turns[inside], share)
        cells[inside] = own + len(wanted)
        left = free[inside]
        given = np.zeros(int(own.max()) + 1, dtype=np.intp)
        if left.any():
            dense, back = np.unique(own[left], return_inverse=True)
            given[dense] = allocate(
                back.astype(np.intp), turns[inside][left], risk[inside][left], share
            )
        wanted += given.tolist()
    chances = np.zeros(len(frame))
    chances[free] = chances_of(cells[free], turns[free], np.array(wanted))
    for cell in range(len(wanted)):
        inside = cells == cell
        held = turns[inside & free].sum()
        rate = wanted[cell] / held if held else 1.0
        chances[inside & ~free] = np.minimum(1.0, turns[inside & ~free] * rate)
    places = np.flatnonzero(free)[draw(cells[free], chances[free], np.random.default_rng(seed))]
    return frame.with_columns(chance=pl.Series(chances)), places


def least_drawn(groups: int) -> int:
    """Return how many replies a draw for a rate takes at least, if so many are left."""
    return LABELS_IN_STRATUM * groups


def _risk(store: Store, frame: pl.DataFrame, predictions: Array, turns: Array) -> Array:
    """Return the probability that each reply is unfaithful, by the judgements so far, if there are enough."""
    known = frame.join(judged_replies(store), "pair_id", "left", maintain_order="left")["judged"]
    judged = known.fill_null(np.nan).to_numpy()
    there = ~np.isnan(judged)
    if there.sum() < _ENOUGH_KNOWN:
        return usual_risk(predictions, turns)
    return fit_logistic(predictions[there], judged[there])(predictions)
