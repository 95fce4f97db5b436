"""Small files that unpack to gigabytes, and lines without an end, take neither memory nor disk."""

import gc
import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from qsquared.errors import InputError
from qsquared.storage.logs.file_types.detect import iterate_rows
from qsquared.storage.logs.rows import RawRow, UnreadableRow
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.store import Store
from tests.calling import files_of, q2

MB = 1 << 20
ROW = json.dumps({"id": "1", "knowledge": "k", "response": "r"}).encode() + b"\n"
LONG_ROW = json.dumps({"knowledge": "k", "response": "r" * 50_000}).encode() + b"\n"
PACKERS = {".gz": lambda data: gzip.compress(data, 9), ".zst": zstandard.compress}


def resident(which):
    """The MB of memory that this process holds (VmRSS) or has held at most (VmHWM)."""
    line = next(x for x in Path("/proc/self/status").read_text().split("\n") if which in x)
    return int(line.split()[1]) / 1024


class Peak:
    """Counts the MB that this process has taken at most since the last `reset`.

    The system counts, not `tracemalloc`: to stop that while a thread of another test still runs
    ends Python 3.11 (CPython issue 128679), and it sees no memory of Arrow's.
    """

    def reset(self):
        """The count begins anew."""
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")
        self.before = resident("VmRSS")

    def __call__(self):
        """The MB taken at most since then."""
        return resident("VmHWM") - self.before


@pytest.fixture
def peak():
    """A count of memory that begins with the test."""
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("The most memory of a process can be counted anew on Linux only.")
    counted = Peak()
    counted.reset()
    return counted


def bomb(packing, rows):
    """A file that unpacks to some 4 GB: a row, then members of 32 MB of spaces or of rows."""
    portion = LONG_ROW * (32 * MB // len(LONG_ROW)) if rows else b" " * (32 * MB)
    return PACKERS[packing](ROW) + PACKERS[packing](portion) * 128


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("rows", [False, True], ids=["one line", "many rows"])
def test_a_packed_bomb_is_refused_with_bounded_memory(tmp_path, peak, packing, rows, monkeypatch):
    """Gigabytes of one line or of good rows: one error that names the bound, long before its end."""
    monkeypatch.setattr("qsquared.storage.logs.rows.FREE_BYTES", 64 * MB)
    monkeypatch.setenv("Q2_MAX_EXPANSION", "10")
    path = tmp_path / f"x.jsonl{packing}"
    path.write_bytes(bomb(packing, rows))
    peak.reset()
    seen = []
    with pytest.raises(InputError, match=r"unpacks to more than 10 times") as caught:
        seen.extend(row.position for row in iterate_rows(path))
    assert len(seen) * len(LONG_ROW) < 128 * MB
    assert "Q2_MAX_EXPANSION" in caught.value.hint
    assert peak() < 200


def test_a_zstandard_bomb_is_unpacked_in_small_portions(tmp_path, peak):
    """4 GB from half a megabyte: no portion of it is as large as what the file unpacks to."""
    path = tmp_path / "x.jsonl.zst"
    lines = zstandard.compress((b" " * (MB - 1) + b"\n") * 256)
    path.write_bytes(zstandard.compress(ROW) + lines * 16)
    del lines
    peak.reset()
    assert path.stat().st_size < MB
    with pytest.raises(InputError, match="unpacks to more"):
        list(iterate_rows(path))
    assert peak() < 250


def test_a_bomb_leaves_nothing_in_the_store(tmp_path, monkeypatch):
    """The rows before the bound are not taken for the log, and no half table stays."""
    monkeypatch.setattr("qsquared.storage.logs.rows.FREE_BYTES", MB)
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(LONG_ROW * 200, 9))
    store = Store.open(tmp_path / "store", create=True)
    monkeypatch.setenv("Q2_MAX_EXPANSION", "20")
    with pytest.raises(InputError):
        ingest_file(store, path)
    assert not [name for name in files_of(store.root) if "parquet" in name or "tmp" in name]
    monkeypatch.setenv("Q2_MAX_EXPANSION", "100000")
    assert ingest_file(store, path, limit=5).turns == 5


def test_what_compresses_well_is_no_bomb(tmp_path):
    """A log of many equal megabytes is read without any setting."""
    path = tmp_path / "x.jsonl.zst"
    path.write_bytes(zstandard.compress(LONG_ROW * 400))
    assert path.stat().st_size * 250 < 400 * len(LONG_ROW)
    assert sum(isinstance(row, RawRow) for row in iterate_rows(path)) == 400


