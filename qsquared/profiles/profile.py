"""A profile: a named set of models, one class for each of the roles that they play."""

import re
from typing import Annotated, Literal, Self, TypeVar, get_args

from pydantic import Discriminator, Field, PositiveInt, Tag, model_validator

from qsquared.errors import UsageError
from qsquared.profiles.endpoints import KINDS_OF_ROLE, EndpointRole, kind_of_role
from qsquared.profiles.model_parameters import (
    BeamParameters,
    ClassificationParameters,
    ConsistencyParameters,
    Engine,
    EntailmentParameters,
    IndicatorReading,
    Precision,
    PrecisionChoice,
    ReadingParameters,
    Settings,
    SimilarityParameters,
    WindowParameters,
)

ROLES = ("parser", "question_generation", "question_answering", "entailment")
"""The roles that Q² needs, which every profile fills."""

OPTIONAL_ROLES = ("similarity", "consistency", "reply_classification", "indicators")
"""The roles that only other metrics need, which a profile may leave out."""

_HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")
_REVISION = re.compile(r"[0-9a-f]{40}|[\w][\w./-]*(@[0-9a-f]{7,40})?")
_LOCAL_PREFIXES = ("/", "./", "../", "~")


def checkpoint_source(checkpoint: str) -> str:
    """Return `bundled`, `hub` or `local`, the place that a checkpoint is loaded from."""
    if checkpoint.startswith("bundled:"):
        return "bundled"
    if not checkpoint.startswith(_LOCAL_PREFIXES) and _HUB_NAME.fullmatch(checkpoint):
        return "hub"
    return "local"


class Role(Settings):
    """A checkpoint; a role that loads nothing names none."""

    checkpoint: str = ""
    """The name or place of the model."""
    revision: str = ""
    """Commit of a hub checkpoint; nothing for others."""

    @property
    def source(self) -> str:
        """`bundled`, `local` or `hub`, `package` (spaCy), or `none` (nothing to load)."""
        if not self.checkpoint:
            return "none"
        return checkpoint_source(self.checkpoint)

    @model_validator(mode="after")
    def _revision_fits(self) -> Self:
        if self.source == "hub" and not _REVISION.fullmatch(self.revision):
            raise ValueError(
                f"the hub checkpoint {self.checkpoint!r} needs a revision: a full commit hash, or "
                "a ref such as 'main' that `q2 models pull` resolves once"
            )
        if self.source != "hub" and self.revision:
            raise ValueError("only a hub checkpoint has a revision")
        return self


class ModelRole(Role):
    """A role that always loads a checkpoint."""

    checkpoint: str = Field(min_length=1)


class EncoderRole(ModelRole):
    """A role of an encoder, which an engine runs."""

    engine: Engine = "auto"
    """torch or openvino; auto is openvino where it is installed and the device is a CPU."""


class Parser(ModelRole):
    """The role of `ParseText`."""

    implementation: Literal["spacy"]

    @property
    def source(self) -> str:
        """`package`: an installed one."""
        return "package"


class QuestionGeneration(Role):
    """The role of `GenerateQuestions`."""

    implementation: Literal["rules", "t5"]
    parameters: BeamParameters = BeamParameters()
    precision: Precision = "fp32"

    @model_validator(mode="after")
    def _checkpoint_fits(self) -> Self:
        if (self.implementation == "t5") != bool(self.checkpoint):
            raise ValueError("'t5' needs a checkpoint, 'rules' has none")
        if self.implementation == "rules" and self.precision != "fp32":
            raise ValueError("'rules' have no precision")
        return self


class _Reader(EncoderRole):
    """A model that finds answers in texts."""

    parameters: ReadingParameters = ReadingParameters()
    precision: PrecisionChoice = "fp32"


class SecondReader(_Reader):
    """A larger reader that answers on the knowledge where the first is unsure."""

    margin: float = Field(gt=0)
    """The first reader is unsure where its best span and no answer score within it of each other."""


