"""Models that cost next to nothing, to see what all else costs; one question for each reply."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.commands.watched import FourRoles
from qsquared.profiles.profile import ROLES, Profile
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
class FreeModels(FourRoles):
    """All four roles of a profile: the last long word of a text is its one noun chunk."""

    profile: Profile

    def load(self, role: str) -> None:
        """Nothing to load."""

    def identities(self, roles: Iterable[str] = ROLES) -> dict[str, str]:
        """They do not differ, but for the judge, which takes the name of the profile's."""
        return {role: self.identity(role) for role in roles}

    def identity(self, role: str) -> str:
        """What a content key says of them."""
        judge = self.profile.entailment.checkpoint
        return f"free {judge}" if role == "entailment" else "free"

    @property
    def parser(self) -> FreeModels:
        """As the parser."""
        return self

    @property
    def question_generation(self) -> FreeModels:
        """As the question generator."""
        return self

    @property
    def question_answering(self) -> FreeModels:
        """As the reader."""
        return self

    @property
    def entailment(self) -> FreeModels:
        """As the NLI model."""
        return self

    def parse(self, texts: Sequence[str]) -> list[ParsedText]:
        """One noun chunk for each text with a long word."""
        found = [list(_WORD.finditer(text)) for text in texts]
        return [
            ParsedText(
                text, (), (), (), (Chunk(words[-1].start(), words[-1].end()),) if words else ()
            )
            for text, words in zip(texts, found, strict=True)
        ]

    def generate(self, requests: Sequence[QuestionRequest]) -> list[list[GeneratedQuestion]]:
        """One question for each span."""
        return [[GeneratedQuestion(f"{_MARK}{r.span.text}?", -1.0, "beam")] for r in requests]

    def answer(self, requests: Sequence[ReadingRequest]) -> list[Answer]:
        """The word that is asked about, where the text has it."""
        return [self._answer(r.question.removeprefix(_MARK)[:-1], r.text) for r in requests]

    def _answer(self, word: str, text: str) -> Answer:
        start = text.find(word)
        if start < 0:
            return Answer(None, None, None, -1.0, 1.0, 1)
        return Answer(word, start, start + len(word), 2.0, 0.0, 1)

    def judge(self, requests: Sequence[InferenceRequest]) -> list[Judgement]:
        """Always neutral."""
        return [Judgement(0.2, 0.6, 0.2) for _ in requests]
