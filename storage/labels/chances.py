"""Chances that the draws so far brought the judgement of a reply, and the judgements that count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from qsquared.method.rates.rounds import Round, chances_of_judgement
from qsquared.storage.labels.records import RATE, resolved_labels

if TYPE_CHECKING:
    from collections.abc import Collection


def chances_and_judgements(
    draws: pl.DataFrame, labels: pl.DataFrame, counted: Collection[str]
) -> pl.DataFrame:
    """Return a row for each reply that a draw for a rate could have drawn.

    `chance` is the probability that a counted draw took it and somebody judged it, `drawn` whether
    one took it whose form came back, and `judged` the judgement of a drawn one, if there is any.

    Of what a draw took, the judged are taken for a random part; those that other draws brought a
    judgement of say nothing of that.
    What draws of another purpose or by other scores brought a judgement of is judged whenever it is
    drawn.

    Args:
        draws: all rows of the table `draws`.
        labels: all rows of the table `labels`.
        counted: names of the draws that the estimate counts.
    """
    rounds = draws.filter(pl.col("purpose") == RATE).sort("drawn_at", "draw", "pair_id")
    pairs = rounds["pair_id"].unique().sort()
    place = {pair: number for number, pair in enumerate(pairs.to_list())}
    taken_elsewhere = draws.filter(pl.col("drawn") & (pl.col("purpose") != RATE))
    found: list[Round] = []
    drawn: set[str] = set()
    for (name,), rows in rounds.group_by("draw", maintain_order=True):
        began, family = rows["drawn_at"][0], str(rows["configuration"][0])
        once = rows["free"].null_count() > 0
        places = [place[pair] for pair in rows["pair_id"].to_list()]
        chances = np.zeros(len(pairs))
        chances[places] = rows["chance"].to_numpy()
        if once:
            before = taken_elsewhere.filter(pl.col("drawn_at") < began)["pair_id"]
            chances[[place[pair] for pair in before.to_list() if pair in place]] = 0.0
        taken = set(rows.filter("drawn")["pair_id"].to_list())
        own = set(labels.filter(pl.col("draw") == name)["pair_id"].to_list())
        elsewhere = labels.filter(pl.col("draw") != name)
        asked = taken - set(elsewhere["pair_id"].to_list())
        share = len(asked & own) / len(asked) if asked else 1.0
        answered = np.full(len(pairs), share)
        if share:
            # What later draws of another purpose took depends on what this one had taken.
            foreign = draws.filter(
                pl.when(pl.col("purpose") == RATE)
                .then(~pl.col("draw").is_in(list(counted)))
                .otherwise(pl.col("drawn_at") < began)
            )["draw"]
            known = elsewhere.filter(pl.col("draw").is_in(foreign.unique().to_list()))["pair_id"]
            answered[[place[pair] for pair in known.to_list() if pair in place]] = 1.0
        if name in counted and share:
            drawn |= taken
        found.append(Round(chances, answered, family, name in counted, once))
    total = chances_of_judgement(found) if found else np.zeros(0)
    return (
        pl.DataFrame({"pair_id": pairs, "chance": total})
        .with_columns(drawn=pl.col("pair_id").is_in(list(drawn)))
        .join(resolved_labels(labels), "pair_id", "left", maintain_order="left")
        .with_columns(judged=pl.when("drawn").then("judged"))
    )
