"""Models that read words, record their requests, and fail on a word, each in its own way."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass, field

from qsquared.flows.loop import Steps, score_logs
from qsquared.records import Answer, Chunk, GeneratedQuestion, Judgement
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.running import stage_runner as workbench
from tests.faults.small_store import PROFILES, WordModels

BAD = "Zagreb"
"""Whoever mentions it breaks the model that is set to break."""

MARK = "marked"
"""Stands in every request about a pair with the bad word, also where that is blanked out."""


def _raise(_reply):
    raise ValueError("the model stumbled")


def _non_finite_answer(reply):
    return dataclasses.replace(reply, score=math.nan)


def _answer_outside(_reply):
    return Answer("nowhere", 10_000, 10_007, 1.0, 0.0, 1)


def _other_text(reply):
    return dataclasses.replace(reply, text=(reply.text or "") + "!", start=0, end=1)


def _span_outside(reply):
    return dataclasses.replace(reply, entities=(Chunk(0, len(reply.text) + 5, "X"),))


def _blank_question(_reply):
    return [GeneratedQuestion("  ", -0.5, "beam")]


def _non_finite_question(_reply):
    return [GeneratedQuestion("who?", math.nan, "beam")]


BREAKS = {
    ("parser", "raises"): _raise,
    ("parser", "a span outside of the text"): _span_outside,
    ("parser", "no parse"): lambda _reply: None,
    ("question_generation", "raises"): _raise,
    ("question_generation", "a blank question"): _blank_question,
    ("question_generation", "a log-probability of NaN"): _non_finite_question,
    ("question_generation", "a number for a list"): lambda _reply: 7,
    ("question_answering", "raises"): _raise,
    ("question_answering", "a score of NaN"): _non_finite_answer,
    ("question_answering", "an answer outside of the text"): _answer_outside,
    ("question_answering", "an answer that does not stand there"): _other_text,
    ("question_answering", "nothing"): lambda _reply: None,
    ("entailment", "raises"): _raise,
    ("entailment", "NaN"): lambda _reply: Judgement(math.nan, 0.5, 0.5),
    ("entailment", "no probabilities"): lambda _reply: Judgement(3.0, 2.0, -4.0),
    ("entailment", "logits of another shape"): lambda _reply: [0.1, 0.9],
}
"""(role, how it breaks) → what becomes of its reply."""

_METHODS = {
    "parser": "parse",
    "question_generation": "generate",
    "question_answering": "answer",
    "entailment": "judge",
}


class _Watched:
    """A model that notes its requests and whose replies on the bad word are spoilt."""

    def __init__(self, models, role, inner):
        self._models, self._role, self._inner = models, role, inner
        self.name = f"words-{role}"
        setattr(self, _METHODS[role], self._ask)

    def _ask(self, requests):
        self._models.asked.setdefault(self._role, []).extend(map(repr, requests))
        replies = getattr(self._inner, _METHODS[self._role])(requests)
        spoil = self._models.spoil.get(self._role)
        if spoil is None:
            return replies
        if self._models.short and any(BAD in repr(request) for request in requests):
            return replies[1:]
        return [
            spoil(reply) if BAD in repr(request) else reply
            for request, reply in zip(requests, replies, strict=True)
        ]


@dataclass
class FailingModels(WordModels):
    """Fake models of a profile; ``spoil`` maps a role to a function that changes its replies on ``BAD``."""

    spoil: dict = field(default_factory=dict)
    asked: dict = field(default_factory=dict)
    short: bool = False

    def __post_init__(self):
        for role in _METHODS:
            setattr(self, role, _Watched(self, role, getattr(self, role)))


RESPONSES = (
    "the trains go to Rome and back",
    f"the boats {MARK} go to {BAD} and back",
    "the boats go to Paris daily",
    f"it is {MARK} so",
    f"it is not {BAD} {MARK}, no",
    "the trains go to Lima and Oslo",
    "they went from Cairo",
    "the buses go to Rome and back",
)
"""They make two shards of at most five; only the first has pairs with the bad word."""


def write_log(folder):
    """A log of eight replies, half of them on the wrong knowledge."""
    path = folder / "log.jsonl"
    rows = [
        {
            "id": f"t{i}",
            "response": response,
            "knowledge": [
                response if i % 2 else response.replace("Rome", "Oslo"),
                f"note {i} {BAD if MARK in response else ''}",
            ],
        }
        for i, response in enumerate(RESPONSES)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "profiles.toml").write_text(PROFILES, encoding="utf-8")
    return path


class StoppedError(Exception):
    """The run was stopped."""


class Stopping(Steps):
    """Steps of a run that stops after so many stages."""

    def __init__(self, options, stop_after):
        super().__init__(options)
        self.left = stop_after

    def run_stage(self, stage, shard, name):
        """Run a stage, and count it."""
        super().run_stage(stage, shard, name)
        if self.left is not None:
            self.left -= 1
            if not self.left:
                raise StoppedError


def run(store, log, retry=False, stop_after=None):
    """Score as the flow does but without Prefect; the summary, or ``None`` where it was stopped."""
    workbench.open_job.cache_clear()
    options = ScoreOptions(
        logs=[str(log)],
        store=str(store),
        profile="small",
        profiles=str(log.parent / "profiles.toml"),
        retry_errors=retry,
    )
    try:
        return score_logs(options, Stopping(options, stop_after))
    except StoppedError:
        return None