class QuestionAnswering(_Reader):
    """The role of `AnswerQuestions`."""

    implementation: Literal["extractive"]
    second: SecondReader | None = None
    """A larger reader to ask where this one is unsure of what the knowledge answers."""


class _Judge(EncoderRole):
    """A model that judges entailment."""

    parameters: EntailmentParameters = EntailmentParameters()
    precision: PrecisionChoice = "fp32"


class SecondJudge(_Judge):
    """A judge whose judgements are pooled with those of the first."""

    share: float = Field(gt=0, lt=1)
    """The weight of its judgements, between 0 and 1; those of the first judge weigh the rest."""


class Entailment(_Judge):
    """The role of `JudgeEntailment`."""

    implementation: Literal["sequence-classification"]
    second: SecondJudge | None = None
    """A judge to ask besides, whose judgements are pooled with those of the first."""


class Similarity(ModelRole):
    """The role of `CompareTokens`."""

    implementation: Literal["token-similarity"]
    parameters: SimilarityParameters = SimilarityParameters()


class Consistency(EncoderRole):
    """The role of `JudgeConsistency`."""

    implementation: Literal["sequence-classification"]
    parameters: ConsistencyParameters = ConsistencyParameters()
    precision: PrecisionChoice = "fp32"


class ReplyClassification(EncoderRole):
    """The role of `ClassifyReplies`."""

    implementation: Literal["sequence-classification"]
    parameters: ClassificationParameters = ClassificationParameters()
    precision: PrecisionChoice = "fp32"


class IndicatorModel(ModelRole):
    """The model of one task of GLUE."""

    reading: IndicatorReading
    window: WindowParameters = WindowParameters()


class Indicators(Settings):
    """The role of `RateTasks`: a classifier tuned on GLUE for each task that it provides."""

    implementation: Literal["sequence-classification"]
    cola: IndicatorModel | None = None
    sst2: IndicatorModel | None = None
    mrpc: IndicatorModel | None = None
    qqp: IndicatorModel | None = None
    stsb: IndicatorModel | None = None
    qnli: IndicatorModel | None = None
    rte: IndicatorModel | None = None

    @property
    def models(self) -> dict[str, IndicatorModel]:
        """The models by task, of the tasks that are provided."""
        every = {task: getattr(self, task) for task in type(self).model_fields}
        return {task: model for task, model in every.items() if isinstance(model, IndicatorModel)}

    @model_validator(mode="after")
    def _provides_something(self) -> Self:
        if not self.models:
            raise ValueError("indicators need a model for a task at least")
        return self


AnyRole = Role | EndpointRole


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

        The indicators are one for each task, as `indicators.cola`; a second reader or judge is
        `question_answering.second` or `entailment.second`.
        """
        every = {role: getattr(self, role) for role in (*ROLES, *OPTIONAL_ROLES)}
        for role in ("question_answering", "entailment"):
            every[f"{role}.second"] = getattr(every[role], "second", None)
        if self.indicators is not None:
            models = self.indicators.models.items()
            every |= {f"indicators.{task}": model for task, model in models}
        return {name: role for name, role in every.items() if isinstance(role, AnyRole)}

    def in_precision(self, precision: str) -> Self:
        """Return the profile with its reader and its judges in another precision.

        Raises:
            UsageError: there is no such precision.
        """
        if precision not in get_args(Precision):
            precisions = ", ".join(get_args(Precision))
            raise UsageError(f"There is no precision {precision!r}.", f"Precisions: {precisions}.")
        changed: dict[str, AnyRole] = {}
        for role in ("question_answering", "entailment", "consistency"):
            model = getattr(self, role)
            if model is not None and not isinstance(model, EndpointRole):
                own: dict[str, object] = {"precision": precision}
                if getattr(model, "second", None) is not None:
                    own["second"] = model.second.model_copy(update={"precision": precision})
                changed[role] = model.model_copy(update=own)
        return self.model_copy(update=changed)
