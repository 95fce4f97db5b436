"""Tests that each kind of damage to each kind of file is named, never read, quarantined and repaired.

The matrix runs the steps of a scoring without Prefect; `test_corruption_prefect.py` has Prefect.
"""

import dataclasses
import errno
import json
import shutil

import pyarrow.parquet as pq
import pytest

from qsquared.errors import StoreError
from qsquared.storage.files.file_errors import DamagedFile
from qsquared.storage.store import Store
from qsquared.storage.upkeep.verify import MISSING, verify
from qsquared.tasks.metrics import Q2
from tests.faults.small_store import copy_small, make_small, score_plainly, words_for_models

STAGES = [stage.name for stage in Q2.stages]
PLAIN = ["turns", "rejects", "pairs"]
SMALL = ["inputs", "lineages", "configurations"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A scored store, to be copied."""
    with words_for_models():
        yield make_small(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def small(whole, tmp_path):
    """A copy of the scored store."""
    return copy_small(whole, tmp_path)


def files_of_kind(store, kind):
    """The files of a kind, in order."""
    pattern = f"stages/{kind}/*/*.parquet" if kind in STAGES else f"{kind}/*"
    return sorted(store.glob(pattern))


def truncate(path):
    """Cut the end off."""
    path.write_bytes(path.read_bytes()[:-20])


def flip(path):
    """Change one bit."""
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)


def empty(path):
    """Leave no byte."""
    path.write_bytes(b"")


def swap(path):
    """Put its neighbour in its place: another shard's or log's, lineage or configuration."""
    other = next(p for p in sorted(path.parent.iterdir()) if p != path)
    shutil.copy(other, path)


def foreign(path):
    """Put a sound file that the store did not write in its place, with the same columns."""
    if path.suffix == ".json":
        path.write_text(json.dumps({"fingerprint": path.stem, "metric": "q2"}))
    else:
        pq.write_table(pq.read_table(path, partitioning=None), path)


def other_stage(path):
    """Put a file of another kind in its place."""
    root = next(folder for folder in path.parents if (folder / "store.json").exists())
    kind = "rejects" if path.parent.name != "rejects" else "turns"
    shutil.copy(max((root / kind).iterdir()), path)


def break_footer(path):
    """Change the footer only."""
    data = bytearray(path.read_bytes())
    data[-30] ^= 0xFF
    path.write_bytes(data)


def no_json(path):
    """Write bytes that are neither JSON nor text."""
    path.write_bytes(b"\xff\x00 no json")


TABLE_DAMAGE = [truncate, flip, empty, swap, foreign, other_stage, break_footer]
JSON_DAMAGE = [truncate, flip, empty, foreign, no_json]
CELLS = [
    *((kind, harm) for kind in (*PLAIN, *STAGES) for harm in TABLE_DAMAGE),
    *((kind, harm) for kind in (*SMALL, "runs") for harm in JSON_DAMAGE),
    *((kind, swap) for kind in ("inputs", "lineages")),
]
READERS = {
    "inputs": ("sql", "status", "explain"),
    **dict.fromkeys(("turns", "pairs", "scores", "lineages"), ("sql", "explain")),
}
"""The commands that read each kind; `q2 status` counts tables and reads none."""


def matrix():
    """Every kind, damage and reader; each pair of them is met in the quick tests."""
    for number, (kind, harm) in enumerate(CELLS):
        readers = READERS.get(kind, ("sql",))
        for reader in readers:
            quick = reader == readers[number % len(readers)]
            yield pytest.param(kind, harm, reader, marks=[] if quick else pytest.mark.slow)


def wrong_paths(store):
    """The files that a check of the whole store finds wrong."""
    return {finding.path for finding in verify(Store(store)).findings if finding.wrong}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("kind", "harm", "reader"), list(matrix()), ids=lambda value: getattr(value, "__name__", value)
)
def test_a_damaged_file_is_refused_before_anything_is_read_from_it(whole, kind, harm, reader):
    """Each reader of a damaged file ends with the file's name and a remedy."""
    path = files_of_kind(whole.store, kind)[0]
    table = kind if kind in [*PLAIN, *STAGES, "runs"] else "scores"
    command = {"sql": ("sql", f"FROM {table}"), "status": ("status",), "explain": ("explain", "t1")}
    before = path.read_bytes()
    harm(path)
    try:
        asked = whole.q2(*command[reader])
    finally:
        path.write_bytes(before)
    assert asked.code == 65
    assert path.name in asked.err
    if reader == "sql":
        assert asked.out == ""
        assert str(path.relative_to(whole.store)) in asked.err
    assert "q2 verify" in asked.err or "q2 score" in asked.err


@pytest.mark.parametrize(
    "command", [("sql", "FROM scores"), ("explain", "t1"), ("report",)], ids=lambda told: told[0]
)
def test_a_damaged_record_of_a_run_stops_nobody_who_does_not_ask_for_it(
    whole, command, tmp_path, monkeypatch
):
    """Scores are shown, and a warning names the file and the remedy."""
    monkeypatch.chdir(tmp_path)
    path = files_of_kind(whole.store, "runs")[0]
    before = path.read_bytes()
    no_json(path)
    try:
        asked = whole.q2(*command)
    finally:
        path.write_bytes(before)
    assert asked.code == 0, asked.err
    assert path.name in asked.err
    assert "q2 score" in asked.err or "q2 verify" in asked.err


@pytest.mark.sampled(3)
@pytest.mark.parametrize("harm", TABLE_DAMAGE, ids=lambda harm: harm.__name__)
def test_damaged_tables_are_named_put_aside_and_made_again(small, whole, harm):
    """With one table of each kind damaged, the check names those, and scoring makes them anew."""
    paths = [files_of_kind(small.store, kind)[0] for kind in (*PLAIN, *STAGES)]
    for path in paths:
        harm(path)
    names = {str(path.relative_to(small.store)) for path in paths}
    assert wrong_paths(small.store) == names
    said = score_plainly(small)
    assert all(name in said for name in names)
    assert len(list((small.store / "quarantine").iterdir())) == len(names)
    assert small.files() == whole.files()
    assert wrong_paths(small.store) == set()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("harm", JSON_DAMAGE, ids=lambda harm: harm.__name__)
def test_damaged_small_files_are_named_put_aside_and_written_again(small, whole, harm):
    """A run goes on without them, and all but the record of a run come back."""
    paths = {kind: files_of_kind(small.store, kind)[0] for kind in (*SMALL, "runs")}
    for path in paths.values():
        harm(path)
    names = {str(path.relative_to(small.store)) for path in paths.values()}
    assert wrong_paths(small.store) == names
    said = score_plainly(small)
    assert all(name in said for name in names)
    assert [kind for kind, path in paths.items() if not path.exists()] == ["runs"]
    assert small.files() == whole.files()
    assert wrong_paths(small.store) == set()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", [*PLAIN, *STAGES, *SMALL])
def test_a_deleted_file_is_missed(whole, kind):
    """SQL over its table refuses, or says that it shows less than there was; the check says so too."""
    path = files_of_kind(whole.store, kind)[0]
    before = path.read_bytes()
    path.unlink()
    try:
        asked = whole.q2("sql", f"FROM {kind if kind in [*PLAIN, *STAGES] else 'scores'}")
        kinds = {finding.kind for finding in verify(Store(whole.store)).findings}
    finally:
        path.write_bytes(before)
    assert MISSING in kinds
    assert asked.code == 65 or "not shown" in asked.err
    assert "q2 score" in asked.err


def test_deleted_files_are_made_again(small, whole):
    """With one file of each kind gone, scoring gives every table back, byte for byte."""
    for kind in (*PLAIN, *STAGES, *SMALL):
        files_of_kind(small.store, kind)[0].unlink()
    score_plainly(small)
    assert small.files() == whole.files()
    assert wrong_paths(small.store) == set()
    assert "not shown" not in small.q2("sql", "FROM scores").err


@pytest.mark.parametrize("content", [b"", b"{", b'{"schema_version": 2}', None])
def test_a_damaged_store_file_is_written_again_from_what_the_tables_state(small, whole, content):
    """Readers refuse with the command that puts it right, and the next scoring does."""
    path = small.store / "store.json"
    path.unlink() if content is None else path.write_bytes(content)
    assert wrong_paths(small.store) == {"store.json"}
    asked = small.q2("sql", "FROM scores")
    assert asked.code == 65
    assert "q2 verify --quarantine --store" in asked.err
    assert small.q2("verify", "--quarantine").code == 65
    assert small.q2("verify").code == 0
    score_plainly(small)
    assert path.read_bytes() == (whole.store / "store.json").read_bytes()
    assert small.files() == whole.files()


def test_turns_whose_log_is_gone_are_reported_as_lost(small, tmp_path):
    """The error says that the log is gone; after quarantine the rest can be queried and the loss is reported."""
    log = tmp_path / "c.jsonl"
    log.write_text(small.logs[0].read_text().replace("trains", "boats"))
    more = dataclasses.replace(small, logs=(*small.logs, log))
    score_plainly(more)
    log.unlink()
    manifests = (
        Store(small.store).read_json(path) for path in files_of_kind(small.store, "inputs")
    )
    (name,) = (told["fingerprint"] for told in manifests if str(log) in told["paths"])
    flip(small.store / "turns" / f"{name}.parquet")
    asked = small.q2("sql", "FROM turns")
    assert asked.code == 65
    assert f"Its log {log} is gone" in asked.err
    score_plainly(small)
    assert small.q2("sql", "FROM turns").code == 65
    assert small.q2("verify", "--quarantine").code == 65
    asked = small.q2("sql", "SELECT count(*) FROM turns", "--csv")
    assert (asked.code, asked.out.split()) == (0, ["count_star()", "10"])
    assert f"{log} is lost" in asked.err
    assert small.q2("verify").code == 0


def test_a_manifest_of_another_log_that_is_broken_does_not_stop_a_run(small, tmp_path):
    """A run about other logs puts it aside, and readers say whose turns are not shown."""
    path = files_of_kind(small.store, "inputs")[0]
    log = Store(small.store).read_json(path)["paths"][0]
    flip(path)
    (other,) = (log_ for log_ in small.logs if str(log_) != log)
    said = score_plainly(dataclasses.replace(small, logs=(other,)))
    assert path.name in said
    asked = small.q2("sql", "FROM turns")
    assert (asked.code, f"{log} is lost" in asked.err) == (0, True)
    assert f"q2 score {log}" in asked.err


def test_an_unreadable_file_is_not_taken_for_a_damaged_one(small, monkeypatch):
    """A file that the machine refuses to open is not quarantined."""
    path = files_of_kind(small.store, "scores")[0]

    def refuse(self, *arguments, **options):
        if self == path:
            raise OSError(errno.EMFILE, "Too many open files")
        return opened(self, *arguments, **options)

    opened = type(path).open
    monkeypatch.setattr(type(path), "open", refuse)
    with pytest.raises(StoreError, match="Too many open files") as caught:
        score_plainly(small)
    assert not isinstance(caught.value, DamagedFile)
    assert not (small.store / "quarantine").exists()
