"""Large random models that work as hard as trained ones, and small trained ones that decide.

Random weights would keep hardly any question, and so leave out most of the work.
Each request therefore goes through the large model, whose own reply is noted for comparison, and is
answered from what the small models said to the same request before the clock started.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qsquared.tasks.stage import Roles

METHODS = {
    "question_generation": "generate",
    "question_answering": "answer",
    "entailment": "judge",
}


def decision(reply: Any) -> Hashable:
    """What counts of a reply: the questions, the answer and its place, or the label."""
    if isinstance(reply, list):
        return tuple(question.question for question in reply)
    label = getattr(reply, "label", None)
    return (reply.text, reply.start) if label is None else label


@dataclass
class _Role:
    """One role; with ``model`` it works, without it only remembers."""

    role: str
    model: Any
    guide: Any
    known: dict[Hashable, Any]
    own: dict[Hashable, Hashable] = field(default_factory=dict)
    seconds: float = 0.0

    def __getattr__(self, method: str) -> Callable[[Sequence[Any]], list[Any]]:
        if method != METHODS[self.role]:
            raise AttributeError(method)
        return self._reply

    def _reply(self, requests: Sequence[Any]) -> list[Any]:
        method = METHODS[self.role]
        if self.model is not None:
            started = time.perf_counter()
            replies = getattr(self.model, method)(requests)
            self.seconds += time.perf_counter() - started
            self.own |= dict(zip(requests, map(decision, replies), strict=True))
        new = [request for request in dict.fromkeys(requests) if request not in self.known]
        if new:
            self.known |= zip(new, getattr(self.guide, method)(new), strict=True)
        return [self.known[request] for request in requests]


class Twins:
    """The roles of a metric, each with its large model and its guide.

    Args:
        guide: the small trained models.
        known: role → request → reply of the guide; shared, and filled as requests come.
        models: role → large model; without it the guide's replies are only gathered.
    """

    def __init__(
        self,
        guide: Roles,
        known: Mapping[str, dict[Hashable, Any]],
        models: Mapping[str, Any] | None = None,
    ) -> None:
        self.parser = guide.parser
        self.roles = {
            role: _Role(role, (models or {}).get(role), getattr(guide, role), known[role])
            for role in METHODS
        }

    def __getattr__(self, role: str) -> Any:
        if role not in METHODS:
            raise AttributeError(role)
        return self.roles[role]

    def load(self, role: str) -> None:
        """All are loaded."""


def compare(first: Twins, second: Twins) -> dict[str, dict[str, Any]]:
    """Role → requests that both were asked, those decided alike, and the share."""
    compared = {}
    for role in METHODS:
        ours, theirs = first.roles[role].own, second.roles[role].own
        both = ours.keys() & theirs.keys()
        equal = sum(ours[request] == theirs[request] for request in both)
        compared[role] = {
            "items": len(both),
            "equal": equal,
            "share": equal / len(both) if both else 1.0,
        }
    return compared
