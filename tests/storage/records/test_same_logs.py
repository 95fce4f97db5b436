"""Tests that a log is its content: whatever becomes of its file, each turn counts once."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsquared.storage.erasing.choosing import ErasureRequest, choose
from qsquared.storage.erasing.erase import erase
from qsquared.storage.files.parquet import read_table
from qsquared.storage.files.remote_paths import place
from qsquared.storage.records.inputs.ingest import find_input, ingest_file
from qsquared.storage.records.inputs.manifests import current_manifests
from qsquared.storage.store import Store
from qsquared.storage.tables import TURNS

if TYPE_CHECKING:
    from collections.abc import Callable

    Log = Callable[..., Path]

LINES = [
    json.dumps({"id": f"t{i}", "response": f"Ferry {i} leaves.", "knowledge": "k" * 200}) + "\n"
    for i in range(40)
]


def packed(lines: list[str]) -> bytes:
    """Return lines as a gzip file."""
    return gzip.compress("".join(lines).encode(), mtime=0)


FILES = {
    "plain": ("a.jsonl", "".join(LINES).encode()),
    "packed": ("a.jsonl.gz", packed(LINES)),
    "grown": ("a.jsonl", "".join([*LINES, LINES[0].replace("t0", "t99")]).encode()),
    "grown and packed": ("a.jsonl.gz", packed([*LINES, LINES[0].replace("t0", "t99")])),
    "cut": ("a.jsonl", "".join(LINES).encode()[:5000]),
    "cut and packed": ("a.jsonl.gz", packed(LINES)[:-100]),
}


@pytest.fixture(params=["folder", "URL"])
def logs(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The place of the logs: a folder, and one behind a URL."""
    return tmp_path if request.param == "folder" else place(f"memory://{tmp_path.name}-logs")


@pytest.fixture(params=["folder", "URL"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """An empty store in a folder, and one behind a URL."""
    at = tmp_path / "store" if request.param == "folder" else place(f"memory://{tmp_path.name}")
    return Store.open(at, create=True)


def write(folder: Path, kind: str) -> Path:
    """Write one state of the log into a folder, and return its path."""
    name, content = FILES[kind]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


def ids(store: Store) -> list[str]:
    """Return the ids of all turns that count, each as often as it counts."""
    return sorted(
        row["id"]
        for one in current_manifests(store)
        for row in read_table(
            store.table_path("turns", one.fingerprint), TURNS, one.fingerprint
        ).to_pylist()
        * len(one.paths)
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize("moved", [True, False])
@pytest.mark.parametrize("second", FILES)
@pytest.mark.parametrize("first", FILES)
def test_each_turn_of_a_log_counts_once(
    store: Store, logs: Path, first: str, second: str, moved: bool
) -> None:
    """Moved or copied, packed or not, grown or cut: the longest content that is there counts."""
    one = write(logs / "logs", first)
    before = ingest_file(store, one).turns
    if moved:
        one.unlink()
    two = write(logs / "archive", second)
    for path in (two, two) if moved else (two, one, two):
        ingest_file(store, path)
        found = ids(store)
        assert len(found) == len(set(found))
    whole = {second} if moved else {first, second}
    assert ("t39" in found) == any("cut" not in kind for kind in whole)
    assert ("t99" in found) == any("grown" in kind for kind in whole)
    # A file that ends early says so itself, and a log in whose place a shorter one comes has shrunk.
    shrunk = moved and len(found) < before
    early = "t39" not in found
    assert any(one.doubt for one in current_manifests(store)) == (shrunk or early)
    known = find_input(store, two)
    assert known is not None
    assert str(two) in known.paths


def test_the_beginning_of_a_log_is_a_log_of_its_own_for_who_says_so(
    store: Store, tmp_path: Path
) -> None:
    """Both count then, and stay so."""
    ingest_file(store, write(tmp_path / "logs", "plain"))
    cut = write(tmp_path / "archive", "cut")
    for apart in (True, False):
        ingest_file(store, cut, as_another_log=apart)
        assert len(ids(store)) > len(LINES)


CONTENTS = {
    "plain": "".join(LINES).encode(),
    "a blank line more": "".join([*LINES, "\n"]).encode(),
    "CRLF": "".join(LINES).replace("\n", "\r\n").encode(),
    "grown": FILES["grown"][1],
    "cut": FILES["cut"][1],
}
READINGS: list[dict[str, str]] = [{}, {"topic": "conversation_id"}]


@given(
    states=st.lists(
        st.tuples(st.sampled_from(sorted(CONTENTS)), st.sampled_from(READINGS)), max_size=8
    )
)
@settings(max_examples=25, deadline=None)
def test_a_log_that_is_changed_again_and_again_counts_as_it_is_now(
    states: list[tuple[str, dict[str, str]]],
) -> None:
    """Written anew, to a state that it had before, too, and read in another way and back."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "store", create=True)
        log = Path(folder) / "a.jsonl"
        for content, reading in states:
            log.write_bytes(CONTENTS[content])
            turns = ingest_file(store, log, reading).turns
            assert len(ids(store)) == len(set(ids(store))) == turns


@pytest.mark.parametrize("second", FILES)
def test_erased_turns_stay_out_of_each_state_of_a_log(tmp_path: Path, second: str) -> None:
    """Packed, grown or cut, the log brings nobody back."""
    store = Store.open(tmp_path / "store", create=True)
    one = write(tmp_path / "logs", "plain")
    ingest_file(store, one)
    erase(store, choose(store, ErasureRequest(ids=("t3",))), ["ids"])
    one.unlink()
    ingest_file(store, write(tmp_path / "archive", second))
    assert "t4" in ids(store)
    assert "t3" not in ids(store)
