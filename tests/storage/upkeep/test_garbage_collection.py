"""Tests of retention: removed files, kept files, and other processes."""

import re
import signal
import subprocess
import sys

import pytest

from qsquared.storage.files.shard_claims import Claim
from qsquared.storage.store import Store
from tests.faults.small_store import (
    WordModels,
    copy_small,
    make_small,
    score_plainly,
    words_for_models,
)


@pytest.fixture(scope="module", autouse=True)
def _words():
    """No model is loaded here."""
    with words_for_models():
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store that was scored by one version of the models and then by the next."""
    small = make_small(tmp_path_factory.mktemp("versions"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            WordModels, "identities", lambda _self, roles: dict.fromkeys(roles, "words 2")
        )
        assert not score_plainly(small)
    return small


_TAKEN_AND_KILLED = """
import os, pathlib, signal, sys
from qsquared.storage.files.shard_claims import Claim
assert Claim(pathlib.Path(sys.argv[1]), sys.argv[2]).take()
os.kill(os.getpid(), signal.SIGKILL)
"""
ROLES = ("parser", "question_generation", "question_answering", "entailment")


@pytest.fixture
def versions(made, tmp_path):
    """A copy to collect from."""
    return copy_small(made, tmp_path)


def digests(small):
    """The short digests by what `q2 gc` says of them."""
    told = small.q2("gc", "--days", "0").out
    return {
        ("kept" if "shown by SQL" in line else "not kept"): re.search(r"[0-9a-f]{8}", line)[0]
        for line in told.splitlines()
        if line.startswith("q2 ")
    }


def of_one_version(files):
    """The tables of the older version alone; a stage without a model has one table for both."""
    stages = {}
    for name in files:
        folder, _, shard = name.rpartition("/")
        if folder.startswith("stages/"):
            stages.setdefault((folder.split("/")[1], shard), []).append(name)
    return [names[0] for names in stages.values() if len(names) > 1]


def test_without_being_asked_nothing_goes(versions):
    """The dry run says how many tables and bytes, and leaves every file as it is."""
    before = versions.files()
    done = versions.q2("gc", "--days", "0")
    assert done.code == 0, done.err
    removed = len(of_one_version(before))
    assert removed == 2 * 8
    assert f"Would remove {removed} tables" in done.out
    assert "not kept" in done.out
    assert versions.files() == before


def test_what_was_used_lately_stays(versions):
    """Thirty days is the default, and both versions are younger."""
    assert "nothing to remove" in versions.q2("gc", "--delete").out


def test_an_older_version_goes_and_the_shown_one_stays(versions):
    """The answers of SQL are the same, the store is sound, and a second time finds nothing."""
    asked = ("sql", "SELECT pair_id, q2, profile FROM scores ORDER BY ALL", "--csv")
    before, files = versions.q2(*asked).out, versions.files()
    done = versions.q2("gc", "--days", "0", "--delete")
    assert done.code == 0, done.err
    left = versions.files()
    assert len(files) - len(left) == int(re.search(r"Removed (\d+) tables", done.out)[1]) > 0
    assert left.items() <= files.items()
    assert {name for name in files if not name.startswith("stages/")} <= set(left)
    assert versions.q2(*asked).out == before
    assert versions.q2("verify").code == 0
    assert "lost" not in versions.q2("status").said
    assert "nothing to remove" in versions.q2("gc", "--days", "0", "--delete").out


def test_what_went_is_made_again_when_it_is_wanted(versions):
    """Back to the older version of the models: the same tables as before, byte for byte."""
    files = versions.files()
    versions.q2("gc", "--days", "0", "--delete")
    assert versions.files() != files
    assert not score_plainly(versions)
    assert versions.files() == files
    assert versions.q2("verify").code == 0


def test_what_is_pinned_stays(versions):
    """A pin holds until it is taken away; its beginning is enough to name it."""
    old = digests(versions)["not kept"]
    assert "pinned" in versions.q2("gc", "--pin", old, "--days", "0", "--delete").out
    assert "nothing to remove" in versions.q2("gc", "--days", "0").out
    assert versions.q2("verify").code == 0
    assert "Would remove" in versions.q2("gc", "--unpin", old, "--days", "0").out


def test_what_sql_shows_goes_only_by_its_name(versions):
    """A profile that nobody wants any more is forgotten whole, and is missed nowhere."""
    shown = digests(versions)["kept"]
    done = versions.q2("gc", "--days", "0", "--forget", shown, "--delete")
    assert done.code == 0, done.err
    assert versions.files("stages") == {}
    assert versions.q2("verify").code == 0
    assert "lost" not in versions.q2("status").said


def test_a_shard_in_use_is_left_alone(versions):
    """Files of a claimed shard are kept, and their size is printed."""
    store = Store.open(versions.store)
    shard = next(iter(sorted(store.root.glob("pairs/*.parquet")))).stem
    claim = Claim(store.root, shard)
    assert claim.take()
    try:
        done = versions.q2("gc", "--days", "0", "--delete")
    finally:
        claim.release()
    assert "1 shard in use" in done.said
    there = [name for name in versions.files("stages") if shard in name]
    # Seven stages ask a model; the sentences are the same for both versions.
    assert len(there) == 2 * 8 + 1
    assert len(versions.files("stages")) == 3 * 8 + 2


def _run_of_the_old_version(small):
    """Let the record of the run whose configuration is not kept say that it goes on; give store and record."""
    store = Store.open(small.store)
    old = digests(small)["not kept"]
    path = next(
        p for p in store.small_files("runs") if store.read_json(p)["configuration"][:8] == old
    )
    store.write_json(path, store.read_json(path) | {"status": "running"})
    return store, path


def test_what_a_run_is_using_stays(versions):
    """A run that goes on keeps its configuration, though no shard is claimed yet."""
    store, path = _run_of_the_old_version(versions)
    claim = Claim(store.root, f"run-{path.stem}")
    assert claim.take()
    try:
        done = versions.q2("gc", "--days", "0", "--delete")
    finally:
        claim.release()
    assert "a run is using it" in done.said
    assert "nothing to remove" in done.said


def test_a_run_that_was_killed_uses_nothing(versions):
    """Its configuration can be forgotten, although its record says that it is running."""
    store, path = _run_of_the_old_version(versions)
    done = subprocess.run(
        [sys.executable, "-c", _TAKEN_AND_KILLED, store.root, f"run-{path.stem}"], check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert Claim(store.root, f"run-{path.stem}").owner is not None
    before = len(versions.files("stages"))
    done = versions.q2("gc", "--days", "0", "--delete")
    assert done.code == 0
    assert "a run is using it" not in done.said
    assert len(versions.files("stages")) < before


def test_a_digest_that_names_nothing_is_reported(versions):
    """A slip of the pen removes nothing."""
    done = versions.q2("gc", "--forget", "ffffffff", "--delete")
    assert done.code == 2
    assert "No configuration of the store has a digest that begins with 'ffffffff'" in done.err
