"""Protocols of the models, each of which answers a list of requests in order.

An implementation may batch as it likes, but an answer never depends on the other requests.
The signatures are those of models in this process, which raise an error where they fail.
A server's (``language/endpoint/roles.py``) may also return a `qsquared.records.Failure` in place of
an answer, so the stages ask through ``tasks/model_requests.py``, which expects both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from qsquared import records


class ParseText(Protocol):
    """Tokenise, tag and parse texts, find entities and noun chunks."""

    def parse(self, texts: Sequence[str]) -> list[records.ParsedText]:
        """Return one parse for each text."""


class GenerateQuestions(Protocol):
    """Generate questions whose answer is a given span."""

    def generate(
        self, requests: Sequence[records.QuestionRequest]
    ) -> list[list[records.GeneratedQuestion]]:
        """Return zero or more distinct questions for each request, best first."""


class AnswerQuestions(Protocol):
    """Find the answer to a question in a text, or report that it has none."""

    def answer(self, requests: Sequence[records.ReadingRequest]) -> list[records.Answer]:
        """Return one answer for each request."""


@runtime_checkable
class AnswerOnKnowledge(Protocol):
    """Answer questions on the knowledge otherwise than on a reply, as a reader may."""

    def answer_on_knowledge(
        self, requests: Sequence[records.ReadingRequest]
    ) -> list[records.Answer]:
        """Return one answer for each request."""


class JudgeEntailment(Protocol):
    """Judge whether a premise entails a hypothesis."""

    def judge(self, requests: Sequence[records.InferenceRequest]) -> list[records.Judgement]:
        """Return one judgement for each request."""


@runtime_checkable
class JudgeClaims(Protocol):
    """Judge a sentence of a reply beside all of its knowledge at once, however long that is, as a judge may."""

    def judge_claims(self, requests: Sequence[records.InferenceRequest]) -> list[records.Judgement]:
        """Return one judgement for each request."""


class CompareTokens(Protocol):
    """Match the tokens of two texts by their contextual embeddings."""

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[records.Similarity]:
        """Return one comparison of (candidate, reference) for each pair."""


class JudgeConsistency(Protocol):
    """Judge by one learned model how far a premise supports a hypothesis."""

    def support(self, requests: Sequence[records.InferenceRequest]) -> list[records.Support]:
        """Return one probability for each request."""


class ClassifyReplies(Protocol):
    """Classify a response by its knowledge and the turn before it."""

    def classify(self, requests: Sequence[records.ReplyRequest]) -> list[records.ReplyClasses]:
        """Return the probabilities of the five classes for each request."""


class RateTasks(Protocol):
    """Rate responses by tasks of GLUE, each by a model that was tuned on it."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks with a model."""

    def rate(self, requests: Sequence[records.RatingRequest]) -> list[records.Rating]:
        """Return one rating for each request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The models of a profile by role; only the first four are in every profile."""

    parser: ParseText
    question_generation: GenerateQuestions
    question_answering: AnswerQuestions
    entailment: JudgeEntailment
    similarity: CompareTokens | None = None
    consistency: JudgeConsistency | None = None
    reply_classification: ClassifyReplies | None = None
    indicators: RateTasks | None = None
    support_weights: str = "compact"
    """The name of the weights of support that were chosen with the judge of entailment."""

    def load(self, role: str) -> None:
        """Load the model of a role; these are loaded already, those of a profile when they are asked."""
