"""Draws and judgements in the store: files that are only ever added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from qsquared.method.rates.judgements import resolved
from qsquared.storage.files.parquet import read_table
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.tables.columns import Table
from qsquared.storage.tables.registry import DRAWS, LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from qsquared.storage.store import Store

RATE, HARDEST, DISAGREEMENT = "rate", "hardest", "disagreement"
PURPOSES = (RATE, HARDEST, DISAGREEMENT)


def path_of(store: Store, table: Table, key: str) -> Path:
    """Return the path of a file of a table of judgements."""
    return store.root / table.name / f"{key}.parquet"


def add(store: Store, table: Table, key: str, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows as a new file of a table."""
    write_table(path_of(store, table, key), rows, table, key)


def read_all(store: Store, table: Table) -> pl.DataFrame:
    """Return all rows of a table of judgements.

    Raises:
        DamagedFile: a file of it cannot be trusted.
    """
    empty = pl.from_arrow(table.schema.empty_table())
    assert isinstance(empty, pl.DataFrame)
    frames = [empty]
    for path in sorted((store.root / table.name).glob("[!.]*.parquet")):
        frame = pl.from_arrow(read_table(path, table, path.stem))
        assert isinstance(frame, pl.DataFrame)
        frames.append(frame)
    return pl.concat(frames)


def judged_replies(store: Store) -> pl.DataFrame:
    """Return `pair_id` and `judged` (0, 1, or one half at a tie) of each judged reply."""
    return resolved_labels(read_all(store, LABELS))


def resolved_labels(rows: pl.DataFrame) -> pl.DataFrame:
    """Return `pair_id` and `judged` of each reply of some rows of `labels`."""
    labels = rows.group_by("pair_id", maintain_order=True).agg("verdict")
    return labels.select(
        "pair_id",
        pl.Series("judged", [resolved(one) for one in labels["verdict"].to_list()], pl.Float64),
    )


def draws_for_rates(store: Store) -> pl.DataFrame:
    """Return the rows of the draws that estimates count."""
    return read_all(store, DRAWS).filter(pl.col("purpose") == RATE)


def last_measure(draws: pl.DataFrame) -> str:
    """Return the measure that the last of some draws was made by; empty without a draw."""
    return "" if draws.is_empty() else str(draws.sort("drawn_at")["measure"][-1])
