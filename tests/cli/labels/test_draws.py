"""Tests of draws that follow one another: lost forms, older versions, half-filled forms."""

from dataclasses import replace
from datetime import UTC, datetime

import polars as pl

from tests.calling import q2
from tests.cli.labels.rows import frequent, items, rows_of


def test_judgements_of_draws_for_other_purposes_are_no_sample(drawn, judge, done, store):
    """A store of an older version has draws of the hardest replies: a rate takes them anew."""
    replies = pl.read_parquet(store / "pairs" / "*.parquet")["pair_id"].sort().to_list()
    draw_of_other_scores(store, replies[:40], purpose="hardest")
    outcome = q2("rate", "--measure", "overlap_f1", "--store", store)
    assert outcome.code == 2
    assert "No reply of the store was drawn" in outcome.err
    rows = drawn("rate", "--n", 60)
    assert items(rows) & set(replies[:40])
    judge(rows)
    assert "by 60 labels" in done("rate")


def test_a_lost_form_does_not_block_its_replies(drawn, judge, done, store, tmp_path):
    """The next draw takes them too, and the rate counts the answered draw alone."""
    lost = drawn("lost", "--n", 60)
    out = tmp_path / "next.csv"
    done("label", "draw", "--measure", "overlap_f1", "--n", 60, "--out", out)
    rows = rows_of(out)
    assert items(rows) & items(lost)
    assert items(rows) != items(lost)
    assert frequent(rows)
    judge(rows)
    assert "by 60 labels" in done("rate")


def test_a_judged_reply_is_not_drawn_again(drawn, judge):
    """After a form was read the next draw takes others."""
    first = drawn("first", "--n", 40)
    judge(first)
    assert not items(first) & items(drawn("second", "--n", 40))


def test_a_frequent_reply_without_a_judgement_is_asked_for(drawn, judge, done, store, tmp_path):
    """No other reply stands for two turns of five; once it is judged there is a rate."""
    rows = drawn("form", "--n", 60)
    (heavy,) = frequent(rows)
    judge([row for row in rows if row is not heavy])
    outcome = q2("rate", "--store", store)
    assert outcome.code == 2
    said = " ".join(outcome.err.split())
    assert "1 without a judgement gave 40% of the turns" in said
    again = drawn("again", "--n", 12)
    assert heavy["item"] in items(again)
    judge(again)
    assert "labels" in done("rate")


def test_a_draw_without_any_judgement_is_named_as_that(drawn, store):
    """Before a form is read the rate says how many of the drawn are judged."""
    drawn("form", "--n", 60)
    outcome = q2("rate", "--store", store)
    assert outcome.code == 2
    assert "0 of 60 drawn replies are judged; a rate takes 30" in " ".join(outcome.err.split())


def draw_of_other_scores(store, pairs, purpose="rate"):
    """Put a judged draw into the store that another configuration made."""
    from qsquared.storage.labels.judged_replies import add
    from qsquared.storage.store import Store
    from qsquared.storage.tables import DRAWS, LABELS

    opened, at = Store.open(store), datetime(2026, 1, 1, tzinfo=UTC)
    names = {column.name: None for column in DRAWS.columns}
    draw = {"draw": "a" * 32, "drawn_at": at, "purpose": purpose, "measure": "overlap_f1"}
    more = {"configuration": "0" * 32, "score": 0.5, "turns": 1, "chance": 0.5}
    every = pl.read_parquet(store / "pairs" / "*.parquet")["pair_id"].unique().sort().to_list()
    rows = [
        names | draw | more | {"pair_id": pair, "drawn": pair in pairs, "overlap": False}
        for pair in every
    ]
    add(opened, DRAWS, "a" * 32, rows)
    label = {"draw": "a" * 32, "annotator": "Old", "verdict": "consistent", "spans": None}
    others = {"form": "old.csv", "form_version": 1, "read_at": at}
    add(opened, LABELS, "b" * 32, [label | others | {"pair_id": pair} for pair in pairs])


def test_labels_drawn_by_older_scores_count(drawn, judge, done, store):
    """A new version of the scores asks for no new labels: a drawn reply's chance is still known."""
    replies = pl.read_parquet(store / "pairs" / "*.parquet")["pair_id"].sort().to_list()
    draw_of_other_scores(store, replies[::2])
    assert f"by {len(replies[::2])} labels" in done("rate", "--measure", "overlap_f1")
    rows = drawn("form", "--n", 20)
    assert not items(rows) & set(replies[::2])


def as_older_version(store):
    """Write the draws of a store again without the columns that were added later."""
    from qsquared.storage.files.parquet import read_table
    from qsquared.storage.files.parquet_writer import write_table
    from qsquared.storage.tables import DRAWS

    older = replace(DRAWS, columns=tuple(one for one in DRAWS.columns if not one.later))
    for path in (store / "draws").glob("[!.]*.parquet"):
        rows = read_table(path, DRAWS, path.stem).select(older.schema.names).to_pylist()
        write_table(path, rows, older, path.stem)


def test_draws_of_older_versions_are_read(drawn, judge, done, store):
    """A draw without the column `free` counts, with a later draw that has it."""
    judge(drawn("first", "--n", 40))
    as_older_version(store)
    assert "by 40 labels" in done("rate")
    judge(drawn("second", "--n", 30))
    assert "by 70 labels" in done("rate")
    assert done("sql", "SELECT count(*) FROM draws WHERE free IS NULL", "--csv").split()[1] == "122"
