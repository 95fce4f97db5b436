"""Whole runs by a server: every role, killed runs, several processes, and what the store then holds."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from tests.calling import files_of, q2
from tests.language.endpoint.server import Fake, profile_file, served

KEY = "sk-never-to-be-seen-anywhere"
ROLES = ("question_generation", "question_answering", "entailment")


def score(log, store, profiles, *more):
    """Score a log by the profile `mine`."""
    return q2("score", log, "--store", store, "--profiles", profiles, "--profile", "mine", *more)


def scores_of(store):
    """The scores of a store in order, as lines."""
    asked = "SELECT pair_id, q2, support, status FROM scores ORDER BY ALL"
    return q2("sql", asked, "--csv", "--store", store).out


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
        profiles = profile_file(tmp_path, url, ROLES, 'key_variable = "MY_KEY"\ninput_price = 1.0')
        assert score(log, store, profiles, "--dry-run").code == 0
        assert fake.number == 0
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
    assert "the judge quotes" in explained.out
    quoted = "SELECT quotation FROM sentence_entailment JOIN turns USING (pair_id) WHERE id = 't0'"
    (_, quotation) = q2("sql", quoted, "--csv", "--store", store).out.splitlines()
    as_json = q2("explain", "t0", "--store", store, "--profile", "mine", "--json")
    assert [one["quotation"] for one in json.loads(as_json.out)["sentences"]] == [quotation]
    prompts = {line["prompt"].partition("/")[0] for line in lines_of(store)}
    assert {"generate", "read", "judge_claim"} <= prompts
    costs = q2(
        "sql",
        "SELECT sum(requests) AS n, sum(cost) > 0 AS paid FROM costs",
        "--csv",
        "--store",
        store,
    )
    assert costs.out.split() == ["n,paid", f"{asked},true"]
    assert f"{asked} to servers" in first.said
    page = tmp_path / "report.html"
    reported = q2("report", "--store", store, "--out", page, "--profile", "mine")
    assert reported.code == 0, reported.said
    assert f"<dt>Asked of tiny</dt><dd>{asked} requests" in page.read_text()
    assert q2("verify", "--store", store).code == 0
    said = first.said + again.said + explained.said
    assert KEY not in said
    assert not [name for name, content in files_of(store).items() if KEY.encode() in content]
    keys = {line["shard"] for line in lines_of(store)}
    assert all(keys)
    assert url.encode() not in b"".join(files_of(store).values())


@pytest.mark.slow
def test_a_limit_ends_a_run_that_the_same_command_continues(tmp_path, write_log):
    """The exit code says that work is left, and no answer is asked for again."""
    fake = Fake()
    store, log = tmp_path / "store", write_log("log.jsonl", 6)
    with served(fake) as url:
        profiles = profile_file(tmp_path, url, ROLES)
        ended = score(log, store, profiles, "--max-requests", "5")
        assert (ended.code, fake.number) == (75, 5), ended.said
        assert "The command: q2 score" in ended.err
        assert score(log, store, profiles).code == 0
    assert max(fake.answered.values()) == 1


@pytest.mark.slow
def test_a_pair_without_a_sound_answer_is_asked_again_when_retried(tmp_path, write_log):
    """Its status is error with the reason until `--retry-errors` asks the server once more."""
    broken = {"now": True}
    fake = Fake(fault=lambda _number, _body: "malformed" if broken["now"] else None)
    store, log = tmp_path / "store", write_log("log.jsonl", 2)
    with served(fake) as url:
        profiles = profile_file(tmp_path, url)
        first = score(log, store, profiles)
        assert "not the JSON" in " ".join(first.said.split())
        broken["now"], asked = False, fake.number
        score(log, store, profiles)
        assert fake.number == asked
        again = score(log, store, profiles, "--retry-errors")
        assert again.code == 0, again.said
    assert fake.number > asked
    assert "error" not in scores_of(store)


@pytest.mark.slow
def test_erased_turns_take_their_answers_with_them(tmp_path, write_log):
    """No line of the journal has a word that only an erased reply had."""
    store, log = tmp_path / "store", write_log("log.jsonl", 6)
    with served(Fake()) as url:
        assert score(log, store, profile_file(tmp_path, url, ROLES)).code == 0
    before = (store / "requests").glob("*.jsonl")
    assert any("lighthouse" in path.read_text() for path in before)
    done = q2("erase", "--id", "t3", "--store", store, "--yes")
    assert done.code == 0, done.said
    assert not any("lighthouse" in line["answer"] for line in lines_of(store))


_COMMAND = "from qsquared.cli.main import main; main()"


def start(log, store, profiles, said):
    """Start the command in a process of its own, with its words in a file."""
    command = [sys.executable, "-c", _COMMAND, "score", log, "--store", store]
    with said.open("ab") as output:
        return subprocess.Popen(
            [*command, "--profiles", profiles, "--profile", "mine"],
            stdout=output,
            stderr=output,
            env=os.environ | {"COLUMNS": "200"},
        )


@pytest.mark.slow
def test_five_kills_lose_what_was_on_its_way_only(tmp_path, write_log):
    """No answer in the journal is asked for again, and the scores are those of a run without kills."""
    log, whole, killed = write_log("log.jsonl", 8), tmp_path / "whole", tmp_path / "killed"
    said = tmp_path / "said.txt"
    quiet, slow = Fake(), Fake(delay=0.1)
    with served(quiet) as url:
        assert score(log, whole, profile_file(tmp_path, url, ROLES)).code == 0
    with served(slow) as url:
        profiles = profile_file(tmp_path, url, ROLES)
        for _ in range(5):
            until = slow.number + quiet.number // 8
            run = start(log, killed, profiles, said)
            while slow.number < until and run.poll() is None:
                time.sleep(0.01)
            run.send_signal(signal.SIGKILL)
            assert run.wait() == -signal.SIGKILL, said.read_text()
        # Two processes at once finish the work.
        runs = [start(log, killed, profiles, said) for _ in range(2)]
        assert [run.wait() for run in runs] == [0, 0], said.read_text()
    sound = Counter(line["key"] for line in lines_of(killed) if line["sound"])
    assert max(sound.values()) == 1
    assert len(sound) == quiet.number
    assert slow.number <= quiet.number + 5 * 4
    assert scores_of(killed) == scores_of(whole)
