"""Tables are written whole and notice every change."""

from __future__ import annotations

import random
import shutil
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from qsquared.storage.files.parquet import DamagedTable, Receipt, check_table, read_table
from qsquared.storage.files.parquet_writer import TableWriter, write_table
from qsquared.storage.sql.views import over
from qsquared.storage.tables import PAIRS, SPANS, TEXT, Column, Table

if TYPE_CHECKING:
    from pathlib import Path

KEY = "ab" * 16
ZEROS = "0" * 64


def pairs(count: int) -> list[dict[str, Any]]:
    """Rows of the pairs table."""
    return [
        {"pair_id": f"{i:032x}", "response": f"reply {i}", "knowledge": [f"fact {i}", ZEROS]}
        for i in range(count)
    ]


def test_a_table_comes_back_as_it_was_written(tmp_path: Path) -> None:
    """Reading gives the rows, the documented schema and the receipt of the writing."""
    path = tmp_path / "p.parquet"
    receipt = write_table(path, pairs(20_000), PAIRS, KEY)
    table = read_table(path, PAIRS, KEY)
    assert table.to_pylist() == pairs(20_000)
    assert table.schema.equals(PAIRS.schema)
    assert check_table(path, PAIRS, KEY) == receipt
    assert receipt.rows == 20_000
    assert Receipt.from_json(asdict(receipt)) == receipt


def test_a_table_without_rows_is_a_table(tmp_path: Path) -> None:
    """An empty table is written, checked and read like any other."""
    path = tmp_path / "p.parquet"
    assert write_table(path, [], PAIRS, KEY).rows == 0
    assert read_table(path, PAIRS, KEY).num_rows == 0


def test_a_table_from_before_a_column_was_added_is_sound(tmp_path: Path) -> None:
    """It is checked as written, and SQL shows NULL in the column; it lacks no other column."""
    now = Table(
        "t", "T.", (Column("a", TEXT, "A."), Column("b", TEXT, "B.", "earlier", later=True))
    )
    before = Table("t", "T.", now.columns[:1])
    other = Table("t", "T.", now.columns[1:])
    path = tmp_path / "t.parquet"
    write_table(path, [{"a": "x"}], before, KEY)
    assert check_table(path, now, KEY).rows == 1
    with duckdb.connect() as connection:
        assert connection.execute(over(now, [path])).fetchall() == [("x", None)]
    write_table(path, [{"a": "x", "b": "y"}], now, KEY)
    with duckdb.connect() as connection:
        assert connection.execute(over(now, [path])).fetchall() == [("x", "y")]
    write_table(path, [{"b": "y"}], other, KEY)
    with pytest.raises(DamagedTable, match="columns"):
        check_table(path, now, KEY)


def test_bytes_depend_on_content_only(tmp_path: Path) -> None:
    """Rows at once or one by one give the same bytes."""
    rows = pairs(9000)
    write_table(tmp_path / "a", rows, PAIRS, KEY)
    with TableWriter(tmp_path / "b", PAIRS, KEY) as writer:
        for row in rows:
            writer.write([row])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_texts_that_look_like_the_placeholder_do_no_harm(tmp_path: Path) -> None:
    """Data that holds the mark of the hash is written and checked like any other."""
    row = {"pair_id": "q2.sha256\x18\x40" + ZEROS, "response": ZEROS, "knowledge": [ZEROS]}
    write_table(tmp_path / "p", [row], PAIRS, KEY)
    assert read_table(tmp_path / "p", PAIRS, KEY).to_pylist() == [row]


def test_every_changed_byte_is_noticed(tmp_path: Path) -> None:
    """No single byte of a file, footer included, can change without notice."""
    path = tmp_path / "p.parquet"
    write_table(path, pairs(3), PAIRS, KEY)
    data = path.read_bytes()
    bits = random.Random(0)
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 << bits.randrange(8)
        path.write_bytes(changed)
        with pytest.raises(DamagedTable):
            check_table(path, PAIRS, KEY)


