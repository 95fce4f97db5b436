"""Models that count their calls and the time spent in them."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from qsquared.language.judging.nli import NliJudge
from qsquared.language.second_models import PooledJudge
from qsquared.profiles.profile import ROLES

METHODS = {
    "parser": "parse",
    "question_generation": "generate",
    "question_answering": "answer",
    "entailment": "judge",
}
"""Role → the method by which its model is asked."""
_ON_KNOWLEDGE = "answer_on_knowledge"
"""The further method of a reader that reads the knowledge otherwise than a reply."""


class Watched:
    """A model of a role whose calls are counted and timed."""

    def __init__(self, role: str, model: Any) -> None:
        self.role = role
        self.model = model
        self.calls = 0
        self.requests = 0
        self.seconds = 0.0

    def __getattr__(self, method: str) -> Callable[[Sequence[Any]], list[Any]]:
        if method not in {METHODS[self.role], _ON_KNOWLEDGE} or not hasattr(self.model, method):
            raise AttributeError(method)
        return partial(self.ask, method)

    def ask(self, method: str, requests: Sequence[Any]) -> list[Any]:
        """Forward requests to a method of the model under a clock."""
        started = time.perf_counter()
        replies: list[Any] = getattr(self.model, method)(requests)
        self.seconds += time.perf_counter() - started
        self.calls += 1
        self.requests += len(requests)
        return replies


class WatchedRoles:
    """The models of a profile, the four roles of Q² watched from zero; a judge has read nothing yet."""

    def __init__(self, models: Any) -> None:
        self.models = models
        if isinstance(judge := models.entailment, NliJudge | PooledJudge):
            judge.forget()
        self.watched = {role: Watched(role, getattr(models, role)) for role in ROLES}

    def __getattr__(self, name: str) -> Any:
        return self.watched[name] if name in ROLES else getattr(self.models, name)

    def load(self, role: str) -> None:
        """Load the model of a role; this is not watched."""
        self.models.load(role)

    def counts(self) -> dict[str, dict[str, float]]:
        """Return calls, requests and seconds of each role."""
        return {
            role: {"calls": one.calls, "requests": one.requests, "seconds": one.seconds}
            for role, one in self.watched.items()
        }