@pytest.mark.parametrize("name", ["x.jsonl", "x.csv"])
def test_a_line_without_an_end_is_a_reject_and_takes_no_memory(tmp_path, peak, monkeypatch, name):
    """300 MB in one line: its beginning is kept, the reason names the bound, and the next is read."""
    monkeypatch.setenv("Q2_MAX_ROW_MB", "1")
    head, tail = (b'{"response": "', b'"}\n') if name == "x.jsonl" else (b'1,"', b'"\n')
    with (tmp_path / name).open("wb") as handle:
        handle.write(ROW if name == "x.jsonl" else b"id,response\n1,r\n")
        handle.write(head)
        for _ in range(300):
            handle.write(b"x" * MB)
        handle.write(tail)
        handle.write(ROW if name == "x.jsonl" else b"2,r\n")
    rows = list(iterate_rows(tmp_path / name))
    assert [type(row) for row in rows] == [RawRow, UnreadableRow, RawRow]
    assert rows[1].reason == "The line is longer than 1 MB (Q2_MAX_ROW_MB sets the bound)."
    assert [row.position for row in rows] == [0, 1, 2]
    assert len(rows[1].raw) <= 500
    assert rows[2].line == rows[1].line + 1
    assert peak() < 100


def test_a_row_as_long_as_the_bound_is_read(tmp_path, monkeypatch):
    """The bound is on longer rows only, with and without a newline at the end."""
    monkeypatch.setenv("Q2_MAX_ROW_MB", "1")
    row = b'{"response": "' + b"x" * (MB - 16) + b'"}'
    assert len(row) == MB
    path = tmp_path / "x.jsonl"
    path.write_bytes(row + b"\n" + row + b"\n" + row)
    assert [type(r) for r in iterate_rows(path)] == [RawRow] * 3
    path.write_bytes(row[:-2] + b'x"}')
    assert [type(r) for r in iterate_rows(path)] == [UnreadableRow]


def parquet_bomb(kind, path):
    """A Parquet file of some kilobytes whose texts take gigabytes once they stand in rows."""
    big = pa.array(["x" * MB])
    if kind == "text":
        table = pa.table(
            {"response": pa.DictionaryArray.from_arrays(pa.array([0] * 5000, pa.int32()), big)}
        )
    elif kind == "list":
        cells = pa.DictionaryArray.from_arrays(pa.array([0] * 5000, pa.int32()), big)
        lists = pa.ListArray.from_arrays(pa.array(range(0, 5001, 500), pa.int32()), cells)
        table = pa.table({"response": pa.array(["r"] * 10), "knowledge": lists})
    else:
        table = pa.table({"response": ["y" * (300 * MB)]})
    # Without Arrow's own schema, by which a reader would know of the dictionary anyway.
    dictionary = kind != "page"
    pq.write_table(table, path, compression="zstd", use_dictionary=dictionary, store_schema=False)
    assert path.stat().st_size < MB


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "list", "page"])
def test_a_parquet_bomb_is_refused_before_it_unpacks(tmp_path, kind):
    """Texts behind a dictionary, in lists too, or one page that unpacks to 300 MB: one error."""
    path = tmp_path / "x.parquet"
    parquet_bomb(kind, path)
    before = pa.default_memory_pool()
    counting = pa.proxy_memory_pool(before)
    pa.set_memory_pool(counting)
    try:
        with pytest.raises(InputError, match="unpacks to more than 250 times"):
            list(iterate_rows(path))
    finally:
        pa.set_memory_pool(before)
    assert counting.max_memory() < 64 * MB


def test_a_long_parquet_row_is_a_reject_among_others(tmp_path, monkeypatch):
    """The row beyond the bound is a reject with its number; its neighbours are read."""
    monkeypatch.setenv("Q2_MAX_ROW_MB", "1")
    path = tmp_path / "x.parquet"
    long = ["z" * (600 << 10)] * 2
    pq.write_table(pa.table({"response": ["a", "b", "c"], "knowledge": [["k"], long, ["k"]]}), path)
    rows = list(iterate_rows(path))
    assert [type(row) for row in rows] == [RawRow, UnreadableRow, RawRow]
    assert rows[1].reason == "The row is longer than 1 MB (Q2_MAX_ROW_MB sets the bound)."
    assert rows[1].line == 2


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5"])
def test_a_bound_that_is_no_number_is_a_sentence(tmp_path, monkeypatch, value):
    """The variable is named, with exit code 2."""
    monkeypatch.setenv("Q2_MAX_ROW_MB", value)
    (tmp_path / "x.jsonl").write_bytes(ROW)
    done = q2("score", tmp_path / "x.jsonl", "--dry-run", "--store", tmp_path / "store")
    assert done.code == 2
    assert "Q2_MAX_ROW_MB" in done.err


def test_another_bound_reads_the_log_again(tmp_path, monkeypatch):
    """A row that was too long is no reject for ever: with a higher bound the same log is read anew."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(ROW + json.dumps({"response": "x" * (2 * MB), "knowledge": "k"}).encode())
    store = Store.open(tmp_path / "store", create=True)
    monkeypatch.setenv("Q2_MAX_ROW_MB", "1")
    low = ingest_file(store, path)
    monkeypatch.delenv("Q2_MAX_ROW_MB")
    high = ingest_file(store, path)
    assert (low.turns, low.rejects, high.turns, high.rejects) == (1, 1, 2, 0)
    assert ingest_file(store, path).reused
