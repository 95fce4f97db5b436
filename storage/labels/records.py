"""Draws and judgements in the store: files that are only ever added."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from qsquared.method.rates.judgements import resolved
from qsquared.storage.files.parquet import read_table
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.store import Store
from qsquared.storage.tables.registry import DRAWS, LABELS, Table

RATE = "rate"
"""The purpose of the draws that estimates count; older versions made draws for others, too."""


def add(store: Store, table: Table, key: str, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows as a new file of a table."""
    write_table(store.root / table.name / f"{key}.parquet", rows, table, key)


def read_all(store: Store, table: Table) -> pl.DataFrame:
    """Return all rows of a table of judgements.

    Raises:
        DamagedFile: a file of it cannot be trusted.
    """
    files = [read_table(path, table, path.stem) for path in store.tables(table.name)]
    return pl.DataFrame(pa.concat_tables([table.schema.empty_table(), *files]))


def draws_for_rates(store: Store) -> pl.DataFrame:
    """Return the rows of the draws that estimates count."""
    return read_all(store, DRAWS).filter(pl.col("purpose") == RATE)


def last_measure(store: Store) -> str:
    """Return the measure that the last draw was made by; empty without a draw."""
    draws = draws_for_rates(store)
    return "" if draws.is_empty() else str(draws.sort("drawn_at")["measure"][-1])


def judged_replies(store: Store) -> pl.DataFrame:
    """Return a row for each reply that a draw could have drawn.

    `chance` is the probability that any draw took it and somebody judged it, `drawn` whether one took
    it whose form came back, and `judged` the judgement of a drawn one: 0, 1, or one half at a tie.

    Draws are independent of each other: one leaves out what is judged, and its `chance` is that of a
    reply that is not.
    Of what a draw took, the judged are taken for a random part; those that another draw brought a
    judgement of say nothing of that.
    """
    draws = draws_for_rates(store).sort("drawn_at", "draw", "pair_id")
    labels = read_all(store, LABELS).join(draws, "draw", "semi")
    pairs = draws["pair_id"].unique().sort()
    not_judged = np.ones(len(pairs))
    drawn: set[str] = set()
    for (name,), rows in draws.group_by("draw", maintain_order=True):
        taken = rows.filter("drawn")["pair_id"]
        elsewhere = labels.filter(pl.col("draw") != name)["pair_id"]
        labelled = labels.filter(pl.col("draw") == name)["pair_id"]
        alone = taken.filter(~taken.is_in(elsewhere.implode()))
        share = float(alone.is_in(labelled.implode()).to_numpy().mean()) if len(alone) else 1.0
        if share:
            drawn |= set(taken.to_list())
        chances = np.zeros(len(pairs))
        chances[pairs.search_sorted(rows["pair_id"]).to_numpy()] = rows["chance"].to_numpy()
        not_judged *= 1 - chances * share
    return (
        pl.DataFrame({"pair_id": pairs, "chance": 1 - not_judged})
        .with_columns(drawn=pl.col("pair_id").is_in(list(drawn)))
        .join(resolved_labels(labels), "pair_id", "left", maintain_order="left")
        .with_columns(judged=pl.when("drawn").then("judged"))
    )


def resolved_labels(labels: pl.DataFrame) -> pl.DataFrame:
    """Return `pair_id` and `judged` of each judged reply: 0, 1 (inconsistent), or one half at a tie."""
    replies = labels.group_by("pair_id", maintain_order=True).agg("verdict")
    judged = [resolved(verdicts) for verdicts in replies["verdict"].to_list()]
    return replies.select("pair_id", pl.Series("judged", judged, pl.Float64))
