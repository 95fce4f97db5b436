"""The models of a profile, each behind its protocol and loaded when first used."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from qsquared.errors import UsageError
from qsquared.language.endpoint.roles import (
    EndpointJudge,
    EndpointQuestions,
    EndpointReader,
    EndpointSupport,
)
from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.language.judging.nli import NliJudge
from qsquared.language.judging.ratings import TaskRatings
from qsquared.language.judging.reply_classes import ReplyClassifier
from qsquared.language.judging.similarity import TokenSimilarity
from qsquared.language.judging.support import SupportJudge
from qsquared.language.questions.question_generation import T5Questions
from qsquared.language.questions.rule_questions import RuleQuestions
from qsquared.language.running.neural import NeuralModel
from qsquared.language.spacy_parser import SpacyParser
from qsquared.profiles.endpoints import EndpointRole
from qsquared.profiles.parameters import Engine, PrecisionChoice
from qsquared.profiles.profile import ROLES, Profile

_building = threading.Lock()

_ON_CPU = {"generator": 32, "encoder": 16}
_ELSEWHERE = {"generator": 64, "encoder": 128}
_SMALL_BATCH = 16
"""Rows a batch. A CPU gains nothing from more, a GPU does; what does not fit is halved."""

Neural = TypeVar("Neural", bound=NeuralModel[Any])
Served = TypeVar("Served", EndpointQuestions, EndpointReader, EndpointJudge, EndpointSupport)


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a profile by role; a role that the profile leaves out is ``None``."""

    profile: Profile
    parser: SpacyParser
    question_generation: RuleQuestions | T5Questions | EndpointQuestions
    question_answering: ExtractiveAnswers | EndpointReader
    entailment: NliJudge | EndpointJudge
    similarity: TokenSimilarity | None = None
    consistency: SupportJudge | EndpointSupport | None = None
    reply_classification: ReplyClassifier | None = None
    indicators: TaskRatings | None = None

    @property
    def support(self) -> str:
        """The name of the weights of support that were chosen with the judge."""
        return self.profile.support

    def load(self, role: str) -> None:
        """Load the model of a role, if it is not loaded yet.

        Raises:
            ModelError: it cannot be loaded.
        """
        model = getattr(self, role)
        if isinstance(model, NeuralModel | TaskRatings):
            model.load()
        elif isinstance(model, SpacyParser | RuleQuestions):
            self.parser.parse([""])

    def identities(self, roles: Iterable[str] = ROLES) -> dict[str, str]:
        """Return role → identity, for content keys; loads no model.

        Raises:
            ModelError: a model is not on this machine.
        """
        return {role: self.identity(role) for role in roles}

    def identity(self, role: str) -> str:
        """Return the identity of one role, so that a stage asks only for the models that it uses.

        Raises:
            UsageError: the profile has no model for the role.
            ModelError: the model is not on this machine.
        """
        model = getattr(self, role)
        if model is None:
            raise UsageError(
                f"The profile {self.profile.name} has no model for the role {role}, which a metric "
                "that was asked for needs.",
                f"Leave that metric out, or write a profile with a section for {role}: see "
                "qsquared/profiles/profiles.toml and --profiles.",
            )
        own = self.support != "compact" and role == "entailment"
        return str(model.identity) + f" support={self.support}" * own


def build_models(profile: Profile, device: str = "cpu") -> Models:
    """Return the models of a profile; one profile has one set of models in a process.

    Nothing is loaded yet, and a missing model is reported when it is first asked for.
    """
    # Without the lock two threads could build, and later load, the same models twice.
    with _building:
        return _build(profile, device)


@lru_cache(maxsize=4)
def _build(profile: Profile, device: str) -> Models:
    rows = _ON_CPU if device.partition(":")[0] == "cpu" else _ELSEWHERE

    def neural(kind: type[Neural], role: Any, batch: int) -> Neural:
        precision: PrecisionChoice = getattr(role, "precision", "fp32")
        engine: Engine = getattr(role, "engine", "auto")
        return kind(
            role.checkpoint, role.revision, role.parameters, batch, device, precision, engine
        )

    def optional(kind: type[Neural], role: Any, batch: int) -> Neural | None:
        return None if role is None else neural(kind, role, batch)

    def served(kind: type[Served], role: Any) -> Served | None:
        return kind(role) if isinstance(role, EndpointRole) else None

    parser = SpacyParser(package=profile.parser.checkpoint)
    encoder = rows["encoder"]
    generation = profile.question_generation
    judge = served(EndpointJudge, profile.entailment) or neural(
        NliJudge, profile.entailment, encoder
    )
    consistency = served(EndpointSupport, profile.consistency) or optional(
        SupportJudge, profile.consistency, _SMALL_BATCH
    )
    if isinstance(consistency, SupportJudge) and isinstance(judge, NliJudge):
        consistency.share(judge)
    return Models(
        profile,
        parser,
        served(EndpointQuestions, generation)
        or (
            neural(T5Questions, generation, rows["generator"])
            if generation.implementation == "t5"
            else RuleQuestions(parser)
        ),
        served(EndpointReader, profile.question_answering)
        or neural(ExtractiveAnswers, profile.question_answering, encoder),
        judge,
        optional(TokenSimilarity, profile.similarity, _SMALL_BATCH),
        consistency,
        optional(ReplyClassifier, profile.reply_classification, encoder),
        TaskRatings(profile.indicators.models, encoder, device) if profile.indicators else None,
    )
