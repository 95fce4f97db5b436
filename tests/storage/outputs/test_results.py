"""Selections, summaries and exports, over scores that are written by hand."""

import csv
import json
import math
from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pytest
from scipy.special import stdtrit

from qsquared.errors import UsageError
from qsquared.storage.files.file_errors import DamagedFile
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.keys import pair_id, stage_key
from qsquared.storage.outputs.results import check_results, export, lowest, summarise
from qsquared.storage.outputs.selected_turns import (
    Selection,
    distinct_pairs,
    scored_pairs,
    turns_by_shard,
)
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.records.inputs.manifests import read_manifest
from qsquared.storage.tables import PAIRS, SCORES

SHARD, OTHER = "b" * 32, "c" * 32


def key_of(shard):
    """The content key of scores that rest on the pairs alone."""
    return stage_key("scores", 1, {}, {}, {"pairs": shard})


LINEAGE = key_of("")


def score_of(pair, q2, status="scored", contradicted=0):
    """A row of the scores."""
    return {
        "pair_id": pair, "q2": q2, "q2_without_nli": q2, "status": status,
        "reason": None if status == "scored" else f"It was {status}.", "spans": 2,
        "questions_generated": 3, "questions": 2 if status == "scored" else 0, "no_answer": 0,
        "contradicted": contradicted, "nli_label": None,
    }  # fmt: skip


@pytest.fixture
def scores(store):
    """Write scores by response (all with the knowledge "k") into a shard; gives the file."""
    told = {
        "stage": "scores",
        "version": 1,
        "parameters": {},
        "models": {},
        "inputs": {"pairs": ""},
    }
    store.write_json(store.small_file("lineages", LINEAGE), told)

    def write(rows, shard=SHARD):
        pairs = [
            {"pair_id": pair_id(said, ["k"]), "response": said, "knowledge": ["k"]} for said in rows
        ]
        write_table(store.table_path("pairs", shard), pairs, PAIRS, shard)
        path = store.stage_path("scores", LINEAGE, shard)
        found = [score_of(pair_id(said, ["k"]), *of) for said, of in rows.items()]
        write_table(path, found, SCORES, key_of(shard))
        return path

    return write


def turn(name, response, knowledge="k"):
    """A row of a log."""
    return {"id": name, "response": response, "knowledge": knowledge, "night": 1}


@pytest.fixture
def read(store, log):
    """Ingest rows as a log; gives its fingerprint."""
    return lambda name, *rows: ingest_file(store, log(name, rows)).fingerprint


def test_a_summary_averages_turns_not_pairs(store, read, scores):
    """A reply that was given three times counts three times, and unscored turns not at all."""
    inputs = read(
        "a.jsonl",
        turn("1", "x"), turn("2", "x"), turn("3", "x"), turn("4", "y"), turn("5", " "),
        turn("6", "It is a fact.", ""), turn("7", "e"),
    )  # fmt: skip
    path = scores({"x": (1.0,), "y": (0.0,), "e": (None, "error")})
    found = summarise(store, Selection((inputs,)), {"scores": [path]})
    assert (found["turns"], found["pairs"], found["scored_turns"]) == (7, 3, 4)
    assert found["mean_q2"] == found["mean_q2_without_nli"] == 0.75
    assert found["statuses"] == {"scored": 4, "empty_response": 1, "error": 1, "no_knowledge": 1}
    assert sum(row["turns"] for row in found["unscored"]) == 3
    assert {"status": "error", "reason": "It was error.", "turns": 1} in found["unscored"]
    assert found["questions"] == 8


def interval_of(store, inputs, path):
    """The interval of the mean of a log."""
    return summarise(store, Selection((inputs,)), {"scores": [path]})["mean_q2_interval"]


def test_the_interval_is_students_and_stays_within_0_and_1(store, read, scores):
    """For four replies t has three degrees of freedom, 3.182; what would leave 0 to 1 is cut."""
    path = scores(
        {"w": (0.6,), "x": (0.6,), "y": (0.6,), "z": (0.4,), "one": (1.0,), "nil": (0.0,)}
    )
    half = 3.1824463 * 0.1 / math.sqrt(4)
    inputs = read("a.jsonl", *(turn(said, said) for said in "wxyz"))
    assert interval_of(store, inputs, path) == pytest.approx([0.55 - half, 0.55 + half])
    inputs = read("b.jsonl", turn("1", "one"), turn("2", "nil"))
    assert interval_of(store, inputs, path) == [0.0, 1.0]


