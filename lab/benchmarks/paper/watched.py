"""Models that count their calls and the time spent in them."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from qsquared.language.judging.nli import NliJudge
from qsquared.language.judging.pooled import PooledJudge
from qsquared.profiles.profile import ROLES

METHODS = {
    "parser": "parse",
    "question_generation": "generate",
    "question_answering": "answer",
    "entailment": "judge",
}
"""Role → the method by which its model is asked."""


class Watched:
    """A model of a role whose calls are counted and timed."""

    def __init__(self, role: str, model: Any) -> None:
        self.role = role
        self.model = model
        self.calls = 0
        self.requests = 0
        self.seconds = 0.0

    def __getattr__(self, method: str) -> Callable[[Sequence[Any]], list[Any]]:
        if method != METHODS[self.role]:
            raise AttributeError(method)
        return self.ask

    def ask(self, requests: Sequence[Any]) -> list[Any]:
        """Forward requests to the model under a clock."""
        started = time.perf_counter()
        replies: list[Any] = getattr(self.model, METHODS[self.role])(requests)
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
