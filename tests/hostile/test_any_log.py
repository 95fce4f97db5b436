"""Tests that each row of any log comes out exactly once, as a turn or as a reject."""

import contextlib
import csv
import gzip
import io
import json
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from qsquared.errors import InputError
from qsquared.storage.files.parquet import read_table
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.store import Store
from qsquared.storage.tables import REJECTS, TURNS

FEW = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
PACKINGS = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.compress}
BOM = b"\xef\xbb\xbf"
# The store waits for the disk after each file, which is not what these tests are about.
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None

NASTY = [
    "", " ", "\u00a0\u2003\u3000", "\x00", "a\x00b", "\ud800", "x\udfffy", "\u202eabc\u202c", "עברית العربية",
    "e\u0301\u0323\u0327" * 3, "👩‍👩‍👧‍👦🏳️‍🌈", "\ufeff",
    "\ufffe\uffff", "\u2028\u2029\u0085", "...!?;:", '"', "''", "\\", "\r", "\r\n",
    "=1+1", "../../x", "'; DROP TABLE turns; --", "<script>alert(1)</script>", "\x1b[31m", "NaN", "null", "[1]", "{}",
    "A. " * 400, "the of and to in",
]  # fmt: skip
texts = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(codec=None, exclude_categories=()), max_size=40),
    st.text("aB .,\n\"'=\x00\u0301\u202e😀\ud83d", max_size=20),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
FIELDS = ("id", "conversation_id", "turn", "timestamp", "history", "knowledge", "response", "more")
wrong = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, anything))
right = st.fixed_dictionaries(
    {"response": texts, "knowledge": st.one_of(texts, st.lists(texts, max_size=3))},
    optional={"id": st.sampled_from(["same", "", "../../x"]), "more": anything},
)
rows_of_logs = st.lists(st.one_of(right, wrong), max_size=6)


def clean(text):
    """The text as a store can hold it."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


@contextmanager
def read_back(name, data):
    """Read a log of these bytes; return its manifest, turns and rejects."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        path = Path(folder) / "logs" / name
        path.parent.mkdir()
        path.write_bytes(data)
        store = Store.open(Path(folder) / "store", create=True)
        manifest = ingest_file(store, path)
        found = manifest.fingerprint
        turns = read_table(store.table_path("turns", found), TURNS, found).to_pylist()
        rejects = read_table(store.table_path("rejects", found), REJECTS, found).to_pylist()
        assert manifest.paths == (str(path),)
        yield turns, rejects


def check_all_out(turns, rejects, rows):
    """Each row once, in order, a reject with line and reason, a turn with its texts."""
    assert [t["position"] for t in turns] == sorted(t["position"] for t in turns)
    positions = sorted(row["position"] for row in turns + rejects)
    assert positions == list(range(rows))
    for reject in rejects:
        assert reject["line"] >= 1
        assert re.fullmatch(r"(?s)[A-Z].*\.", reject["reason"])
        assert len(reject["raw"]) <= 500
    for turn in turns:
        assert turn["id"]
        assert (turn["pair_id"] is None) == (turn["status"] is not None)
        json.loads(turn["metadata"])


@FEW
@given(
    rows_of_logs,
    st.booleans(),
    st.sampled_from([b"\n", b"\r\n"]),
    st.sampled_from([b"", BOM]),
    st.sampled_from(list(PACKINGS)),
    st.booleans(),
)
@example([{"response": "\ud800", "knowledge": ["\x00", "k"]}], True, b"\n", BOM, ".gz", False)
def test_any_json_row_is_a_turn_or_a_reject(rows, escaped, newline, mark, packing, ended):
    """Any Unicode, any type in any field, any line ending, marked or packed: nothing is lost."""
    lines = [json.dumps(row, ensure_ascii=escaped).encode("utf-8", "surrogatepass") for row in rows]
    data = mark + newline.join(lines) + (newline if ended and lines else b"")
    with read_back("x.jsonl" + packing, PACKINGS[packing](data)) as (turns, rejects):
        check_all_out(turns, rejects, len(rows))
        by_position = {turn["position"]: turn for turn in turns}
        for position, row in enumerate(rows):
            legible = escaped or "\\ud" not in json.dumps(row)
            fine = isinstance(row.get("response"), str) and row.keys() <= {"response", "knowledge"}
            texts_only = isinstance(row.get("knowledge", ""), str | list)
            if legible and fine and texts_only and _all_texts(row.get("knowledge", "")):
                assert by_position[position]["response"] == clean(row["response"])


