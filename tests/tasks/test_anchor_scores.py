"""Tests of anchors: replies that a new version of the models scores at once."""

import json
import re
from dataclasses import dataclass, field

import pytest

from qsquared.records import Answer, Judgement
from qsquared.storage.store import Store
from qsquared.storage.upkeep.verify import verify
from qsquared.tasks.running import stage_runner as workbench
from tests.calling import q2
from tests.conftest import without_prefect
from tests.faults.small_store import WORDS, WordModels

CHANGED = "The judge has changed on"


class NoAnswers:
    """A reader that finds no answer anywhere."""

    def answer(self, requests):
        """Answer nothing."""
        return [Answer(None, None, None, -1.0, 1.0, 1) for _ in requests]


class Denies:
    """A judge that sees contradictions only."""

    def judge(self, requests):
        """Judge everything alike."""
        return [Judgement(0.0, 0.1, 0.9) for _ in requests]


@dataclass
class BrokenModels(WordModels):
    """Models that call every reply inconsistent, under another identity."""

    identity: str = "words 2"
    question_answering: NoAnswers = field(default_factory=NoAnswers)
    entailment: Denies = field(default_factory=Denies)


def write_night(path, first, number):
    """Write the log of a night whose replies are the knowledge itself."""
    texts = [f"the {first + i} trains go to {WORDS[i % len(WORDS)]}" for i in range(number)]
    rows = [json.dumps({"id": text, "knowledge": text, "response": text}) for text in texts]
    path.write_text("".join(row + "\n" for row in rows))
    return path


def score(models, log, store, monkeypatch):
    """Score a log with some models; return what the command said."""
    workbench.open_job.cache_clear()
    monkeypatch.setattr(workbench, "build_models", lambda profile, _device: models(profile=profile))
    with without_prefect():
        done = q2("score", log, "--store", store)
    workbench.open_job.cache_clear()
    assert done.code == 0, done.err
    return done.said


@pytest.fixture
def scored(tmp_path, monkeypatch):
    """A store with a night of forty replies, and a function that scores a night of ten by some models."""
    first = write_night(tmp_path / "1.jsonl", 100, 40)
    said = score(WordModels, first, tmp_path / "store", monkeypatch)
    assert CHANGED not in said

    def more(models, number):
        night = write_night(tmp_path / f"{number}.jsonl", 1000 * number, 10)
        return score(models, night, tmp_path / "store", monkeypatch)

    return tmp_path / "store", more


def test_a_changed_judge_is_said_before_anything_else(scored):
    """After a night of other models summary and status begin with what they change on the night before."""
    store, more = scored
    said = more(BrokenModels, 2)
    assert CHANGED in said
    assert "40 turns have scores of an older version only (q2, compact)" in said
    assert said.index(CHANGED) < said.index("10 (10 distinct pairs)")
    assert "40 are inconsistent by this version only and 0 by the other only" in said
    assert q2("status", "--store", store).said.startswith(CHANGED)
    assert verify(Store.open(store)).sound


def test_anchors_are_scored_once(scored):
    """The next night reads them from the store."""
    store, more = scored
    more(BrokenModels, 2)
    (record,) = store.glob("anchors/*.json")
    before = record.read_bytes()
    assert CHANGED in more(BrokenModels, 3)
    assert record.read_bytes() == before


def test_the_same_models_have_no_anchors(scored):
    """Nothing is scored beside the turns where nothing has changed."""
    store, more = scored
    assert CHANGED not in more(WordModels, 2)
    assert not list(store.glob("anchors/*"))


def test_erased_replies_are_no_anchors(scored):
    """An erasure takes them out of the record."""
    store, more = scored
    more(BrokenModels, 2)
    assert q2("erase", "--where", "id LIKE 'the 1__ %'", "--yes", "--store", store).code == 0
    (record,) = store.glob("anchors/*.json")
    assert not json.loads(record.read_text())["scores"]


def test_the_bundled_replies_tell_which_version_is_right(scored, monkeypatch):
    """Scored beside a large run, they are scored by the next version, too."""
    _, more = scored
    monkeypatch.setattr("qsquared.tasks.running.anchors._COST", 0)
    assert CHANGED not in more(WordModels, 2)
    monkeypatch.undo()
    said = more(BrokenModels, 3)
    told = re.search(r"Of the (\d+) with a known answer the one before was right on", said)
    assert told, said
    assert int(told[1]) > 50
