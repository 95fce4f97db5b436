"""A day of the example log scored by a server that misbehaves, killed, resumed, and read in every way."""

import itertools
import re
import signal
import time
from collections import Counter

import pytest
from starlette.responses import JSONResponse

from qsquared.language.models import build_models
from qsquared.method.knowledge.evidence import judgement_of_claim, views
from qsquared.profiles.loading import get_profile
from qsquared.records import InferenceRequest, QuestionRequest, ReadingRequest, Span
from tests.calling import files_of, q2
from tests.conftest import ROOT
from tests.faults.test_served_runs import KEY, ROLES, lines_of, start
from tests.language.endpoint.server import Fake, between, profile_file, served

pytestmark = pytest.mark.slow

LOG = ROOT / "examples" / "logs" / "2026-11-16.jsonl"
TURNS = 50
JUDGEMENTS = ROOT / "examples" / "judgements.csv"
LABELS = {"entailment": "entailed", "neutral": "neutral", "contradiction": "contradicted"}
FAULTS = [
    JSONResponse({"error": {"message": "slow down"}}, 429, {"retry-after": "0.1"}),
    JSONResponse({"error": {"message": "slow down"}}, 429),
    JSONResponse({"error": {"message": "oh"}}, 500),
    "cut",
    "malformed",
    "cut off",
    "wrong schema",
    "another model",
]
_EACH = 20
"""So many requests have one fault among them."""


class AsCompact:
    """Answers of the models of `compact`, each computed once."""

    def __init__(self):
        self.models = build_models(get_profile("compact"))
        self.made = {}

    def __call__(self, text):
        """The answer to a user's message."""
        if text not in self.made:
            self.made[text] = self._answer(text)
        return self.made[text]

    def _answer(self, text):
        if "<phrases>" in text:
            return {
                "questions": list(self._questions(between(text, "text"), between(text, "phrases")))
            }
        if "<question>" in text:
            asked = ReadingRequest(between(text, "question"), between(text, "text"))
            return {"answer": self.models.question_answering.answer([asked])[0].text or ""}
        if "<premise>" in text:
            asked = InferenceRequest(between(text, "premise"), between(text, "hypothesis"))
            return {"verdict": LABELS[self.models.entailment.judge([asked])[0].label]}
        return self._claim(between(text, "knowledge"), between(text, "sentence"))

    def _questions(self, text, phrases):
        for number, phrase in re.findall(r"^(\d+)\. (.*)$", phrases, re.MULTILINE):
            begin = text.index(phrase)
            span = Span(begin, begin + len(phrase), phrase, "noun_chunk")
            (made,) = self.models.question_generation.generate([QuestionRequest(text, span)])
            yield from ({"phrase": int(number), "question": one.question} for one in made[:2])

    def _claim(self, knowledge, sentence):
        read = views(sentence, knowledge.split("\n\n"))
        judged = self.models.entailment.judge([InferenceRequest(view, sentence) for view in read])
        verdict = LABELS[judgement_of_claim(judged).label]
        return {"quotation": "" if verdict == "neutral" else read[0].split()[0], "verdict": verdict}


def sometimes():
    """A fault on one request of many, each kind in turn."""
    kinds = itertools.cycle(FAULTS)
    return lambda number, _body: next(kinds) if number % _EACH == 0 else None


def test_a_day_is_scored_by_a_server_in_every_way(tmp_path, monkeypatch):
    """A killed run is resumed; then explanation, SQL, report and rate know its scores."""
    monkeypatch.setenv("MY_KEY", KEY)
    fake = Fake(answer=AsCompact(), fault=sometimes())
    store, said = tmp_path / "store", tmp_path / "said.txt"
    page, table = tmp_path / "report.html", tmp_path / "scores.csv"
    mine = ["--store", store, "--profile", "mine"]
    with served(fake) as url:
        profiles = profile_file(tmp_path, url, ROLES, 'key_variable = "MY_KEY"\ninput_price = 1.0')
        run = start(LOG, store, profiles, said)
        while fake.number < 4 * _EACH and run.poll() is None:
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
        assert run.wait() == -signal.SIGKILL, said.read_text()
        scored = q2("score", LOG, *mine, "--profiles", profiles, "--out", table)
        assert scored.code == 0, scored.said
        asked = fake.number
        assert q2("score", LOG, *mine, "--profiles", profiles).code == 0
    assert fake.number == asked
    sound = Counter(line["key"] for line in lines_of(store) if line["sound"])
    assert max(sound.values()) == 1
    # What was on its way at the kill is lost.
    assert sum(fake.answered.values()) <= len(sound) + 4

    asked = "SELECT count(*) AS n FROM outcomes WHERE profile = 'mine' AND status <> 'error'"
    assert q2("sql", asked, "--csv", "--store", store).out.split() == ["n", str(TURNS)]
    assert len(table.read_text().splitlines()) > TURNS
    explained = q2("explain", "1116-024", *mine)
    assert "How many kilograms may a checked bag weigh?" in explained.out, explained.said
    reported = q2("report", *mine, "--out", page)
    assert reported.code == 0, reported.said
    assert f"<dt>Asked of tiny</dt><dd>{len(lines_of(store))} requests" in page.read_text().replace(
        ",", ""
    )
    for step in (
        ["label", "draw", "--n", "40", "--out", tmp_path / "form.html", *mine],
        ["label", "read", JUDGEMENTS, *mine[:2]],
        ["rate", *mine],
    ):
        done = q2(*step)
        assert done.code == 0, done.said
    assert not [name for name, content in files_of(store).items() if KEY.encode() in content]
