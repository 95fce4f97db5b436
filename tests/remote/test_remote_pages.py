"""Tests that the pages of ``q2 serve`` show a store at a URL, and say that it does not answer."""

from dataclasses import replace
from unittest import mock

import pytest

from qsquared.serve.watched import state_of
from qsquared.storage.files.remote_paths import place
from qsquared.storage.store import Store
from tests.faults.small_store import make_small, score_plainly, words_for_models
from tests.serve.conftest import client_of, ready
from tests.serve.test_pages import replies, words

pytestmark = pytest.mark.slow


def test_the_pages_show_a_store_at_a_url(tmp_path, s3, root):
    """As they show one in a folder; without an answer of its server a page is a sentence."""
    with words_for_models():
        small = replace(make_small(tmp_path), store=root)
        assert not score_plainly(small)
    here, there = (ready(client_of(place(str(store)))) for store in (tmp_path / "store", root))
    found = replies(there.get("/search"))
    assert found
    assert found == replies(here.get("/search"))
    for path in ("/", f"/reply/{found[0]}", "/run"):
        assert there.get(path).status_code == 200, words(there.get(path))
    shown = [words(client.get(f"/reply/{found[0]}")) for client in (here, there)]
    assert shown[0].partition("The reply")[2] == shown[1].partition("The reply")[2] != ""
    with mock.patch.multiple(s3.failing, share=1.0, refusing=True):
        answer = there.get("/run")
        assert answer.status_code == 500
        assert "cannot be reached" in words(answer)
        assert there.get("/search").status_code == 200


def test_a_look_for_changes_takes_few_requests(s3, root):
    """A few for each kind of files, however many there are; one that is written anew is seen."""
    store = Store.open(place(root), create=True)
    for n in range(30):
        (store.root / "inputs" / f"{n}.json").write_bytes(b"1")
    asked, app = [], s3.failing.app

    def counted(environ, start_response):
        asked.append(environ["REQUEST_METHOD"])
        return app(environ, start_response)

    with mock.patch.object(s3.failing, "app", counted):
        before = state_of(store)
    assert len(asked) < 30
    assert state_of(store) == before
    (store.root / "inputs" / "3.json").write_bytes(b"2")
    assert state_of(store) != before
