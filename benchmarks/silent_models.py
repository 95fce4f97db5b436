"""Models that find nothing, so that a run costs only what orchestration costs.

A process that imports this module has them in the place of every profile's models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qsquared.profiles import ROLES
from qsquared.records import Answer, GeneratedQuestion, InferenceRequest, Judgement, ParsedText
from qsquared.tasks import workbench


@dataclass(frozen=True, slots=True)
class SilentModels:
    """A parser that sees no span, so nothing is asked, and a judge without an opinion."""

    profile: Any

    def load(self, role: str) -> None:
        """Nothing to load."""

    def identities(self) -> dict[str, str]:
        """All alike."""
        return dict.fromkeys(ROLES, "silent")

    def __getattr__(self, role: str) -> SilentModels:
        """Each role is played by this object."""
        if role in ROLES:
            return self
        raise AttributeError(role)

    def parse(self, texts: Sequence[str]) -> list[ParsedText]:
        """No token, entity or chunk."""
        return [ParsedText(text, (), (), (), ()) for text in texts]

    def generate(self, requests: Sequence[object]) -> list[list[GeneratedQuestion]]:
        """No question."""
        return [[] for _ in requests]

    def answer(self, requests: Sequence[object]) -> list[Answer]:
        """No answer."""
        return [Answer(None, None, None, -1.0, 1.0, 1) for _ in requests]

    def judge(self, requests: Sequence[InferenceRequest]) -> list[Judgement]:
        """Neutral."""
        return [Judgement(0.0, 1.0, 0.0) for _ in requests]


def install() -> None:
    """Put them into the place of a profile's models in this process."""
    vars(workbench)["build_models"] = lambda profile, _device: SilentModels(profile)


install()
