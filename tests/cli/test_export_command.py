"""``q2 export`` writes scores and explanations as tables."""

import json

import polars as pl
import pytest

from qsquared.storage.sql.queries import query
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store
from tests.calling import q2
from tests.storage.logs.adapter_logs import LANGFUSE


def test_every_turn_is_exported_in_each_table_alike(scored, tmp_path):
    """CSV, Parquet and JSON lines hold the same turns, scores and explanations."""
    for form in ("csv", "parquet", "jsonl"):
        done = q2("export", "--out", tmp_path / f"x.{form}", "--store", scored.store)
        assert done.code == 0, done.err
    parquet = pl.read_parquet(tmp_path / "x.parquet")
    csv = pl.read_csv(tmp_path / "x.csv", infer_schema=False)
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    with connect(Store.open(scored.store)) as connection:
        expected = query(
            connection,
            "SELECT t.id, s.q2, coalesce(t.status, s.status) AS status "
            "FROM turns t LEFT JOIN scores s USING (pair_id) ORDER BY t.source, t.position",
        )
    assert parquet.select("id", "q2", "status").equals(expected)
    assert [row["id"] for row in lines] == expected["id"].to_list()
    assert [row["q2"] for row in lines] == expected["q2"].to_list()
    assert csv.height == len(lines) == 163
    for table, row, line in zip(parquet.to_dicts(), csv.to_dicts(), lines, strict=True):
        assert json.loads(row["spans"]) == line["spans"] == table["spans"]
        assert line["questions"] == table["questions"]
        assert line["explanation"]


def read_plainly(logged, text):
    """Whether a text is what was logged, but for quotation marks."""
    plain = logged.translate(str.maketrans("\u201c\u201d\u2018\u2019", "\"\"''"))
    return plain == text


def test_pulls_add_up_to_what_a_reply_lacks(scored, tmp_path):
    """In every scored reply of the example log the spans account for the whole loss."""
    out = tmp_path / "x.jsonl"
    assert q2("export", "--out", out, "--store", scored.store).code == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    seen = [row for row in rows if row["status"] == "scored"]
    assert len(seen) > 50
    for row in seen:
        lacking = sum(span["pull"] for span in row["spans"] if span["pull"] is not None)
        assert lacking == pytest.approx(1 - row["q2"])
        for part in row["spans"]:
            assert read_plainly(row["response"][part["start"] : part["end"]], part["text"])
        for question in row["questions"]:
            if question["knowledge_answer"] is not None:
                passage = row["knowledge"][question["passage"]]
                place = slice(question["knowledge_start"], question["knowledge_end"])
                assert read_plainly(passage[place], question["knowledge_answer"])


def test_formulas_in_a_csv_do_nothing(tmp_path):
    """A text that a spreadsheet would run has a quote before it."""
    log = tmp_path / "x.jsonl"
    log.write_text(json.dumps({"id": "=1+1", "response": "=cmd()", "knowledge": "k"}) + "\n")
    assert q2("ingest", log, "--store", tmp_path / "store").code == 0
    assert q2("export", "--out", tmp_path / "x.csv", "--store", tmp_path / "store").code == 0
    row = pl.read_csv(tmp_path / "x.csv", infer_schema=False).to_dicts()[0]
    assert (row["id"], row["response"]) == ("'=1+1", "'=cmd()")
    assert row["status"] == "pending"


@pytest.mark.parametrize(
    ("name", "told"),
    [("x.xml", "x.xml names no form"), ("file/x.csv", "cannot be written")],
)
def test_what_cannot_be_written_is_reported(scored, tmp_path, name, told):
    """An unknown form, and a place that does not exist."""
    (tmp_path / "file").write_text("")
    done = q2("export", "--out", tmp_path / name, "--store", scored.store)
    assert done.code == 2
    assert told in done.err


def test_the_ids_of_trace_and_span_are_exported(tmp_path):
    """A row of a log of traces has the ids by which a tracing program knows it."""
    log = tmp_path / "observations.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in LANGFUSE))
    assert q2("ingest", log, "--store", tmp_path / "store").code == 0
    out = tmp_path / "x.jsonl"
    assert q2("export", "--out", out, "--store", tmp_path / "store").code == 0
    row = json.loads(out.read_text())
    assert (row["trace_id"], row["span_id"]) == ("t1", "o1")
