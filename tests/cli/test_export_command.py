"""``q2 export`` writes scores and explanations in the forms that other programs take."""

import json
import re

import polars as pl
import pytest

from qsquared.storage.sql.catalogue import connect
from qsquared.storage.sql.queries import query
from qsquared.storage.store import Store
from tests.calling import q2
from tests.storage.logs.adapter_logs import FACT, GENAI_INPUT, LANGFUSE, request, span

TRACE = "5b8efff798038103d269b633813fc60c"


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """A store with two traced replies, one true, one false, and one without knowledge, scored."""
    folder = tmp_path_factory.mktemp("traced")

    def reply(number, text, **more):
        said = [{"role": "assistant", "parts": [{"type": "text", "content": text}]}]
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": GENAI_INPUT}
        return span(number, None, attributes | {"gen_ai.output.messages": said}, **more)

    document = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.documents": [{"content": FACT}],
    }
    rows = [
        request(span(1, None, document)),
        request(reply(2, "The lighthouse was built in 1858.")),
        request(reply(3, "The lighthouse was built in 1900.")),
        request(reply(4, "It is a fine sight.", traceId="a" * 32)),
    ]
    log = folder / "traces.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = q2("score", log, "--store", folder / "store")
    assert done.code == 0, done.err
    return folder / "store"


def exported(store, to, out):
    """The lines of a JSON export."""
    done = q2("export", "--to", to, "--out", out, "--store", store)
    assert done.code == 0, done.err
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def test_every_turn_is_exported_in_each_table_alike(scored, tmp_path):
    """CSV, Parquet and JSON lines hold the same turns, scores and explanations."""
    for form in ("csv", "parquet", "jsonl"):
        done = q2("export", "--to", form, "--out", tmp_path / f"x.{form}", "--store", scored.store)
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
    rows = exported(scored.store, "jsonl", tmp_path / "x.jsonl")
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
    assert (
        q2("export", "--to", "csv", "--out", tmp_path / "x.csv", "--store", tmp_path / "store").code
        == 0
    )
    row = pl.read_csv(tmp_path / "x.csv", infer_schema=False).to_dicts()[0]
    assert (row["id"], row["response"]) == ("'=1+1", "'=cmd()")
    assert row["status"] == "pending"


def test_events_belong_to_the_spans_they_judge(traced, tmp_path):
    """An evaluation event for each reply, with trace and span, as OTLP's JSON has it."""
    (document,) = exported(traced, "otel", tmp_path / "events.jsonl")
    (resource,) = document["resourceLogs"]
    (scope,) = resource["scopeLogs"]
    assert scope["schemaUrl"].startswith("https://opentelemetry.io/schemas/1.")
    first, second, third = scope["logRecords"]
    for record in (first, second, third):
        assert record["eventName"] == "gen_ai.evaluation.result"
        assert re.fullmatch(r"\d{19}", record["timeUnixNano"])
    told = [{a["key"]: a["value"] for a in r["attributes"]} for r in (first, second, third)]
    assert [(r["traceId"], r["spanId"]) for r in (first, second)] == [
        (TRACE, f"{number:016x}") for number in (2, 3)
    ]
    assert [t["gen_ai.evaluation.name"] for t in told] == [{"stringValue": "q2"}] * 3
    assert told[0]["gen_ai.evaluation.score.value"] == {"doubleValue": 1.0}
    assert told[0]["gen_ai.evaluation.score.label"] == {"stringValue": "supported"}
    assert told[1]["gen_ai.evaluation.score.value"]["doubleValue"] < 1.0
    assert "1900" in told[1]["gen_ai.evaluation.explanation"]["stringValue"]
    assert "gen_ai.evaluation.score.value" not in told[2]
    assert told[2]["gen_ai.evaluation.score.label"] == {"stringValue": "no_knowledge"}


def test_replies_without_a_span_are_named_by_their_id(scored, tmp_path):
    """A flat log has no traces; its events carry the turn's id and no made-up ids."""
    documents = exported(scored.store, "otel", tmp_path / "events.jsonl")
    records = [r for d in documents for r in d["resourceLogs"][0]["scopeLogs"][0]["logRecords"]]
    assert len(records) == 163
    for record in records:
        told = {a["key"]: a["value"] for a in record["attributes"]}
        assert "traceId" not in record
        assert told["gen_ai.response.id"] == told["q2.turn.id"]


def test_phoenix_gets_a_frame_of_evaluations(traced, tmp_path):
    """The frame has a row for each scored span, in Phoenix's columns; the others are counted."""
    out = tmp_path / "evaluations.parquet"
    done = q2("export", "--to", "phoenix", "--out", out, "--store", traced)
    assert done.code == 0
    assert "1 turn left out, for want of a span_id" in done.said
    frame = pl.read_parquet(out)
    assert frame.columns == [
        "span_id", "name", "annotator_kind", "label", "score", "explanation", "metadata", "identifier",
    ]  # fmt: skip
    assert frame["span_id"].to_list() == [f"{number:016x}" for number in (2, 3)]
    assert frame["score"].to_list()[0] == 1.0
    assert frame["score"].null_count() == 0
    assert frame["identifier"].n_unique() == 2
    assert frame["annotator_kind"].unique().to_list() == ["CODE"]


def test_langfuse_gets_scores_that_can_be_sent_twice(traced, tmp_path):
    """Bodies for its scores interface, with ids that stay; what has no number is a category."""
    first, second, third = exported(traced, "langfuse", tmp_path / "a.jsonl")
    assert (first["traceId"], first["observationId"]) == (TRACE, f"{2:016x}")
    assert (first["name"], first["value"], first["dataType"]) == ("q2", 1.0, "NUMERIC")
    assert "'1900' is against the knowledge, which says '1858'" in second["comment"]
    assert (third["name"], third["value"], third["dataType"]) == (
        "q2_status", "no_knowledge", "CATEGORICAL",
    )  # fmt: skip
    assert exported(traced, "langfuse", tmp_path / "b.jsonl") == [first, second, third]


def test_turns_that_a_target_has_no_place_for_are_counted(scored, tmp_path):
    """Nothing is left out in silence, and nothing at all is an error."""
    done = q2("export", "--to", "phoenix", "--out", tmp_path / "x.csv", "--store", scored.store)
    assert done.code == 2
    assert "163 turns left out, for want of a span_id" in done.said
    assert "No turn of the store has a span_id" in done.err


@pytest.mark.parametrize(
    ("to", "name", "told"),
    [
        ("xml", "x.xml", "--to is 'xml'"),
        ("otel", "x.csv", "is no file for otel"),
        ("csv", "file/x.csv", "cannot be written"),
    ],
)
def test_what_cannot_be_written_is_reported(traced, tmp_path, to, name, told):
    """An unknown target, a file of another kind, a place that does not exist."""
    (tmp_path / "file").write_text("")
    done = q2("export", "--to", to, "--out", tmp_path / name, "--store", traced)
    assert done.code == 2
    assert told in done.err


def test_a_log_of_observations_goes_back_to_where_it_came_from(tmp_path):
    """Langfuse in, Langfuse out: trace and observation are those of the export."""
    log = tmp_path / "observations.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in LANGFUSE))
    assert q2("ingest", log, "--store", tmp_path / "store").code == 0
    (row,) = exported(tmp_path / "store", "langfuse", tmp_path / "x.jsonl")
    assert (row["traceId"], row["observationId"]) == ("t1", "o1")
