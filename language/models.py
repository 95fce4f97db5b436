"""The models of a profile, each behind its protocol and loaded when first used.

``qsquared/profiles/profiles.toml`` names the checkpoint of each.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from qsquared.errors import UsageError
from qsquared.language.cascaded_qa import CascadedAnswers
from qsquared.language.endpoint import roles as endpoint
from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.language.judging.begin_classifier import ReplyClassifier
from qsquared.language.judging.bertscore import TokenSimilarity
from qsquared.language.judging.glue_classifiers import TaskRatings
from qsquared.language.judging.nli import ConsistencyJudge, NliJudge, PooledJudge
from qsquared.language.neural.neural_model import NeuralModel
from qsquared.language.rule_questions import RuleQuestions
from qsquared.language.spacy_parser import SpacyParser
from qsquared.language.t5_questions import T5Questions
from qsquared.profiles.endpoints import EndpointRole
from qsquared.profiles.profile import ROLES, Profile
from qsquared.protocols import Roles

_building = threading.Lock()

_ON_CPU = {"generator": 32, "encoder": 16}
_ELSEWHERE = {"generator": 64, "encoder": 128}
_SMALL_BATCH = 16
"""Rows a batch. A CPU gains nothing from more, a GPU does; what does not fit is halved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models(Roles):
    """The models of a profile by role; a role that the profile leaves out is ``None``."""

    profile: Profile

    def load(self, role: str) -> None:
        """Load the model of a role, if it is not loaded yet.

        Raises:
            ModelError: it cannot be loaded.
        """
        model = getattr(self, role)
        model = self.parser if isinstance(model, RuleQuestions) else model
        if isinstance(
            model, NeuralModel | TaskRatings | PooledJudge | CascadedAnswers | SpacyParser
        ):
            model.load()

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
        states_support = self.support_weights != "compact" and role == "entailment"
        return str(model.identity) + f" support={self.support_weights}" * states_support


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

    def play(role: Any, kind: type[Any], batch: int, served: type[Any] | None = None) -> Any:
        """Return the model of a role: a server's, or one that is loaded; None without the role."""
        if role is None:
            return None
        if served is not None and isinstance(role, EndpointRole):
            return served(role)
        precision, engine = getattr(role, "precision", "fp32"), getattr(role, "engine", "auto")
        return kind(
            role.checkpoint, role.revision, role.parameters, batch, device, precision, engine
        )

    parser = SpacyParser(package=profile.parser.checkpoint)
    encoder, generation = rows["encoder"], profile.question_generation
    judge = play(profile.entailment, NliJudge, encoder, endpoint.EndpointJudge)
    consistency = play(
        profile.consistency, ConsistencyJudge, _SMALL_BATCH, endpoint.EndpointSupport
    )
    if isinstance(consistency, ConsistencyJudge) and isinstance(judge, NliJudge):
        consistency.share(judge)
    second = getattr(profile.entailment, "second", None)
    if second is not None:
        judge = PooledJudge(judge, play(second, NliJudge, encoder), second.share)
    if generation.implementation == "rules":
        questions: Any = RuleQuestions(parser)
    else:
        questions = play(generation, T5Questions, rows["generator"], endpoint.EndpointQuestions)
    reader = play(profile.question_answering, ExtractiveAnswers, encoder, endpoint.EndpointReader)
    larger = getattr(profile.question_answering, "second", None)
    if larger is not None:
        reader = CascadedAnswers(reader, play(larger, ExtractiveAnswers, encoder), larger.margin)
    indicators = profile.indicators
    return Models(
        profile=profile,
        parser=parser,
        question_generation=questions,
        question_answering=reader,
        entailment=judge,
        similarity=play(profile.similarity, TokenSimilarity, _SMALL_BATCH),
        consistency=consistency,
        reply_classification=play(profile.reply_classification, ReplyClassifier, encoder),
        indicators=TaskRatings(indicators.models, encoder, device) if indicators else None,
        support_weights=profile.support,
    )
