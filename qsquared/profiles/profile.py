"""A profile: a named set of models."""

from typing import Annotated, Literal, Self, TypeVar, get_args

from pydantic import Discriminator, PositiveInt, Tag

from qsquared.errors import UsageError
from qsquared.profiles.endpoints import KINDS_OF_ROLE, EndpointRole, kind_of_role
from qsquared.profiles.parameters import Precision, Settings
from qsquared.profiles.roles import (
    Consistency,
    Entailment,
    IndicatorModel,
    Indicators,
    Parser,
    QuestionAnswering,
    QuestionGeneration,
    ReplyClassification,
    Similarity,
)

ROLES = ("parser", "question_generation", "question_answering", "entailment")
"""The roles that Q² needs, which every profile fills."""

OPTIONAL_ROLES = ("similarity", "consistency", "reply_classification", "indicators")
"""The roles that only other metrics need, which a profile may leave out."""

AnyRole = (
    Parser
    | QuestionGeneration
    | QuestionAnswering
    | Entailment
    | Similarity
    | Consistency
    | ReplyClassification
    | IndicatorModel
    | EndpointRole
)


OwnModel = TypeVar("OwnModel")
Played = Annotated[
    Annotated[OwnModel, Tag(KINDS_OF_ROLE[0])] | Annotated[EndpointRole, Tag(KINDS_OF_ROLE[1])],
    Discriminator(kind_of_role),
]
"""A role of a model of ours, which a server may play instead."""


class Profile(Settings):
    """A named set of models; ``shard_size`` is the number of pairs that a shard takes.

    ``support`` names the weights of support that were chosen with its judge (`method.support`).
    """

    name: str
    description: str
    shard_size: PositiveInt
    support: Literal["compact", "base"] = "compact"
    parser: Parser
    question_generation: Played[QuestionGeneration]
    question_answering: Played[QuestionAnswering]
    entailment: Played[Entailment]
    similarity: Similarity | None = None
    consistency: Played[Consistency] | None = None
    reply_classification: ReplyClassification | None = None
    indicators: Indicators | None = None

    @property
    def provides(self) -> frozenset[str]:
        """The names of the roles that it has models for."""
        return frozenset(name.partition(".")[0] for name in self.roles)

    @property
    def roles(self) -> dict[str, AnyRole]:
        """The roles that the profile fills by name, in the order of the pipeline.

        The indicators are one for each task, as `indicators.cola`.
        """
        every = {role: getattr(self, role) for role in (*ROLES, *OPTIONAL_ROLES)}
        if self.indicators is not None:
            models = self.indicators.models.items()
            every |= {f"indicators.{task}": model for task, model in models}
        return {name: role for name, role in every.items() if isinstance(role, AnyRole)}

    def in_precision(self, precision: str) -> Self:
        """Return the profile with its reader and its judge in another precision.

        Raises:
            UsageError: there is no such precision.
        """
        if precision not in get_args(Precision):
            known = ", ".join(get_args(Precision))
            raise UsageError(f"There is no precision {precision!r}.", f"Precisions: {known}.")
        changed = {
            role: getattr(self, role).model_copy(update={"precision": precision})
            for role in ("question_answering", "entailment")
            if not isinstance(getattr(self, role), EndpointRole)
        }
        return self.model_copy(update=changed)
