"""Whole runs by a server: every role, killed runs, several processes, and what the store then holds."""

import json

from tests.calling import files_of, q2
from tests.language.endpoint.server import Fake, profile_file, served

KEY = "sk-never-to-be-seen-anywhere"
ROLES = ("question_generation", "question_answering", "entailment")


def score(log, store, profiles, *more):
    """Score a log by the profile `mine`."""
    return q2("score", log, "--store", store, "--profiles", profiles, "--profile", "mine", *more)


def scores_of(store):
    """The scores of a store in order, as SQL gives them."""
    told = q2(
        "sql",
        "SELECT pair_id, q2, support, status FROM scores ORDER BY ALL",
        "--json",
        "--store",
        store,
    )
    return json.loads(told.out)


def lines_of(store):
    """All lines of the journal of a store."""
    files = sorted((store / "requests").glob("*.jsonl"))
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


def test_a_run_by_a_server_is_scored_explained_and_continued(tmp_path, write_log, monkeypatch):
    """Every role asks the server; a second run asks nothing, and the key is in no file and no word."""
    monkeypatch.setenv("MY_KEY", KEY)
    fake = Fake()
    store, log = tmp_path / "store", write_log("log.jsonl", 6)
    with served(fake) as url:
        profiles = profile_file(tmp_path, url, ROLES, 'key_variable = "MY_KEY"')
        first = score(log, store, profiles)
        assert first.code == 0, first.said
        asked = fake.number
        again = score(log, store, profiles, "--metric", "q2", "--metric", "e2e_nli")
        explained = q2("explain", "t0", "--store", store, "--profile", "mine")
    assert fake.keys == {f"Bearer {KEY}"}
    assert again.code == explained.code == 0
    assert fake.number == asked
    assert max(fake.answered.values()) == 1
    assert "What stands at «" in explained.out
    prompts = {line["prompt"].partition("/")[0] for line in lines_of(store)}
    assert {"generate", "read", "judge_claim"} <= prompts
    said = first.said + again.said + explained.said
    assert KEY not in said
    assert not [name for name, content in files_of(store).items() if KEY.encode() in content]
    keys = {line["shard"] for line in lines_of(store)}
    assert all(keys)
    assert url.encode() not in b"".join(files_of(store).values())