def test_every_truncation_is_noticed(tmp_path: Path) -> None:
    """A file cut short anywhere, or with a byte more, is damaged."""
    path = tmp_path / "p.parquet"
    write_table(path, pairs(3), PAIRS, KEY)
    data = path.read_bytes()
    for wrong in [*(data[:cut] for cut in range(0, len(data), 7)), data + b"\0", b"\0" + data]:
        path.write_bytes(wrong)
        with pytest.raises(DamagedTable):
            check_table(path, PAIRS, KEY)


def test_a_missing_table_is_damaged(tmp_path: Path) -> None:
    """A deleted file is reported with its path and reason."""
    with pytest.raises(DamagedTable, match="missing") as caught:
        check_table(tmp_path / "p", PAIRS, KEY)
    assert caught.value.path == tmp_path / "p"
    assert caught.value.hint


def test_a_swapped_table_is_damaged(tmp_path: Path) -> None:
    """A whole file under another's name is refused by its key, a table of other kind by its name."""
    write_table(tmp_path / "a", pairs(1), PAIRS, KEY)
    write_table(tmp_path / "b", pairs(1), PAIRS, "cd" * 16)
    write_table(tmp_path / "s", [], SPANS, KEY)
    shutil.copy(tmp_path / "b", tmp_path / "a")
    with pytest.raises(DamagedTable, match="key"):
        check_table(tmp_path / "a", PAIRS, KEY)
    with pytest.raises(DamagedTable, match="table"):
        check_table(tmp_path / "s", PAIRS, KEY)


def test_foreign_parquet_is_damaged(tmp_path: Path) -> None:
    """A Parquet file that the store did not write is refused, right columns or not."""
    pq.write_table(pa.Table.from_pylist(pairs(2), schema=PAIRS.schema), tmp_path / "p")
    with pytest.raises(DamagedTable, match="hash"):
        check_table(tmp_path / "p", PAIRS, KEY)


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    """An exception in the middle of writing leaves no file, and an old file as it was."""

    def broken() -> Any:
        yield from pairs(9000)
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        write_table(tmp_path / "new", broken(), PAIRS, KEY)
    assert list(tmp_path.iterdir()) == []
    receipt = write_table(tmp_path / "old", pairs(1), PAIRS, KEY)
    with pytest.raises(RuntimeError, match="broken"):
        write_table(tmp_path / "old", broken(), PAIRS, KEY)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert check_table(tmp_path / "old", PAIRS, KEY) == receipt


def test_a_row_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    """Unknown columns and NULL where none is allowed are errors; nullable columns may be left out."""
    with pytest.raises(ValueError, match="colour"):
        write_table(tmp_path / "p", [{**pairs(1)[0], "colour": "red"}], PAIRS, KEY)
    with pytest.raises(ValueError, match="response"):
        write_table(tmp_path / "p", [{**pairs(1)[0], "response": None}], PAIRS, KEY)
    write_table(tmp_path / "s", [{"pair_id": "a", "error": "why"}], SPANS, KEY)
    assert read_table(tmp_path / "s", SPANS, KEY).column("start").to_pylist() == [None]


def test_a_receipt_names_the_path_in_its_store(tmp_path: Path) -> None:
    """Below a folder with store.json the path of a receipt is relative to it."""
    (tmp_path / "store.json").write_text("{}")
    receipt = write_table(tmp_path / "pairs" / "x.parquet", pairs(1), PAIRS, KEY)
    assert receipt.path == "pairs/x.parquet"
    assert check_table(tmp_path / "pairs" / "x.parquet", PAIRS, KEY).path == "pairs/x.parquet"


def test_characters_that_trouble_other_formats_are_kept(tmp_path: Path) -> None:
    """NUL, emoji and line separators survive a round trip."""
    row = {"pair_id": "a", "response": "a\0b\u2028😀\r\n", "knowledge": ["\0"]}
    write_table(tmp_path / "p", [row], PAIRS, KEY)
    assert read_table(tmp_path / "p", PAIRS, KEY).to_pylist() == [row]
