"""Tests that the parts of the benchmark run and that their decisions agree."""

import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from lab.benchmarks import growth, release
from lab.benchmarks.corpus import REPEATED, examples, make_pair, write_log
from lab.benchmarks.scoring import FreeModels, Run
from qsquared.profiles.loading import get_profile
from qsquared.tasks.jobs.graph import AS_PUBLISHED
from qsquared.tasks.jobs.in_memory import run_stages
from tests.conftest import ROOT


def test_a_log_repeats_as_said_and_is_the_same_each_time(tmp_path):
    """Three in ten turns come again, some of them often, and no other number gives the same pairs."""
    paths = [tmp_path / name for name in ("a", "b", "c")]
    pairs = [write_log(paths[0], 2000), write_log(paths[1], 2000)]
    write_log(paths[2], 300, first=pairs[0])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    given = [
        Counter((row["response"], *row["knowledge"]) for row in map(json.loads, path.open()))
        for path in paths
    ]
    assert len(given[0]) <= pairs[0]
    assert pairs[0] == pytest.approx(2000 * (1 - REPEATED), rel=0.1)
    assert max(given[0].values()) > 5
    assert not given[0].keys() & given[2].keys()


def test_a_varied_pair_keeps_its_length_and_its_agreement():
    """A number is changed in reply and knowledge alike."""
    response, knowledge = make_pair(0)
    for series in (1, 2):
        varied, passages = make_pair(series * len(examples()))
        assert varied != response
        assert len(varied.split()) == pytest.approx(len(response.split()), abs=2)
        assert len(passages) == len(knowledge)


def test_free_models_score_every_pair():
    """Each reply with a long word has one question, and all stages have rows to write."""
    rows = [
        {"pair_id": str(number), "response": pair[0], "knowledge": pair[1]}
        for number, pair in enumerate(map(make_pair, range(20)))
    ]
    models = FreeModels(get_profile("compact"))
    tables = run_stages(rows, models, parameters={AS_PUBLISHED: True})
    assert [row["questions"] for row in tables["scores"]] == [1] * 20
    assert {row["status"] for row in tables["scores"]} == {"scored"}


def test_each_size_of_log_is_run_in_its_steps(monkeypatch, capsys):
    """A log is scored cold, cached, with new turns beside it, and by another judge; all are printed."""
    steps = []

    def score(models, logs, store, profile, profiles=None):
        assert all(log.exists() for log in logs)
        (store / "pairs").mkdir(parents=True, exist_ok=True)
        steps.append((len(logs), profile))
        return Run(10.0, 9.0, 8.0, 500.0, {"parser": 8.0})

    monkeypatch.setattr(growth, "run_score", score)
    growth.main(["--turns", "50"])
    assert steps == [(1, "measured"), (1, "measured"), (2, "measured"), (1, "other-nli")]
    assert "50 turns, cold: 10.0 s, 8.0 s in models, 500 MB" in capsys.readouterr().out


def test_the_last_of_many_nights_is_compared_with_the_second(monkeypatch, capsys):
    """Each night has new pairs only, and all are scored into one store."""
    seen = []

    def score(models, logs, store, profile, profiles=None):
        rows = [json.loads(line) for line in logs[0].open()]
        seen.append((store, {row["response"] for row in rows}))
        return Run(10.0 + len(seen), 9.0, 8.0, 500.0, {})

    monkeypatch.setattr(growth, "run_score", score)
    growth.main(["--turns", "20", "--nights", "7"])
    printed = capsys.readouterr().out
    assert "night 3 of 20 new pairs: 13.0 s" in printed
    assert "night 7 takes 1.23 times as long as night 2" in printed
    stores, replies = zip(*seen, strict=True)
    assert len(set(stores)) == 1
    assert len(set().union(*replies)) == sum(map(len, replies)) == 140


def test_long_replies_stand_beside_long_knowledge(tmp_path):
    """As today's assistants write them: 90 words beside 120 and more."""
    release.write_long_log(tmp_path / "log.jsonl", 7)
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").open()]
    assert len(rows) == 7
    for row in rows:
        assert 90 <= len(row["response"].split()) < 150
        assert sum(len(text.split()) for text in row["knowledge"]) >= 120


def test_two_trees_score_in_turns_into_stores_of_their_own(tmp_path, monkeypatch):
    """Each round times both, and each goes first as often as the other."""
    asked = []

    def score(tree, log, store):
        asked.append((tree.name, store))
        return release.Took(2.0, {"old": 6.0, "new": 3.0}[tree.name])

    monkeypatch.setattr(release, "score", score)
    took = release.compare([tmp_path / "old", tmp_path / "new"], tmp_path / "log.jsonl", 2)
    assert [name for name, _ in asked] == ["old", "new", "new", "old"]
    assert len({store for _, store in asked}) == 4
    assert [then.processor_seconds / now.processor_seconds for then, now in took] == [2.0, 2.0]


def test_the_peak_of_a_process_is_not_that_of_the_process_which_started_it():
    """A large benchmark starts small runs, whose memory it reports."""
    held = bytearray(300_000_000)
    held[::4096] = b"x" * len(held[::4096])
    told = subprocess.run(
        [sys.executable, "-c", "from lab.benchmarks.machine import *; print(peak_megabytes())"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert 1 < float(told.stdout) < 200 < len(held) / 1e6