def test_a_reply_that_is_given_again_narrows_no_interval(store, read, scores):
    """Each turn twice gives the interval of each once, and six copies of one reply give none."""
    path = scores({"w": (0.9,), "x": (0.6,), "y": (0.7,), "z": (0.4,)})
    once = read("a.jsonl", *(turn(said, said) for said in "wxyz"))
    twice = read("b.jsonl", *(turn(f"{said}{n}", said) for said in "wxyz" for n in range(2)))
    assert interval_of(store, once, path) == pytest.approx(interval_of(store, twice, path))
    copies = read("c.jsonl", *(turn(str(n), "w") for n in range(6)))
    assert interval_of(store, copies, path) is None


@pytest.mark.parametrize(("rows", "mean"), [([], None), ([turn("1", "x")], 0.5)])
def test_fewer_than_two_scores_have_no_interval(store, read, scores, rows, mean):
    """No interval is made up, and no mean of nothing."""
    path = scores({"x": (0.5,)})
    found = summarise(store, Selection((read("a.jsonl", *rows),)), {"scores": [path]})
    assert (found["mean_q2"], found["mean_q2_interval"]) == (mean, None)


def test_turns_whose_scores_are_not_there_are_pending(store, read):
    """Without any score file every turn still comes out."""
    found = summarise(store, Selection((read("a.jsonl", turn("1", "x")),)), {"scores": []})
    assert (found["statuses"], found["scored_turns"]) == ({"pending": 1}, 0)


def test_a_selection_is_in_the_order_of_its_inputs(store, read, scores, tmp_path):
    """Inputs in the order given, rows in that of their log, copies once, then the limit."""
    first = read("a.jsonl", turn("a1", "x"), turn("a2", "y"))
    second = read("b.jsonl", turn("b1", "y"), turn("b2", "x"))
    path = scores({"x": (1.0,), "y": (0.0,)})
    out = tmp_path / "out.jsonl"

    def ids(selection):
        written = export(store, selection, {"scores": [path]}, out)
        rows = [json.loads(line) for line in out.read_text().splitlines()]
        assert written == len(rows)
        return [row["id"] for row in rows]

    assert ids(Selection((second, first))) == ["b1", "b2", "a1", "a2"]
    assert ids(Selection((first, second, first))) == ["a1", "a2", "b1", "b2"]
    manifest = replace(read_manifest(store, first), paths=("/a.jsonl", "/b.jsonl"), apart=True)
    store.write_json(store.manifest_path(first), manifest.to_json())
    assert ids(Selection((first, second, first))) == ["a1", "a2", "b1", "b2", "a1", "a2"]
    assert ids(Selection((second, first), limit=3)) == ["b1", "b2", "a1"]


def test_rejects_of_a_copy_are_counted_once(store, read):
    """They are counted for each path only where the paths are logs of their own."""
    first = read("a.jsonl", turn("a1", "x"), {"id": "a2"}, {"id": "a3"})
    second = read("b.jsonl", turn("b1", "y"), {"id": "b2"})
    copied = Selection((first, second, first))
    assert copied.rejects(store) == 3
    manifest = replace(read_manifest(store, first), paths=("/a.jsonl", "/b.jsonl"), apart=True)
    store.write_json(store.manifest_path(first), manifest.to_json())
    assert copied.rejects(store) == 5


def test_an_export_keeps_everything_of_a_turn(store, read, scores, tmp_path):
    """Ids, line, metadata and the text as logged, whatever is in it."""
    said = 'He said, "no";\n\tthen — 🐦 left'
    inputs = read("a.jsonl", turn("1,\"2'", said))
    path = scores({said: (0.25,)})
    for name in ("out.csv", "out.jsonl", "out.parquet"):
        export(store, Selection((inputs,)), {"scores": [path]}, tmp_path / name)
    rows = [
        next(csv.DictReader((tmp_path / "out.csv").open(newline=""))),
        json.loads((tmp_path / "out.jsonl").read_text()),
        pl.read_parquet(tmp_path / "out.parquet").to_dicts()[0],
    ]
    for row in rows:
        assert (row["id"], row["response"]) == ("1,\"2'", said)
        assert (float(row["q2"]), int(row["line"]), int(row["questions"])) == (0.25, 1, 2)
        metadata = row["metadata"]
        assert (json.loads(metadata) if isinstance(metadata, str) else metadata) == {"night": 1}


def test_an_export_into_a_place_that_is_a_folder_is_a_usage_error(store, read, tmp_path):
    """The file is named; nothing half-written stays."""
    out = tmp_path / "taken.csv"
    out.mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        export(store, Selection((read("a.jsonl", turn("1", "x")),)), {"scores": []}, out)
    assert not list(tmp_path.glob(".*"))


