"""Tests of contents that an older version counted once for each of their paths."""

from dataclasses import replace

import pytest

from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.records.inputs.manifests import current_manifests, read_manifest
from qsquared.storage.store import Store
from tests.calling import q2

ROW = '{"knowledge": "Lima lies in Peru.", "response": "Lima lies in Peru."}\n'


@pytest.fixture
def doubled(tmp_path):
    """A store that counts one content for a path that is gone and for one that is there."""
    store = Store.open(tmp_path / "store", create=True)
    log = tmp_path / "b.jsonl"
    log.write_text(ROW)
    manifest = ingest_file(store, log)
    older = replace(manifest, paths=(str(tmp_path / "a.jsonl"), str(log)))
    store.write_json(store.manifest_path(manifest.fingerprint), older.to_json())
    return store, manifest.fingerprint


def test_doubles_are_named_and_then_counted_once(doubled):
    """`verify` names both paths, and with --repair the one that is there stays."""
    store, name = doubled
    found = q2("verify", "--store", store.root)
    assert found.code == 65
    assert "its turns count 2 times" in found.said
    q2("verify", "--repair", "--store", store.root)
    assert read_manifest(store, name).paths == (str(store.root.parent / "b.jsonl"),)
    assert q2("verify", "--store", store.root).code == 0


def test_the_beginning_of_a_log_is_named_and_counted_no_more(tmp_path):
    """An older version read a cut copy as a log of its own."""
    store = Store.open(tmp_path / "store", create=True)
    rows = [ROW.replace("Lima", f"Lima {i}") for i in range(5)]
    other = [row.replace("{", '{"id": "x", ', 1) for row in rows]
    for name, lines in (("other", other), ("whole", rows), ("cut", rows[:3])):
        log = tmp_path / f"{name}.jsonl"
        log.write_text("".join(lines))
        apart = replace(ingest_file(store, log, as_another_log=True), apart=False)
        store.write_json(store.manifest_path(apart.fingerprint), apart.to_json())
    assert "count again in" in q2("verify", "--store", store.root).said
    q2("verify", "--repair", "--store", store.root)
    assert [one.turns for one in current_manifests(store)] == [5, 5]
    assert q2("verify", "--store", store.root).code == 0
    assert "is the beginning of" in q2("ingest", log, "--store", store.root).said
    assert [one.turns for one in current_manifests(store)] == [5, 5]


def test_logs_that_a_person_keeps_apart_are_no_doubles(doubled):
    """A log that `q2 ingest --as-another-log` counted stays."""
    store, name = doubled
    apart = replace(read_manifest(store, name), apart=True)
    store.write_json(store.manifest_path(name), apart.to_json())
    assert q2("verify", "--store", store.root).code == 0
