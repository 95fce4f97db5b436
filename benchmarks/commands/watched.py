"""Models that count their calls and the time spent in them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from qsquared.profiles.profile import ROLES
from qsquared.tasks.stage import Roles


@dataclass
class Watched:
    """A model of any role: what it is asked goes on to the model, under a clock."""

    model: Any
    calls: int = 0
    requests: int = 0
    seconds: float = 0.0

    def parse(self, texts: Sequence[Any]) -> list[Any]:
        """As the parser."""
        return self._timed(self.model.parse, texts)

    def generate(self, requests: Sequence[Any]) -> list[Any]:
        """As the question generator."""
        return self._timed(self.model.generate, requests)

    def answer(self, requests: Sequence[Any]) -> list[Any]:
        """As the reader."""
        return self._timed(self.model.answer, requests)

    def judge(self, requests: Sequence[Any]) -> list[Any]:
        """As the NLI model."""
        return self._timed(self.model.judge, requests)

    def _timed(
        self, ask: Callable[[Sequence[Any]], list[Any]], requests: Sequence[Any]
    ) -> list[Any]:
        started = time.perf_counter()
        replies = ask(requests)
        self.seconds += time.perf_counter() - started
        self.calls += 1
        self.requests += len(requests)
        return replies


class FourRoles:
    """Base of models that play the four roles of Q² and none of the optional ones."""

    similarity = None
    consistency = None
    reply_classification = None
    indicators = None


@dataclass(frozen=True)
class WatchedRoles(FourRoles):
    """The four roles of a profile, watched from zero."""

    models: Roles
    parser: Watched = field(init=False)
    question_generation: Watched = field(init=False)
    question_answering: Watched = field(init=False)
    entailment: Watched = field(init=False)

    def __post_init__(self) -> None:
        for role in ROLES:
            object.__setattr__(self, role, Watched(getattr(self.models, role)))

    def load(self, role: str) -> None:
        """Load the model of a role; this is not watched."""
        self.models.load(role)

    def counts(self) -> dict[str, dict[str, float]]:
        """Role → calls, requests and seconds."""
        watched: dict[str, Watched] = {role: getattr(self, role) for role in ROLES}
        return {
            role: {"calls": w.calls, "requests": w.requests, "seconds": w.seconds}
            for role, w in watched.items()
        }
