"""Tests of the pages over stores that are empty, damaged, or cannot be read."""

import json
import os
import re
import shutil
import threading
import time

import pytest

from qsquared.serve import app as pages_module
from qsquared.serve import snapshot as module
from qsquared.serve import watched
from qsquared.storage.store import Store
from tests.calling import q2
from tests.faults.small_store import PROFILES, words_for_models
from tests.serve.conftest import client_of, ready
from tests.serve.test_pages import replies, words


@pytest.fixture
def client(desk, tmp_path):
    """A client of the pages over a copy of the desk's store."""
    shutil.copytree(desk, tmp_path / "store")
    return ready(client_of(tmp_path / "store"))


def is_locked(answer):
    """Whether an answer has the headers of a locked page and no traceback."""
    policy = answer.headers.get("content-security-policy", "")
    return policy.startswith("default-src 'none'") and "Traceback" not in answer.text


def test_an_empty_store_says_so(tmp_path):
    """It is not waited for."""
    Store.open(tmp_path / "store", create=True)
    answer = ready(client_of(tmp_path / "store")).get("/")
    assert "Nothing in the store was scored yet." in words(answer)


def test_a_store_that_cannot_be_read_says_why(tmp_path, monkeypatch):
    """Whatever the error, the page has its first line, and the store is read again once it changes."""

    def fail(*_):
        raise RuntimeError("the disk is on fire\nand more")

    Store.open(tmp_path / "store", create=True)
    with monkeypatch.context() as broken:
        broken.setattr(watched, "take", fail)
        client = ready(client_of(tmp_path / "store"))
        answer = client.get("/")
        assert answer.status_code == 500
        assert "The store could not be asked: the disk is on fire" in words(answer)
        assert is_locked(answer)
    monkeypatch.setattr(watched, "state_of", lambda _: "changed")
    assert "Nothing in the store was scored yet." in words(ready(client).get("/"))


def test_figures_that_cannot_be_renewed_say_so(client, monkeypatch):
    """The earlier ones stay, with the reason beside them."""

    def fail(*_):
        raise PermissionError(13, "Permission denied", "runs")

    monkeypatch.setattr(watched, "take", fail)
    monkeypatch.setattr(watched, "state_of", lambda _: "changed")
    for _ in range(600):
        said = words(client.get("/"))
        if "could not be counted again" in said:
            break
    assert "could not be counted again. runs may not be used by" in said
    assert "scored turns" in said


def test_a_store_that_cannot_be_listed_says_why(client, monkeypatch):
    """Also while the earlier figures are shown."""

    def refuse(*_):
        raise PermissionError(13, "Permission denied", "inputs")

    monkeypatch.setattr(watched, "stamps", refuse)
    monkeypatch.setattr(Store, "small_files", refuse)
    for _ in range(600):
        answer = client.get("/")
        if "could not be counted again" in words(answer):
            break
    assert answer.status_code == 200
    assert "inputs may not be used by" in words(answer)


def test_an_error_that_nobody_foresaw_is_a_locked_page(client, monkeypatch):
    """With a sentence, and with the headers of every other page."""

    def fail(_):
        raise ValueError("no such thing")

    monkeypatch.setattr(pages_module, "runs_of", fail)
    answer = client.get("/run")
    assert answer.status_code == 500
    assert "The store could not be asked: no such thing" in words(answer)
    assert is_locked(answer)


def test_what_duckdb_refuses_is_a_sentence(client, monkeypatch):
    """With what to do, and no more than the first line of its words."""
    monkeypatch.setitem(module.PLACES, "anywhere", "nothing_like_it")
    answer = client.get("/search?q=bag")
    assert answer.status_code == 500
    assert "The store could not be asked: Binder Error" in words(answer)
    assert "q2 verify" in words(answer)
    assert is_locked(answer)


