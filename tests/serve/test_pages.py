"""Tests of the pages of ``q2 serve``: what they show, and that they only read."""

import json
import re
import shutil
import time
from html import unescape

import duckdb
import pytest

from qsquared.serve import snapshot as module
from qsquared.serve.snapshot import excerpt, take
from qsquared.serve.watched import Watched
from qsquared.storage.files.shard_claims import run_claim
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.sql.queries import query
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store
from tests.calling import files_of
from tests.serve.conftest import client_of, ready


def words(answer):
    """The words of a page."""
    return " ".join(unescape(re.sub("<[^>]+>", " ", answer.text)).split())


def replies(answer):
    """The ids of the pairs that a page links to."""
    return re.findall(r'href="/reply/(\w+)', answer.text)


@pytest.fixture(scope="module")
def ask(scored):
    """A function from SQL to rows of the example store."""
    with connect(Store.open(scored.store)) as connection:
        yield lambda sql: query(connection, sql).rows()


def test_the_overview_has_the_figures_of_the_report(pages, ask):
    """Rate, groups and what became of every row, over the whole store."""
    ((wrong, scored),) = ask("SELECT sum(inconsistent)::INT, sum(scored)::INT FROM daily")
    said = words(pages.get("/"))
    assert f"{wrong} of {scored} scored turns" in said
    assert "Where it concentrates" in said
    assert "What became of every row" in said


def test_a_search_finds_words_in_replies_and_knowledge(pages, ask):
    """All words, in capitals or not, wherever they are asked for; the lowest score comes first."""
    found = replies(pages.get("/search?q=MUSEUM ticket"))
    expected = ask(
        "SELECT p.pair_id FROM pairs p JOIN scores USING (pair_id) WHERE "
        "lower(p.response || ' ' || array_to_string(p.knowledge, ' ')) LIKE '%museum%' AND "
        "lower(p.response || ' ' || array_to_string(p.knowledge, ' ')) LIKE '%ticket%' ORDER BY q2"
    )
    assert set(found) == {pair for (pair,) in expected}
    assert (
        0
        < len(set(replies(pages.get("/search?q=museum&in=replies"))))
        < len(set(replies(pages.get("/search?q=museum&in=anywhere"))))
    )
    scores = re.findall(r'data-label="Score" class="n">([\d.]+)<', pages.get("/search").text)
    assert scores
    assert scores == sorted(scores)


def test_a_search_finds_an_id(pages, ask):
    """Of each turn that gave the reply, or of the pair."""
    ((pair,),) = ask("SELECT pair_id FROM turns WHERE id = '1116-024'")
    assert replies(pages.get("/search?q=1116-024")) == [pair]
    assert replies(pages.get(f"/search?q={pair}")) == [pair]
    given = ask("SELECT pair_id, id FROM turns QUALIFY count(*) OVER (PARTITION BY pair_id) > 1")
    assert len({pair for pair, _ in given if pair}) < len(given)
    assert all(pair in replies(pages.get(f"/search?q={name}")) for pair, name in given if pair)


def test_a_search_goes_on_page_by_page(pages, ask):
    """No reply is left out and none comes twice."""
    found, address = [], "/search"
    while address:
        answer = pages.get(address)
        found += replies(answer)
        more = re.search(r'rel="next" href="([^"]+)"', answer.text)
        address = unescape(more[1]) if more else None
    ((number,),) = ask("SELECT count(*) FROM pairs")
    assert len(found) == len(set(found)) == number


