"""Models that cost next to nothing, to measure all other costs; one question for each reply."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from qsquared.profiles.profile import OPTIONAL_ROLES, ROLES, Profile
from qsquared.records import (
    Answer,
    Chunk,
    GeneratedQuestion,
    InferenceRequest,
    Judgement,
    ParsedText,
    QuestionRequest,
    ReadingRequest,
)

_WORD = re.compile(r"\w{4,}")
_MARK = "What about "


@dataclass(frozen=True, slots=True)
class FreeModels:
    """All four roles of a profile in one: the last long word of a text is its one noun chunk."""

    profile: Profile
    support: str = "compact"

    def load(self, role: str) -> None:
        """Do nothing: there is nothing to load."""

    def identities(self, roles: Iterable[str] = ROLES) -> dict[str, str]:
        """Return the identity of each role."""
        return {role: self.identity(role) for role in roles}

    def identity(self, role: str) -> str:
        """Return the identity for content keys; the judge takes the name of the profile's."""
        judge = self.profile.entailment.checkpoint
        return f"free {judge}" if role == "entailment" else "free"

    def __getattr__(self, role: str) -> Any:
        if role in ROLES:
            return self
        if role in OPTIONAL_ROLES:
            return None
        raise AttributeError(role)

    def parse(self, texts: Sequence[str]) -> list[ParsedText]:
        """Return one noun chunk for each text with a long word."""
        found = [list(_WORD.finditer(text)) for text in texts]
        return [
            ParsedText(
                text, (), (), (), (Chunk(words[-1].start(), words[-1].end()),) if words else ()
            )
            for text, words in zip(texts, found, strict=True)
        ]

    def generate(self, requests: Sequence[QuestionRequest]) -> list[list[GeneratedQuestion]]:
        """Return one question for each span."""
        return [[GeneratedQuestion(f"{_MARK}{r.span.text}?", -1.0, "beam")] for r in requests]

    def answer(self, requests: Sequence[ReadingRequest]) -> list[Answer]:
        """Return the word of the question, if the text has it."""
        return [self._answer(r.question.removeprefix(_MARK)[:-1], r.text) for r in requests]

    def _answer(self, word: str, text: str) -> Answer:
        start = text.find(word)
        if start < 0:
            return Answer(None, None, None, -1.0, 1.0, 1)
        return Answer(word, start, start + len(word), 2.0, 0.0, 1)

    def judge(self, requests: Sequence[InferenceRequest]) -> list[Judgement]:
        """Return neutral, always."""
        return [Judgement(0.2, 0.6, 0.2) for _ in requests]