def test_a_number_of_thousands_of_digits_is_a_page(client):
    """It is the last page that a search shows."""
    assert client.get("/search", params={"from": "9" * 5000}).status_code == 200


def test_the_tables_of_a_reply_are_checked(client, tmp_path):
    """A damaged one is named, and nothing is shown of it."""
    pair = replies(client.get("/search?which=inconsistent"))[0]
    assert client.get(f"/reply/{pair}").status_code == 200
    for path in (tmp_path / "store" / "stages" / "comparisons").rglob("*.parquet"):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(bytes(content))
    answer = client.get(f"/reply/{pair}")
    assert answer.status_code == 500
    assert "stages/comparisons" in words(answer)
    assert "Make it again: q2 score" in words(answer)
    assert is_locked(answer)


def test_a_store_of_other_metrics_says_that_q2_is_missing(tmp_path):
    """Its scores are named, as they are in a report; ids of what is not there are cut."""
    log = tmp_path / "log.jsonl"
    log.write_text('{"id": "an odd id", "response": "a b", "knowledge": "a"}\n')
    done = q2("score", log, "--store", tmp_path / "store", "--metric", "overlap")
    assert done.code == 0, done.err
    answer = ready(client_of(tmp_path / "store")).get("/")
    assert "Nothing in the store was scored with Q² yet, only with overlap." in words(answer)


def test_the_words_of_an_address_are_cut(client):
    """A page is no larger for what somebody asks of it."""
    answer = client.get(f"/reply/{'a' * 5000}")
    assert answer.status_code == 404
    assert len(answer.text) < 2000


def test_an_unknown_profile_is_refused_at_once(desk):
    """The command names those that the store has."""
    done = q2("serve", "--store", desk, "--profile", "nope")
    assert done.code == 2
    assert "The store has: compact." in done.err


@pytest.mark.slow
def test_a_reply_that_shows_nothing_can_be_opened(tmp_path):
    """The link to it has words, and so has a reply that begins with such characters."""
    rows = [{"response": text, "knowledge": "k"} for text in ("\u200b\ufeff \u00ad", "\u200bSeen")]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "profiles.toml").write_text(PROFILES)
    options = ("--profile", "small", "--profiles", tmp_path / "profiles.toml")
    with words_for_models():
        done = q2("score", tmp_path / "log.jsonl", "--store", tmp_path / "store", *options)
    assert done.code == 0, done.err
    client = ready(client_of(tmp_path / "store"))
    shown = re.findall(r'href="/reply/(\w+)[^>]*>(.*?)</a>', client.get("/search").text)
    assert {text for _, text in shown} == {"(blank)", "\u200bSeen"}
    assert all(client.get(f"/reply/{pair}").status_code == 200 for pair, _ in shown)


@pytest.mark.parametrize(
    "name", ["inputs/a.json", "runs/b.json", "draws/c.parquet", "labels/d.parquet"]
)
def test_whatever_the_pages_show_is_read_again(tmp_path, name):
    """New files count, and those that are written anew; temporary ones do not."""
    store = Store.open(tmp_path / "store", create=True)
    path = tmp_path / "store" / name
    before = watched.state_of(store)
    path.parent.mkdir(exist_ok=True)
    (path.parent / ".tmp").touch()
    assert watched.state_of(store) == before
    path.write_text("1")
    new = watched.state_of(store)
    os.utime(path, ns=(1, 1))
    assert len({before, new, watched.state_of(store)}) == 3


def test_a_page_does_not_wait_for_a_store_that_is_slow_to_answer(client, monkeypatch):
    """It shows what was counted, and the store is looked at meanwhile."""
    let_go = threading.Event()
    monkeypatch.setattr(watched, "_LOOK_SECONDS", 0.05)
    monkeypatch.setattr(watched, "state_of", lambda _: str(let_go.wait(60)))
    begun = time.monotonic()
    assert "scored turns" in words(client.get("/"))
    assert time.monotonic() - begun < 30
    let_go.set()