def test_the_lowest_are_replies_scored_by_questions_once_each(store, read, scores):
    """Fallbacks are left out, a doubled reply comes once, and ties are in the logs' order."""
    inputs = read(
        "a.jsonl",
        turn("1", "high"), turn("2", "tie"), turn("3", "low"), turn("4", "low"),
        turn("5", "also"), turn("6", "fallback"),
    )  # fmt: skip
    path = scores(
        {"high": (1.0,), "tie": (0.5,), "low": (0.1,), "also": (0.5,), "fallback": (0.0, "fallback_nli")}
    )  # fmt: skip
    found = lowest(store, Selection((inputs,)), {"scores": [path]}, 3)
    assert [(row["id"], row["score"]) for row in found] == [("3", 0.1), ("2", 0.5), ("5", 0.5)]


def test_only_low_scores_are_the_lowest_and_contradicted_ones_come_first(store, read, scores):
    """A reply that is consistent is none of them; one of which nothing is known comes later."""
    inputs = read("a.jsonl", turn("1", "right"), turn("2", "unknown"), turn("3", "wrong"))
    path = scores({"right": (0.6,), "unknown": (0.0,), "wrong": (0.4, "scored", 1)})
    found = lowest(store, Selection((inputs,)), {"scores": [path]}, 3)
    assert [row["id"] for row in found] == ["3", "2"]


def test_turns_are_counted_by_the_shard_that_scores_them(store, read, scores):
    """A doubled reply counts for its shard each time; unscored turns for none."""
    inputs = read("a.jsonl", turn("1", "x"), turn("2", "x"), turn("3", "y"), turn("4", ""))
    scores({"x": (1.0,)})
    scores({"y": (1.0,)}, OTHER)
    selection = Selection((inputs,))
    assert turns_by_shard(store, selection, [SHARD, OTHER]) == {SHARD: 2, OTHER: 1}
    assert turns_by_shard(store, selection, []) == {}
    assert distinct_pairs(store, selection) == {pair_id("x", ["k"]), pair_id("y", ["k"])}
    assert scored_pairs(store, "scores", LINEAGE) == distinct_pairs(store, selection)
    assert scored_pairs(store, "scores", "d" * 32) == set()


def test_results_are_never_taken_from_a_damaged_table(store, read, scores):
    """Damaged scores count as not there yet, and no summary is made of them or of damaged turns."""
    inputs = read("a.jsonl", turn("1", "x"), turn("2", "y"))
    first, second = scores({"x": (1.0,)}), scores({"y": (1.0,)}, OTHER)
    selection = Selection((inputs,))
    check_results(store, selection, [first, second])
    for path in (second, store.table_path("turns", inputs)):
        before = path.read_bytes()
        path.write_bytes(before[:80] + bytes([before[80] ^ 1]) + before[81:])
        with pytest.raises(DamagedFile, match=path.stem):
            check_results(store, selection, [first, second])
        if path == second:
            assert scored_pairs(store, "scores", LINEAGE) == {pair_id("x", ["k"])}
            path.write_bytes(before)


def test_many_turns_are_summed_up_exactly(store, read, scores):
    """The mean equals the one that plain SQL finds in the exported rows."""
    rows = [turn(str(i), f"r{i % 37}") for i in range(500)]
    path = scores({f"r{i}": (i / 37,) for i in range(37)})
    selection = Selection((read("a.jsonl", *rows),))
    out = store.root.parent / "out.parquet"
    export(store, selection, {"scores": [path]}, out)
    ((mean, count),) = duckdb.connect().sql(f"SELECT avg(q2), count(q2) FROM '{out}'").fetchall()
    found = summarise(store, selection, {"scores": [path]})
    assert (found["mean_q2"], found["scored_turns"]) == (pytest.approx(mean, rel=1e-12), count)


def test_sums_are_taken_in_the_order_of_the_values(store, read, scores):
    """The last digits of a mean and its interval are those of adding up from the least value on."""
    given = {f"r{i}": (math.sin(i) ** 2,) for i in range(3000)}
    path = scores(given)
    inputs = read("a.jsonl", *(turn(said, said) for said in given))
    values = np.sort([value for (value,) in given.values()])
    mean = np.cumsum(values)[-1] / 3000
    error = math.sqrt(np.cumsum(np.square(values - mean))[-1] * 3000 / 2999) / 3000
    found = summarise(store, Selection((inputs,)), {"scores": [path]})
    assert found["mean_q2"] == mean
    half = float(stdtrit(2999, 0.975)) * error
    assert found["mean_q2_interval"] == [mean - half, mean + half]


def test_an_export_says_which_replies_are_inconsistent(store, read, scores, tmp_path):
    """By the threshold of all pages; a reply without a score is neither."""
    inputs = read("a.jsonl", turn("low", "low"), turn("high", "high"), turn("none", ""))
    path = scores({"low": (0.5,), "high": (0.75,)})
    export(store, Selection((inputs,)), {"scores": [path]}, tmp_path / "out.csv")
    rows = csv.DictReader((tmp_path / "out.csv").open(newline=""))
    said = {row["id"]: row["inconsistent"] for row in rows}
    assert said == {"low": "true", "high": "false", "none": ""}
