"""Models for timing: a large random one does the work, a small trained one decides.

Random weights would keep hardly any question, and so leave out most of the work.
Each request therefore goes through the large model, whose own reply is noted for comparison, and is
answered from what the small models said to the same request before the clock started.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lab.benchmarks.commands.watched import METHODS as ALL_METHODS
from lab.benchmarks.commands.watched import Watched
from qsquared.tasks.stage import Roles

METHODS = {role: method for role, method in ALL_METHODS.items() if role != "parser"}
"""The roles that have a large model."""


def decision(reply: Any) -> Hashable:
    """Return the decision in a reply: the questions, the answer and its place, or the label."""
    if isinstance(reply, list):
        return tuple(question.question for question in reply)
    label = getattr(reply, "label", None)
    return (reply.text, reply.start) if label is None else label


@dataclass
class _Role:
    """One role; with ``model`` it works, without it only remembers."""

    role: str
    model: Watched | None
    guide: Any
    known: dict[Hashable, Any]
    own: dict[Hashable, Hashable] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Seconds in the large model."""
        return self.model.seconds if self.model else 0.0

    def __getattr__(self, method: str) -> Callable[[Sequence[Any]], list[Any]]:
        if method != METHODS[self.role]:
            raise AttributeError(method)
        return self._reply

    def _reply(self, requests: Sequence[Any]) -> list[Any]:
        method = METHODS[self.role]
        if self.model is not None:
            replies = self.model.ask(requests)
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
        large = {role: Watched(role, model) for role, model in (models or {}).items()}
        self.roles = {
            role: _Role(role, large.get(role), getattr(guide, role), known[role])
            for role in METHODS
        }

    def __getattr__(self, role: str) -> Any:
        if role not in METHODS:
            raise AttributeError(role)
        return self.roles[role]

    def load(self, role: str) -> None:
        """All are loaded."""


def compare(first: Twins, second: Twins) -> dict[str, dict[str, Any]]:
    """Count for each role the requests to both, those decided alike, and the share."""
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
