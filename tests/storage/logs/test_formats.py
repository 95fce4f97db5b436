"""Rows of every supported format, broken ones included."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from qsquared.errors import InputError
from qsquared.storage.logs.file_types.detect import iterate_rows
from qsquared.storage.logs.rows import RawRow, UnreadableRow

if TYPE_CHECKING:
    from collections.abc import Callable

    Log = Callable[..., Path]

ROWS = [{"id": str(i), "response": f"reply {i}", "knowledge": f"fact {i}"} for i in range(5)]


def readable(path: Path) -> list[dict[str, Any]]:
    """Fields of the readable rows."""
    return [row.fields for row in iterate_rows(path) if isinstance(row, RawRow)]


def rejects(path: Path) -> list[UnreadableRow]:
    """The unreadable rows."""
    return [row for row in iterate_rows(path) if isinstance(row, UnreadableRow)]


def jsonl(rows: list[dict[str, Any]] = ROWS) -> bytes:
    """Rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def separated(delimiter: str) -> bytes:
    """The rows with a delimiter."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(ROWS[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(ROWS)
    return text.getvalue().encode()


def parquet() -> bytes:
    """The rows as a Parquet file."""
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), sink)
    return sink.getvalue()


CONTENTS = {
    ".jsonl": jsonl,
    ".ndjson": jsonl,
    ".json": jsonl,
    ".csv": lambda: separated(","),
    ".tsv": lambda: separated("\t"),
    ".parquet": parquet,
}
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
}


@pytest.mark.parametrize("extension", CONTENTS)
@pytest.mark.parametrize("packing", PACKINGS)
def test_each_format_gives_its_rows(log: Log, extension: str, packing: str) -> None:
    """Every format, plain or packed, gives the rows with their positions."""
    path = log("x" + extension + packing, PACKINGS[packing](CONTENTS[extension]()))
    rows = list(iterate_rows(path))
    assert [row.fields for row in rows if isinstance(row, RawRow)] == ROWS
    assert [row.position for row in rows] == [0, 1, 2, 3, 4]
    first = 2 if extension in {".csv", ".tsv"} else 1
    assert [row.line for row in rows] == list(range(first, first + 5))


@pytest.mark.parametrize("packing", PACKINGS)
def test_unknown_extensions_are_reported_by_content(log: Log, packing: str) -> None:
    """Parquet and JSON lines are known without an extension."""
    assert readable(log("a" + packing, PACKINGS[packing](parquet()))) == ROWS
    assert readable(log("b.log" + packing, PACKINGS[packing](jsonl()))) == ROWS
    assert readable(log("c", PACKINGS[packing](jsonl()))) == ROWS


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a": ', "not valid JSON"),
        (b"[1, 2]", "a list"),
        (b"null", "null"),
        (b'"text"', "a text"),
        (b'{"a": "\xff"}', "UTF-8"),
        (b"[" * 100_000, "nested"),
        (b'{"a": ' + b"9" * 5000 + b"}", "readable JSON"),
    ],
)
def test_a_bad_line_costs_itself_only(log: Log, line: bytes, reason: str) -> None:
    """A line that is no JSON object is a reject with line and reason, between two rows."""
    path = log("x.jsonl", jsonl(ROWS[:1]) + b"\n \n" + line + b"\n" + jsonl(ROWS[1:2]))
    assert readable(path) == ROWS[:2]
    (reject,) = rejects(path)
    assert (reject.position, reject.line) == (1, 4)
    assert reason in reject.reason
    assert len(reject.raw) <= 500


def test_bom_crlf_and_a_missing_last_newline_are_fine(log: Log) -> None:
    """Files as Windows programs write them give the same rows."""
    for name, content in (("x.jsonl", jsonl()), ("x.csv", separated(","))):
        data = b"\xef\xbb\xbf" + content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n").rstrip()
        assert readable(log(name, data)) == ROWS


def test_line_separators_of_unicode_end_no_line(log: Log) -> None:
    """Only a newline ends a JSON line, not U+2028 or U+0085."""
    row = {"response": "a\u2028b\u0085c"}
    path = log("x.jsonl", json.dumps(row, ensure_ascii=False).encode())
    assert readable(path) == [row]


def test_csv_fields_may_hold_line_breaks(log: Log) -> None:
    """A quoted field keeps quotes and newlines; lines are those where rows begin."""
    path = log("x.csv", b'id,response\n1,"a\nb ""c"", d"\n\n2,e\n')
    rows = list(iterate_rows(path))
    assert readable(path) == [{"id": "1", "response": 'a\nb "c", d'}, {"id": "2", "response": "e"}]
    assert [row.line for row in rows] == [2, 5]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"1,2,3", "3 fields"),
        (b"1", "1 fields"),
        (b"1,\xff", "UTF-8"),
        (b'1,"a"b', "CSV"),
        (b'1,"never closed', "CSV"),
    ],
)
def test_a_bad_csv_row_costs_itself_only(log: Log, bad: bytes, reason: str) -> None:
    """Wrong field counts, bytes or quotes reject one row; those after it are read."""
    path = log("x.csv", b"id,response\n0,a\n" + bad + b"\n2,c\n3,d\n")
    assert [row["id"] for row in readable(path)] == ["0", "2", "3"]
    (reject,) = rejects(path)
    assert reason in reject.reason
    assert (reject.position, reject.line, reject.raw) == (1, 3, bad.decode("utf-8", "replace"))


def test_long_fields_are_read(log: Log) -> None:
    """Neither a line nor a field of a CSV has a limit that a log could meet."""
    long = "x" * 3_000_000
    assert readable(log("x.csv", f"response\n{long}\n".encode())) == [{"response": long}]
    assert readable(log("x.jsonl", jsonl([{"response": long}]))) == [{"response": long}]


@pytest.mark.parametrize("packing", [".gz", ".zst"])
@pytest.mark.parametrize("extension", [".jsonl", ".csv"])
def test_a_packed_log_cut_short_gives_its_rows(log: Log, extension: str, packing: str) -> None:
    """The unpacked part is read, and one reject says that the file ends early."""
    noise = [{"response": f"{i * 2654435761 % 2**32:x}" * 20} for i in range(20_000)]
    text = jsonl(noise)
    if extension == ".csv":
        text = b"response\n" + b"".join(row["response"].encode() + b"\n" for row in noise)
    path = log("x" + extension + packing, PACKINGS[packing](text)[:-2000])
    rows = readable(path)
    assert 0 < len(rows) < len(noise)
    assert rows == noise[: len(rows)]
    (reject,) = rejects(path)
    assert "ends early" in reject.reason
    assert reject.position == len(rows)


@pytest.mark.parametrize("packing", [".gz", ".zst"])
@pytest.mark.parametrize("extension", [".jsonl", ".csv", ".parquet"])
def test_a_packed_log_cut_before_its_first_row_is_an_error(
    log: Log, extension: str, packing: str
) -> None:
    """A packed file without one readable row is an error of the file."""
    data = PACKINGS[packing](CONTENTS[extension]())
    for cut in (5, 12, 20):
        with pytest.raises(InputError):
            list(iterate_rows(log("x" + extension + packing, data[:cut])))


def test_packed_members_are_read_one_after_the_other(log: Log) -> None:
    """Logs that were packed in parts and joined are read whole; zeros after them are padding."""
    for packing, pack in PACKINGS.items():
        data = pack(jsonl(ROWS[:2])) + pack(jsonl(ROWS[2:])) + (b"\0" * 512 if packing else b"")
        assert readable(log("x.jsonl" + packing, data)) == ROWS


@pytest.mark.parametrize("name", ["x.jsonl", "x.csv", "x.tsv", "x.parquet", "x", "x.jsonl.gz"])
def test_an_empty_file_has_no_rows(log: Log, name: str) -> None:
    """A log of a quiet night is no error."""
    assert list(iterate_rows(log(name, b""))) == []


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.jsonl", bytes(range(256)) * 40),
        ("x.csv", b"\x7fELF" + b"\0" * 3000),
        ("x.parquet", b"not parquet"),
        ("x.parquet", b"PAR1 broken PAR1"),
        ("x.txt", b"some words\n"),
        ("x.csv", b"a,a\n1,2\n"),
        ("x.csv", b'a,"b\n1,2\n'),
        ("x.jsonl.gz", gzip.compress(bytes(range(256)) * 40)),
    ],
)
def test_a_file_that_is_no_log_is_one_error(log: Log, name: str, data: bytes) -> None:
    """Garbage gives a sentence that names the file and says what to do."""
    with pytest.raises(InputError) as caught:
        list(iterate_rows(log(name, data)))
    assert name in caught.value.message
    assert caught.value.hint


def test_a_missing_log_is_an_error(tmp_path: Path) -> None:
    """A path without a file is an input error."""
    with pytest.raises(InputError, match="opened"):
        list(iterate_rows(tmp_path / "none.jsonl"))


def test_a_table_without_the_needed_columns_lists_its_own(log: Log) -> None:
    """The error lists the columns that are there and points to the mapping."""
    path = log("x.csv", b"answer,context\na,b\n")
    with pytest.raises(InputError, match="'answer', 'context'") as caught:
        list(iterate_rows(path, ["response"]))
    assert "--map" in caught.value.hint


def test_parquet_values_of_all_kinds_are_read(log: Log) -> None:
    """Nanoseconds, lists, structs and binary do not stop a Parquet log; a bad value costs its row."""
    sink = io.BytesIO()
    bad = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"a\xff")]
    )
    table = pa.table(
        {
            "t": pa.array([1, 2], pa.timestamp("ns")),
            "l": [["a"], None],
            "s": [{"x": 1}, {"x": 2}],
            "b": [b"\xff", b""],
            "response": bad,
        }
    )
    pq.write_table(table, sink)
    path = log("x.parquet", sink.getvalue())
    assert [row["response"] for row in readable(path)] == ["a"]
    (reject,) = rejects(path)
    assert (reject.position, reject.line) == (1, 2)


def test_only_the_known_part_of_a_growing_log_is_read(log: Log) -> None:
    """Bytes after the given size are left for the next time."""
    data = jsonl()
    path = log("x.jsonl", data + b'{"response": "later"}\n')
    assert len(list(iterate_rows(path, size=len(data)))) == 5


@given(st.lists(st.dictionaries(st.text(max_size=3), st.text()), max_size=5))
def test_any_json_objects_come_back(rows: list[dict[str, str]]) -> None:
    """Any JSON lines are read as they were written, in order."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        path.write_bytes(jsonl(rows))
        assert readable(path) == rows


@given(st.lists(st.tuples(st.text(), st.text(min_size=1)), max_size=5), st.sampled_from("\t,"))
def test_any_csv_comes_back(rows: list[tuple[str, str]], delimiter: str) -> None:
    """Any CSV of the standard writer is read as it was written, in order."""
    rows = [
        (a.encode("utf-8", "replace").decode(), b.encode("utf-8", "replace").decode())
        for a, b in rows
    ]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("a", "b"), *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("x.tsv" if delimiter == "\t" else "x.csv")
        path.write_bytes(text.getvalue().encode())
        assert [(row["a"], row["b"]) for row in readable(path)] == rows