def _all_texts(value):
    return isinstance(value, str) or all(isinstance(item, str) for item in value)


@FEW
@given(st.lists(st.binary(max_size=60).map(lambda b: b.replace(b"\n", b"")), max_size=8))
@example([b'{"response": "a"}', b"\xff\xfe", '{"response": "é"}'.encode("latin-1"), b"{"])
def test_lines_of_mixed_encodings_cost_themselves_only(lines):
    """Latin-1, UTF-16 pieces and noise beside good lines: one reject for each, the rest is read."""
    lines = [b'{"response": "first", "knowledge": "k"}' + b" " * 2000, *lines]
    lines += [b'{"response": "last", "knowledge": "k"}']
    rows = sum(bool(line.strip()) for line in lines)
    with read_back("x.jsonl", b"\n".join(lines)) as (turns, rejects):
        check_all_out(turns, rejects, rows)
        assert turns[0]["response"] == "first"
        assert turns[-1]["response"] == "last"


cells = texts.map(clean)


@FEW
@given(
    st.lists(st.tuples(cells, cells, cells), max_size=6),
    st.sampled_from([",", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(list(PACKINGS)),
)
@example([("\ufffd", "", "\ufffd")], ",", "\n", False, "")
def test_any_csv_row_is_a_turn_with_its_text(rows, delimiter, newline, marked, packing):
    """Quotes, line breaks, NUL and delimiters within cells come back as they were written."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=newline, quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "knowledge", "response"), *rows])
    data = (BOM if marked else b"") + text.getvalue().encode()
    form = "tsv" if delimiter == "\t" else "csv"
    with read_back(f"x.{form}{packing}", PACKINGS[packing](data)) as (turns, rejects):
        check_all_out(turns, rejects, len(rows))
        assert not rejects
        assert [turn["response"] for turn in turns] == [response for *_, response in rows]
        for turn, (name, *_) in zip(turns, rows, strict=True):
            assert turn["id"] == (name if name.strip() else f"x.{form}{packing}:{turn['line']}")


@FEW
@given(st.lists(st.binary(max_size=40), min_size=1, max_size=6))
def test_any_bytes_after_a_csv_header_end_no_run(parts):
    """Noise in a CSV makes rejects or turns, and the rows before it are read."""
    head = b"id,knowledge,response\n1,k,first\n" + b"2,k,more\n" * 300
    with read_back("x.csv", head + b"\n".join(parts)) as (turns, rejects):
        check_all_out(turns, rejects, len(turns) + len(rejects))
        assert turns[0]["response"] == "first"
        assert sum(turn["response"] == "more" for turn in turns) >= 300


@FEW
@given(
    st.lists(st.tuples(cells, st.lists(cells, max_size=3)), min_size=1, max_size=6),
    st.sampled_from(list(PACKINGS)),
)
def test_parquet_with_nested_and_dictionary_columns_is_read(rows, packing):
    """Lists, structs, maps and dictionaries beside the texts: each row once, texts as they were."""
    responses, knowledge = zip(*rows, strict=True)
    table = pa.table(
        {
            "response": pa.array(responses).dictionary_encode(),
            "knowledge": pa.array(knowledge, pa.list_(pa.string())),
            "turn": pa.array([1.0, None, 3.5, 4.0, 5.0, 6.0][: len(rows)]),
            "nested": [{"a": [{"b": text}], "c": {"d": b"\xff"}} for text in responses],
            "map": pa.array([[(text, 1)] for text in responses], pa.map_(pa.string(), pa.int64())),
            "time": pa.array([2**40] * len(rows), pa.timestamp("ns")),
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink)
    with read_back("x.parquet" + packing, PACKINGS[packing](sink.getvalue())) as (turns, rejects):
        check_all_out(turns, rejects, len(rows))
        assert [reject["position"] for reject in rejects] == [2][: max(0, len(rows) - 2)]
        assert [turn["response"] for turn in turns] == [
            text for position, text in enumerate(responses) if position != 2
        ]
        assert all(json.loads(turn["metadata"])["nested"] for turn in turns)


LONG_LOG = "".join(
    json.dumps({"id": str(i), "knowledge": f"{i * 2654435761 % 2**32:x}", "response": f"r {i}"})
    + "\n"
    for i in range(400)
).encode()


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(list(PACKINGS)), st.floats(0.01, 0.99))
def test_a_log_cut_short_anywhere_gives_a_beginning_and_says_so(packing, share):
    """The rows before the cut are turns; the cut is a reject, or the file's one error."""
    packed = PACKINGS[packing](LONG_LOG)
    cut = packed[: max(1, int(len(packed) * share))]
    with contextlib.ExitStack() as stack:
        try:
            turns, rejects = stack.enter_context(read_back("x.jsonl" + packing, cut))
        except InputError as error:
            told = error.message
            turns, rejects = [], None
        if rejects is None:
            # Not one row could be read.
            assert packing
            assert "cut short" in told or "damaged" in told
        else:
            check_all_out(turns, rejects, len(turns) + len(rejects))
            assert [turn["id"] for turn in turns] == [str(i) for i in range(len(turns))]
            at_a_line = not packing and LONG_LOG[len(cut) : len(cut) + 1] == b"\n"
            whole_lines = not packing and (cut.endswith(b"\n") or at_a_line)
            assert len(rejects) == (0 if whole_lines else 1)


@pytest.mark.parametrize("packing", [".gz", ".zst"])
@pytest.mark.parametrize("name", ["x.jsonl", "x.csv"])
def test_a_packed_log_cut_between_two_rows_says_so_too(name, packing):
    """No row is broken off, yet the file was not whole: the last reject says it."""
    log = LONG_LOG if name == "x.jsonl" else b"id,knowledge,response\n" + b"1,k,r\n" * 400
    cut = PACKINGS[packing](log) + PACKINGS[packing](b"more rows")[:-4]
    with read_back(name + packing, cut[: len(PACKINGS[packing](log)) + 6]) as (turns, rejects):
        check_all_out(turns, rejects, 401)
        assert len(turns) == 400
        assert "ends early" in rejects[0]["reason"]


def test_a_parquet_log_damaged_half_way_gives_the_rows_before(tmp_path):
    """Damage in the third group of rows: two hundred turns, and a reject that says where it ends."""
    path = tmp_path / "x.parquet"
    rows = [{"response": f"r {i}", "knowledge": f"{i * 2654435761 % 2**32}"} for i in range(400)]
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=100)
    with pq.ParquetFile(path) as file:
        chunk = file.metadata.row_group(2).column(0)
        start = chunk.dictionary_page_offset or chunk.data_page_offset
    data = bytearray(path.read_bytes())
    data[start : start + 40] = b"\xff" * 40
    with read_back("x.parquet", bytes(data)) as (turns, rejects):
        assert [turn["response"] for turn in turns] == [f"r {i}" for i in range(len(turns))]
        assert len(turns) <= 200
        (reject,) = rejects
        assert "cannot be read from here on" in reject["reason"]
        assert reject["line"] == len(turns) + 1


@pytest.mark.parametrize("columns", [["id"], ["answer", "context"], ["id", "response", "id"]])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_table_without_its_columns_is_one_error_with_their_names(tmp_path, columns, form):
    """A missing or doubled column is one error, not one for each row."""
    path = tmp_path / f"x.{form}"
    if form == "csv":
        path.write_text(",".join(columns) + "\n" + ",".join(columns) + "\n")
    else:
        pq.write_table(pa.Table.from_arrays([pa.array(["x"])] * len(columns), names=columns), path)
    store = Store.open(tmp_path / "store", create=True)
    with pytest.raises(InputError, match=r"no column 'response'|two columns named 'id'"):
        ingest_file(store, path)


def test_a_megabyte_response_is_a_turn_with_every_character(tmp_path):
    """Long is not wrong: the text is kept whole, whatever the format."""
    long = "Ünïcödé 😀 and so on. " * 50_000
    assert len(long.encode()) > 1_000_000
    sink = io.BytesIO()
    pq.write_table(pa.table({"response": [long], "knowledge": ["k"]}), sink)
    for name, data in {
        "x.jsonl": json.dumps({"response": long, "knowledge": "k"}).encode(),
        "x.csv": f'response,knowledge\n"{long}",k\n'.encode(),
        "x.parquet": sink.getvalue(),
    }.items():
        with read_back(name, data) as (turns, rejects):
            assert not rejects
            assert turns[0]["response"] == long


def test_duplicate_ids_and_duplicate_rows_are_turns_of_their_own():
    """The log decides what an id means; nothing is merged away."""
    row = {"id": "same", "response": "Fine.", "knowledge": "k"}
    data = (json.dumps(row) + "\n").encode() * 3
    with read_back("x.jsonl", data) as (turns, rejects):
        assert not rejects
        assert [turn["id"] for turn in turns] == ["same"] * 3
        assert len({turn["pair_id"] for turn in turns}) == 1
