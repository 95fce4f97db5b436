"""What the stages ask of the models; each answers a list of requests, in order.

An implementation may batch as it likes, but an answer never depends on the other requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from qsquared.records import (
    Answer,
    GeneratedQuestion,
    InferenceRequest,
    Judgement,
    ParsedText,
    QuestionRequest,
    Rating,
    RatingRequest,
    ReadingRequest,
    ReplyClasses,
    ReplyRequest,
    Similarity,
    Support,
)


class ParseText(Protocol):
    """Tokenise, tag and parse texts, find entities and noun chunks."""

    def parse(self, texts: Sequence[str]) -> list[ParsedText]:
        """One parse for each text."""
        ...


class GenerateQuestions(Protocol):
    """Generate questions whose answer is a given span."""

    def generate(self, requests: Sequence[QuestionRequest]) -> list[list[GeneratedQuestion]]:
        """Zero or more distinct questions for each request, best first."""
        ...


class AnswerQuestions(Protocol):
    """Find the answer to a question in a text, or say that there is none."""

    def answer(self, requests: Sequence[ReadingRequest]) -> list[Answer]:
        """One answer for each request."""
        ...


class JudgeEntailment(Protocol):
    """Judge whether a premise entails a hypothesis."""

    def judge(self, requests: Sequence[InferenceRequest]) -> list[Judgement]:
        """One judgement for each request."""
        ...


class CompareTokens(Protocol):
    """Match the tokens of two texts by their contextual embeddings."""

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Similarity]:
        """One comparison of (candidate, reference) for each pair."""
        ...


class JudgeSupport(Protocol):
    """Judge by one learned model how far a premise supports a hypothesis."""

    def support(self, requests: Sequence[InferenceRequest]) -> list[Support]:
        """One probability for each request."""
        ...


class ClassifyReplies(Protocol):
    """Tell what kind of reply a response is, by its knowledge and the turn before it."""

    def classify(self, requests: Sequence[ReplyRequest]) -> list[ReplyClasses]:
        """The probabilities of the five classes for each request."""
        ...


class RateTasks(Protocol):
    """Rate responses by tasks of GLUE, each by a model that was tuned on it."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that there are models for."""
        ...

    def rate(self, requests: Sequence[RatingRequest]) -> list[Rating]:
        """One rating for each request."""
        ...
