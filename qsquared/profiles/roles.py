"""The roles that a profile fills with models, one class each."""

import re
from typing import Literal, Self

from pydantic import Field, model_validator

from qsquared.profiles.parameters import (
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


class QuestionAnswering(EncoderRole):
    """The role of `AnswerQuestions`."""

    implementation: Literal["extractive"]
    parameters: ReadingParameters = ReadingParameters()
    precision: PrecisionChoice = "fp32"


class Entailment(EncoderRole):
    """The role of `JudgeEntailment`."""

    implementation: Literal["sequence-classification"]
    parameters: EntailmentParameters = EntailmentParameters()
    precision: PrecisionChoice = "fp32"


class Similarity(ModelRole):
    """The role of `CompareTokens`."""

    implementation: Literal["token-similarity"]
    parameters: SimilarityParameters = SimilarityParameters()


class Consistency(EncoderRole):
    """The role of `JudgeSupport`."""

    implementation: Literal["sequence-classification"]
    parameters: ConsistencyParameters = ConsistencyParameters()


class ReplyClassification(EncoderRole):
    """The role of `ClassifyReplies`."""

    implementation: Literal["sequence-classification"]
    parameters: ClassificationParameters = ClassificationParameters()
    precision: PrecisionChoice = "fp32"


class IndicatorModel(ModelRole):
    """The model of one task of GLUE."""

    reading: IndicatorReading
    window: WindowParameters = WindowParameters()

    @property
    def implementation(self) -> str:
        """The kind of model, the same for every task."""
        return "sequence-classification"


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
