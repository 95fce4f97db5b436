"""Parameters of the models of a profile, as a person writes them."""

from typing import Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    NonNegativeInt,
    PositiveInt,
    field_serializer,
    model_validator,
)

from qsquared.method.knowledge.evidence import VIEWS_VERSION

_SPECIAL_TOKENS = 4
"""At most so many special tokens join question and text (RoBERTa has four)."""

Precision = Literal["fp32", "bf16", "int8"]
PrecisionChoice = Literal["auto", "amx", "fp32", "bf16", "int8"]
"""Of the products; int8 has scales for each token; auto is the fastest where OpenVINO runs the model, else
fp32; amx is bf16 where OpenVINO runs the model on a processor with AMX, else fp32."""
Engine = Literal["auto", "torch", "openvino"]
Labels = tuple[str, ...] | None


class Settings(BaseModel):
    """A part of a profile, which nothing changes once it is read."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BeamParameters(Settings):
    """The search of a sequence-to-sequence generator (Q², section 2; the values are its code's)."""

    beam_size: PositiveInt = 5
    """Beams; 1 is greedy decoding (Q², table 9)."""
    returned: PositiveInt = 5
    """Questions returned for a span, at most `beam_size`."""
    no_repeat_ngram_size: NonNegativeInt = 3
    """No n-gram of this size comes twice."""
    max_question_tokens: PositiveInt = 128
    """Longest question, in tokens."""
    max_tokens: PositiveInt = 512
    """Longest prompt, in tokens."""

    @model_validator(mode="after")
    def _returned_fits(self) -> Self:
        if self.returned > self.beam_size:
            raise ValueError("returned must not exceed beam_size")
        return self


class ReadingParameters(Settings):
    """The windows of an extractive reader and its threshold of no answer."""

    max_tokens: PositiveInt = 384
    """Window over question and text, in tokens."""
    stride: NonNegativeInt = 128
    """Tokens that neighbouring windows share."""
    max_answer_tokens: PositiveInt = 30
    """Longest answer, in tokens."""
    no_answer_threshold: FiniteFloat = 0.0
    """No answer where its score exceeds the best span's by more (logits)."""

    @model_validator(mode="after")
    def _windows_advance(self) -> Self:
        # A question may take half the window; the other half must be wider than the overlap.
        if self.stride >= self.max_tokens - self.max_tokens // 2 - _SPECIAL_TOKENS:
            raise ValueError("stride must be well below half of max_tokens")
        return self


class WindowParameters(Settings):
    """The window of a classifier of two texts."""

    max_tokens: int = Field(default=512, ge=16)
    """Window over both texts, in tokens."""


class EntailmentParameters(WindowParameters):
    """The window and the labels of a classifier of entailment."""

    labels: Labels = None
    """Labels in the order of the outputs, where the checkpoint names none."""


class ConsistencyParameters(WindowParameters):
    """The window and the labels of a learned consistency model."""

    supported: str = "entailment"
    """The label that means support; a number is the place of the output, from 0."""
    by_sentence: bool = True
    """Judge each sentence of the response; the mean counts."""
    evidence: bool = False
    """Judge it beside the sentences of the knowledge that speak of it, where the texts are long."""
    # Models that read pairs keep the identity that they had before there were templates.
    template: str = Field(default="", exclude_if=lambda template: not template)
    """A text with {premise} and {hypothesis}, for a model that was trained on such; else they are a pair."""

    @field_serializer("evidence")
    def _version_of_evidence(self, evidence: bool) -> bool | int:
        """Return the version of what is read, which belongs to the identity of a model that reads it."""
        return evidence and VIEWS_VERSION

    @model_validator(mode="after")
    def _template_fits(self) -> Self:
        if self.template and any(
            self.template.count(placeholder) != 1 for placeholder in ("{premise}", "{hypothesis}")
        ):
            raise ValueError("template must hold {premise} and {hypothesis} once each")
        return self


class SimilarityParameters(Settings):
    """The layer and the window of BERTScore's encoder."""

    layer: int = -1
    """Hidden layer; 0 is the embeddings, -1 the last."""
    max_tokens: int = Field(default=512, ge=16)
    """Window, in tokens."""
    classifier: bool = False
    """Whether the checkpoint is a classifier, to be used without head."""


class ClassificationParameters(Settings):
    """The window and the classes of a classifier of replies."""

    max_tokens: int = Field(default=512, ge=32)
    """Window over all texts, in tokens."""
    labels: Labels = None
    """Classes in the order of the outputs, where the checkpoint names none."""


class IndicatorReading(Settings):
    """The meaning of the outputs of a classifier tuned on GLUE."""

    label: str = Field(min_length=1)
    """The label whose probability is the indicator."""
    labels: Labels = None
    """The labels of the task, where the checkpoint has those of others too."""
    number: bool = False
    """The output is the indicator itself, as STS-B's is."""
    response_first: bool = False
    """The response stands before the context or fact, not after it."""
    threshold: float | None = Field(default=None, gt=0, lt=1)
    """The probability that counts as even: log odds are shifted so that it becomes 0.5."""

    @model_validator(mode="after")
    def _label_is_one(self) -> Self:
        if self.labels is not None and self.label not in self.labels:
            raise ValueError("label must be one of labels")
        if self.number and self.threshold is not None:
            raise ValueError("a number has no threshold")
        return self

    def identity(self) -> dict[str, object]:
        """Return all that decides a rating; an unset threshold is left out, so that older keys stay."""
        return self.model_dump(mode="json", exclude=None if self.threshold else {"threshold"})
