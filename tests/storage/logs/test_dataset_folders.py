"""A Hugging Face dataset folder on disk is read without the library that wrote it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import ipc

from qsquared.errors import InputError
from qsquared.storage.logs.file_types.detect import iterate_rows
from qsquared.storage.logs.paths import expand_inputs
from qsquared.storage.logs.rows import RawRow, UnreadableRow
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.store import Store
from tests.storage.logs.adapter_logs import OPENAI

ROWS = [{"response": f"r {i}", "knowledge": ["k", f"{i}"], "label": i} for i in range(5)]


def write_arrow(path: Path, rows: list[dict[str, object]], *, stream: bool = True) -> None:
    """Rows in batches of two, as a stream (what datasets writes) or as a file."""
    table = pa.Table.from_pylist(rows)
    opened = ipc.new_stream if stream else ipc.new_file
    with opened(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A saved dataset with two splits, of which one was shuffled and one came out of a map."""
    folder = tmp_path / "dataset"
    for split, names in (
        ("train", ["data-00000-of-00001.arrow"]),
        ("test", ["data-00000-of-00001.arrow"]),
    ):
        (folder / split).mkdir(parents=True)
        for name in names:
            write_arrow(folder / split / name, ROWS)
        write_arrow(folder / split / "cache-1b2c3d.arrow", ROWS)
        write_arrow(folder / split / "indices.arrow", [{"indices": 1}])
        (folder / split / "dataset_info.json").write_text('{"features": {}}')
        state = {"_data_files": [{"filename": name} for name in names], "_fingerprint": "d665"}
        (folder / split / "state.json").write_text(json.dumps(state))
    (folder / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    return folder


def test_a_dataset_is_its_data_files_and_nothing_else(dataset: Path, store: Store) -> None:
    """Metadata and cache files of a dataset are not logs."""
    found = expand_inputs([str(dataset)])
    assert [path.relative_to(dataset).as_posix() for path in found] == [
        "test/data-00000-of-00001.arrow",
        "train/data-00000-of-00001.arrow",
    ]
    manifest = ingest_file(store, found[0])
    assert (manifest.format, manifest.turns, manifest.rejects) == ("arrow", 5, 0)


def test_a_log_that_is_called_state_json_stays_a_log(tmp_path: Path) -> None:
    """Only beside the other files of a dataset is it one of them."""
    (tmp_path / "state.json").write_text('{"response": "r"}\n')
    assert expand_inputs([str(tmp_path)]) == [tmp_path / "state.json"]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("name", ["x.arrow", "x", "x.arrow.gz"])
def test_both_arrow_formats_give_their_rows(tmp_path: Path, name: str, stream: bool) -> None:
    """Streams and files, packed or not, are recognised by their content."""
    path = tmp_path / name
    write_arrow(path, ROWS, stream=stream)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    found = list(iterate_rows(path))
    assert [row.fields for row in found if isinstance(row, RawRow)] == ROWS
    assert [row.position for row in found] == [0, 1, 2, 3, 4]


def test_conversations_in_a_dataset_are_known_too(tmp_path: Path, store: Store) -> None:
    """Rows with messages are read as such, whatever they lie in."""
    path = tmp_path / "x.arrow"
    rows = [row | {"messages": json.dumps(row["messages"])} for row in OPENAI]
    write_arrow(path, rows)
    manifest = ingest_file(store, path)
    assert (manifest.format, manifest.turns) == ("arrow+openai", 1)


def test_an_arrow_log_cut_short_gives_the_rows_before(tmp_path: Path) -> None:
    """The whole batches are read, and a reject says where it ends."""
    path = tmp_path / "x.arrow"
    rows = [{"response": f"r {i}" * 300, "knowledge": "k"} for i in range(6)]
    write_arrow(path, rows)
    path.write_bytes(path.read_bytes()[:-800])
    found = list(iterate_rows(path))
    assert [row.fields for row in found if isinstance(row, RawRow)] == rows[:4]
    (reject,) = [row for row in found if isinstance(row, UnreadableRow)]
    assert "cannot be read from here on" in reject.reason


def test_what_is_no_arrow_is_one_error(tmp_path: Path) -> None:
    """The name promises what the bytes do not keep."""
    path = tmp_path / "x.arrow"
    path.write_bytes(b"ARROW1\x00\x00 and nothing more")
    with pytest.raises(InputError, match="cannot be read as Arrow"):
        list(iterate_rows(path))
