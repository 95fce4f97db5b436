"""Sixty labelled replies by which a profile is checked.

They are hand-written for this project, of thirty fields: for each knowledge one reply that it supports
and one that it does not.
Neither the words that a reply shares with its knowledge nor its length tell which is which.
No model is trained or tuned on them.
``anchors.jsonl`` is a log of them, as `q2 score` reads it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LOG = files("qsquared.profiles").joinpath("anchors.jsonl")
"""The log with one reply a line; `label` is `supported` or `unsupported`."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A labelled reply, as the log has it; ``history`` has the user's question, if there is one.

    ``kind`` tells how the reply was written (a paraphrase, another number), ``id`` ends in `s` or `u`.
    """

    id: str
    field: str
    kind: str
    label: str
    knowledge: str | list[str]
    response: str
    history: Sequence[str] = ()

    @property
    def supported(self) -> bool:
        """Whether the knowledge supports the reply."""
        return self.label == "supported"


@cache
def anchors() -> tuple[Anchor, ...]:
    """Return the sixty labelled replies, in the order of the log."""
    lines = LOG.read_text(encoding="utf-8").splitlines()
    return tuple(Anchor(**json.loads(line)) for line in lines)