def test_groups_of_the_overview_lead_to_their_replies(pages, ask):
    """Each value is an address of a search, which finds the replies of its turns."""
    page = pages.get("/").text
    for name, condition in (
        ("field=bot_version&amp;value=1.5", "metadata->>'bot_version' = '1.5'"),
        ("field=log+file&amp;value=2026-11-17.jsonl", "source LIKE '%2026-11-17.jsonl'"),
    ):
        (address,) = set(re.findall(f'href="([^"]*{re.escape(name)})"', page))
        expected = ask(
            f"SELECT DISTINCT pair_id FROM turns WHERE {condition} AND pair_id IS NOT NULL"
        )
        answer = pages.get(unescape(address))
        found = set(replies(answer))
        assert found
        scores = re.findall(r'data-label="Score" class="n">([\d.]+)<', answer.text)
        assert scores == sorted(scores)
        assert found <= {pair for (pair,) in expected}
        assert len(found) == min(len(expected), module.ROWS_A_PAGE)


def test_a_search_marks_what_it_found_and_goes_both_ways(pages):
    """Words stand marked; a second page leads back."""
    text = pages.get("/search?q=museum").text
    assert re.search(r'<mark class="hit">[Mm]useum</mark>', text)
    assert 'rel="prev"' not in text
    second = pages.get("/search?from=50&which=").text
    assert re.search(r'rel="prev" href="/search\?from=0"', second)


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("The Museum is open", "museum", [("The ", False), ("Museum", True), (" is o", False), (" …", False)]),
        ("open", "", [("open", False)]),
        ("x" * 30 + " museum", "museum", [("… ", False), ("xxxx ", False), ("museum", True)]),
    ],
)  # fmt: skip
def test_an_excerpt_shows_the_first_word_found(text, words, expected):
    """It begins near the word where that lies beyond its length."""
    assert excerpt(text, words, 15) == expected


@pytest.mark.parametrize(
    "text", ["%", "'", "_", "\\", "<script>", "x" * 5000, "\x00", "🙂 ' OR 1=1"]
)
def test_odd_words_find_nothing_and_break_nothing(pages, text):
    """They are values of a query, and text on the page."""
    answer = pages.get("/search", params={"q": text, "in": "'", "which": text, "from": text})
    assert answer.status_code == 200
    assert "<script" not in answer.text


def test_a_reply_has_an_address_of_its_own(pages, ask):
    """With its marks, knowledge, questions and the turns that gave it, whether scored or not."""
    ((pair,),) = ask("SELECT pair_id FROM turns WHERE id = '1116-024'")
    said = words(pages.get(f"/reply/{pair}"))
    assert "1116-024" in said
    assert "may weigh up to 23 kilograms" in said
    assert "the knowledge says otherwise" in said
    ((pair,),) = ask("SELECT any_value(pair_id) FROM scores WHERE q2 IS NULL")
    assert "A reply without a score" in words(pages.get(f"/reply/{pair}"))


@pytest.mark.parametrize("path", ["/reply/none", "/reply/' OR 1=1", "/nothing"])
def test_what_is_not_there_is_a_sentence(pages, path):
    """With status 404."""
    answer = pages.get(path)
    assert answer.status_code == 404
    assert "Traceback" not in answer.text


def test_the_run_shows_its_work(pages, ask):
    """Its status, and how much of each stage is done."""
    ((run, status),) = ask("SELECT run_id, status FROM runs ORDER BY run_id DESC LIMIT 1")
    said = words(pages.get("/run"))
    assert run in said
    assert status in said
    assert re.search(r"comparisons 1 1 100.0%", said)


def test_a_run_at_work_is_shown_as_such(desk, tmp_path):
    """From the records of the store, without a server of Prefect; one that was killed is not."""
    shutil.copytree(desk, tmp_path / "store")
    store = Store.open(tmp_path / "store")
    (path,) = store.small_files("runs")
    content = store.read_json(path)
    run = "29990101T000000-abcdef"
    started = {"run_id": run, "status": "running", "started_at": "2999-01-01T00:00:00+00:00"}
    store.write_json(store.small_file("runs", run), content | started)
    client, claim = client_of(tmp_path / "store"), run_claim(store.root, run)
    assert claim.take()
    said = words(client.get("/run"))
    assert "A run is at work" in said
    assert run in said
    claim.release()
    said = words(client.get("/run"))
    assert "No run is at work" in said
    assert f"{run} killed" in said


