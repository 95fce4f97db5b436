"""Tests of the units of shards: pairs and situations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.storage.files.parquet import read_table
from qsquared.storage.outputs.selected_turns import Selection, turns_by_shard
from qsquared.storage.records.indexes.store_index import open_index
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.records.shards import plan_shards
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store
from qsquared.storage.tables import (
    PAIR,
    SITUATION,
    STAGE_TABLES,
    UNITS,
    situation_id,
    unit_of,
    units_of,
)
from qsquared.storage.upkeep.verify import verify

if TYPE_CHECKING:
    from collections.abc import Callable

    Log = Callable[..., Path]

SAME = {"response": "Yes.", "knowledge": ["k"]}
TURNS = [
    {**SAME, "history": ["Is it old?"]},
    {**SAME, "history": ["Hello", "Is it big?"]},
    SAME,
    {**SAME, "history": ["Anything", "Is it old?"]},
    {"response": "", "knowledge": ["k"], "history": ["Is it old?"]},
]


def ids(turns: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """The ids of turns as SQL makes them."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE turns (pair_id TEXT, history TEXT[])")
        for turn in turns:
            connection.execute(
                "INSERT INTO turns VALUES (?, ?)", [turn["pair_id"], turn["history"]]
            )
        return connection.execute(f"SELECT {SITUATION.of_turn} FROM turns").fetchall()


@given(st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0")) | st.none())
def test_sql_and_python_name_a_situation_alike(previous: str | None) -> None:
    """Whatever the previous turn is, also none."""
    history = ["before"] * (previous is not None) + [previous] * (previous is not None)
    turn = {"pair_id": "0a" * 16, "history": history}
    assert ids([turn]) == [(situation_id("0a" * 16, previous),)]


def test_an_empty_turn_before_is_not_the_same_as_none() -> None:
    """They are different situations, and a turn without a pair has no situation."""
    assert situation_id("ab", "") != situation_id("ab", None)
    assert ids([{"pair_id": None, "history": ["a"]}]) == [(None,)]


@pytest.fixture
def planned(store: Store, log: Log) -> tuple[Store, str]:
    """A store with the turns, in shards of pairs and of situations, and the input."""
    name = ingest_file(store, log("a.jsonl", TURNS)).fingerprint
    plan_shards(store, [name], 2)
    plan_shards(store, [name], 2, unit=SITUATION)
    return store, name


def test_each_previous_turn_makes_a_situation_of_its_own(planned: tuple[Store, str]) -> None:
    """One pair, three situations in the order of the log, in two shards; the same ones again."""
    store, name = planned
    assert len(open_index(store).shards_of["pairs"]) == 1
    shards = plan_shards(store, [name], 2, unit=SITUATION)
    rows = [
        row
        for shard in shards
        for row in read_table(
            store.table_path("situations", shard.key), SITUATION.table, shard.key
        ).to_pylist()
    ]
    assert [row["previous"] for row in rows] == ["Is it old?", "Is it big?", None]
    assert len({row["pair_id"] for row in rows}) == 1
    assert all(SITUATION.identify(row) == row["situation_id"] for row in rows)
    assert turns_by_shard(store, Selection((name,)), [s.key for s in shards], SITUATION) == {
        shards[0].key: 3,
        shards[1].key: 1,
    }


def test_a_store_with_situations_is_sound_and_joins_in_sql(planned: tuple[Store, str]) -> None:
    """Each turn that has something to score finds its situation."""
    store, _ = planned
    assert verify(store).sound
    with connect(store) as connection:
        found = connection.execute(
            "SELECT t.position, s.previous FROM turns t LEFT JOIN situations s USING (situation_id) "
            "ORDER BY position"
        ).fetchall()
    assert found == [(0, "Is it old?"), (1, "Is it big?"), (2, None), (3, "Is it old?"), (4, None)]


def test_a_shard_of_situations_under_a_wrong_name_is_found(planned: tuple[Store, str]) -> None:
    """As one of pairs is."""
    store, _ = planned
    first, second = store.tables("situations")
    first.replace(second)
    assert not verify(store).sound


def test_stages_are_of_the_unit_that_their_table_names() -> None:
    """Stages whose table has a situation's id are about situations, the others about pairs."""
    for table in STAGE_TABLES:
        has = any(column.name == "situation_id" for column in table.columns)
        assert unit_of(table) is (SITUATION if has else PAIR)
    assert units_of([]) == ()
    assert set(units_of(STAGE_TABLES)) <= set(UNITS.values())