def test_a_page_reads_itself_again_only_if_asked(pages):
    """The run can be watched as it goes on, and the page links to both ways."""
    assert 'http-equiv="refresh"' not in pages.get("/run").text
    watched = pages.get("/run?every=5").text
    assert '<meta http-equiv="refresh" content="5">' in watched
    assert 'href="/run"' in watched


def test_every_answer_has_the_headers_of_a_locked_page(pages):
    """No script, no other address, no frame, also on errors; the pages name nothing else."""
    for path in ("/", "/search?q=a", "/run", "/style.css", "/nothing"):
        answer = pages.get(path)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'self'")
        assert "script-src" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "<script" not in answer.text
        assert not re.findall(r'(?:src|href|action)="(?!/|#)', answer.text)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_written(pages, scored, method):
    """Other methods are refused, and no page changes a file of the store."""
    before = files_of(scored.store)
    assert pages.request(method, "/search").status_code == 405
    for path in ("/", "/search?q=museum", "/run", f"/reply/{replies(pages.get('/search'))[0]}"):
        assert pages.get(path).status_code == 200
    assert files_of(scored.store) == before


def test_a_foreign_name_is_refused(pages):
    """A name that leads to this machine from elsewhere shows nothing."""
    assert pages.get("/", headers={"host": "evil.example"}).status_code == 400


def test_a_slow_query_is_ended(pages, monkeypatch):
    """A sentence with status 503 says what to do."""
    monkeypatch.setattr(module, "SECONDS_A_QUERY", 0.2)
    endless = "(SELECT count(*)::TEXT FROM range(100000000000) a, range(1000000000) b)"
    monkeypatch.setitem(module.PLACES, "anywhere", endless)
    answer = pages.get("/search?q=museum and more")
    assert answer.status_code == 503
    assert "took longer than 0.2 s" in words(answer)


def test_a_store_without_scores_says_so(tmp_path):
    """The page has the command that scores."""
    store = Store.open(tmp_path / "store", create=True)
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"response": "It is five.", "knowledge": "It is four."}) + "\n")
    ingest_file(store, log)
    said = words(ready(client_of(tmp_path / "store")).get("/"))
    assert "Nothing in the store was scored yet." in said
    assert "q2 score LOGS" in said


@pytest.mark.slow
def test_a_changed_store_is_read_again(desk, tmp_path):
    """While that takes, the page shows what was there; then the new figures."""
    shutil.copytree(desk, tmp_path / "store")
    client = ready(client_of(tmp_path / "store"))
    assert "16 scored turns" in words(client.get("/"))
    for manifest in (tmp_path / "store" / "inputs").glob("*.json"):
        if "2026-11-20" in manifest.read_text():
            manifest.unlink()
    for _ in range(600):
        if "8 scored turns" in words(client.get("/")):
            break
    assert "of 8 scored turns" in words(client.get("/"))


def test_closing_ends_the_reading_of_the_store(scored, monkeypatch):
    """A count of many seconds does not hold up the end of the server."""
    endless = (
        "CREATE TABLE all_replies AS SELECT max(a.range + b.range) "
        "FROM range(10000000000) a, range(1000000) b -- {scope}"
    )
    monkeypatch.setattr(module, "_REPLIES", endless)
    watched = Watched(Store.open(scored.store), None)
    assert watched.latest() is None
    while watched.began is None:
        time.sleep(0.01)
    time.sleep(0.5)
    watched.close()
    assert watched.latest() is None
    assert not watched._thread.is_alive()


def test_the_connection_of_a_search_is_walled(scored):
    """It reads no other file and runs no other statement than its own."""
    taken = take(Store.open(scored.store), None)
    with taken.connection.cursor() as cursor, pytest.raises(duckdb.Error, match="disabled"):
        cursor.execute("FROM read_csv('/etc/passwd')")
