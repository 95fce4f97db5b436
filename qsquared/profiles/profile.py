"""Profiles: named sets of models, written in TOML and checked when read."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from qsquared.errors import UsageError
from qsquared.profiles.indicators import IndicatorModel, Indicators
from qsquared.profiles.likeness import Tables, completed
from qsquared.profiles.roles import Role, Settings

ROLES = ("parser", "question_generation", "question_answering", "entailment")
"""Every profile fills these, which Q² needs."""

OPTIONAL_ROLES = ("similarity", "consistency", "reply_classification", "indicators")
"""What other metrics need; a profile may leave them out."""

_SPECIAL_TOKENS = 4
"""At most so many special tokens join question and text (RoBERTa has four)."""

Count = Annotated[int, Field(gt=0)]
Precision = Literal["fp32", "bf16", "int8"]
Arithmetic = Annotated[
    Precision,
    Field(description="Of the linear layers; int8 has activation scales for each token."),
]


class BeamParameters(Settings):
    """How a sequence-to-sequence generator searches (Q², section 3.1; the values are its code's)."""

    beam_size: Count = Field(default=5, description="Beams; 1 is greedy decoding (Q², table 9).")
    returned: Count = Field(
        default=5, description="Questions returned for a span, at most `beam_size`."
    )
    no_repeat_ngram_size: int = Field(
        default=3, ge=0, description="No n-gram of this size comes twice."
    )
    max_question_tokens: Count = Field(default=128, description="Longest question, in tokens.")
    max_tokens: Count = Field(default=512, description="Longest prompt, in tokens.")

    @model_validator(mode="after")
    def _returned_fits(self) -> Self:
        if self.returned > self.beam_size:
            raise ValueError("returned must not exceed beam_size")
        return self


class ReadingParameters(Settings):
    """How an extractive reader reads a text and decides."""

    max_tokens: Count = Field(default=384, description="Window over question and text, in tokens.")
    stride: int = Field(default=128, ge=0, description="Tokens that neighbouring windows share.")
    max_answer_tokens: Count = Field(default=30, description="Longest answer, in tokens.")
    no_answer_threshold: float = Field(
        default=0.0,
        allow_inf_nan=False,
        description="No answer where its score exceeds the best span's by more (logits).",
    )

    @model_validator(mode="after")
    def _windows_advance(self) -> Self:
        # A question may take half the window; the other half must be wider than the overlap.
        if self.stride >= self.max_tokens - self.max_tokens // 2 - _SPECIAL_TOKENS:
            raise ValueError("stride must be well below half of max_tokens")
        return self


class EntailmentParameters(Settings):
    """How a classifier judges entailment."""

    max_tokens: int = Field(default=512, ge=16, description="Window over both texts, in tokens.")
    labels: tuple[str, ...] | None = Field(
        default=None,
        description="Labels in the order of the outputs, where the checkpoint names none.",
    )


class SimilarityParameters(Settings):
    """How BERTScore embeds a text."""

    layer: int = Field(default=-1, description="Hidden layer; 0 is the embeddings, -1 the last.")
    max_tokens: int = Field(default=512, ge=16, description="Window, in tokens.")
    classifier: bool = Field(
        default=False,
        description="Whether the checkpoint is a classifier, to be used without head.",
    )


class ConsistencyParameters(Settings):
    """How a learned consistency model reads, and what its labels mean."""

    max_tokens: int = Field(default=512, ge=16, description="Window over both texts, in tokens.")
    supported: str = Field(default="entailment", description="The label that means support.")
    by_sentence: bool = Field(
        default=True, description="Judge each sentence of the response; the mean counts."
    )


class ClassificationParameters(Settings):
    """How a classifier of replies reads, and which output is which class."""

    max_tokens: int = Field(default=512, ge=32, description="Window over all texts, in tokens.")
    labels: tuple[str, ...] | None = Field(
        default=None,
        description="Classes in the order of the outputs, where the checkpoint names none.",
    )


class Parser(Role):
    """The role of `ParseText`."""

    implementation: Literal["spacy"]
    checkpoint: str = Field(min_length=1)

    @property
    def source(self) -> str:
        """An installed package."""
        return "package"


class QuestionGeneration(Role):
    """The role of `GenerateQuestions`."""

    implementation: Literal["rules", "t5"]
    parameters: BeamParameters = BeamParameters()
    precision: Arithmetic = "fp32"

    @model_validator(mode="after")
    def _checkpoint_fits(self) -> Self:
        if (self.implementation == "t5") != bool(self.checkpoint):
            raise ValueError("'t5' needs a checkpoint, 'rules' has none")
        if self.implementation == "rules" and self.precision != "fp32":
            raise ValueError("'rules' have no precision")
        return self


class QuestionAnswering(Role):
    """The role of `AnswerQuestions`."""

    implementation: Literal["extractive"]
    checkpoint: str = Field(min_length=1)
    parameters: ReadingParameters = ReadingParameters()
    precision: Arithmetic = "fp32"


class Entailment(Role):
    """The role of `JudgeEntailment`."""

    implementation: Literal["sequence-classification"]
    checkpoint: str = Field(min_length=1)
    parameters: EntailmentParameters = EntailmentParameters()
    precision: Arithmetic = "fp32"


class Similarity(Role):
    """The role of `CompareTokens`."""

    implementation: Literal["token-similarity"]
    checkpoint: str = Field(min_length=1)
    parameters: SimilarityParameters = SimilarityParameters()


class Consistency(Role):
    """The role of `JudgeSupport`."""

    implementation: Literal["sequence-classification"]
    checkpoint: str = Field(min_length=1)
    parameters: ConsistencyParameters = ConsistencyParameters()


class ReplyClassification(Role):
    """The role of `ClassifyReplies`."""

    implementation: Literal["sequence-classification", "t5"]
    checkpoint: str = Field(min_length=1)
    parameters: ClassificationParameters = ClassificationParameters()
    precision: Arithmetic = "fp32"

    @model_validator(mode="after")
    def _labels_fit(self) -> Self:
        if self.implementation == "t5" and self.parameters.labels is not None:
            raise ValueError("'t5' writes its classes out and has no labels")
        return self


AnyRole = (
    Parser
    | QuestionGeneration
    | QuestionAnswering
    | Entailment
    | Similarity
    | Consistency
    | ReplyClassification
    | IndicatorModel
)


class Profile(Settings):
    """A named set of models; ``shard_size`` is the number of pairs that a shard takes."""

    name: str
    description: str
    shard_size: Count
    parser: Parser
    question_generation: QuestionGeneration
    question_answering: QuestionAnswering
    entailment: Entailment
    similarity: Similarity | None = None
    consistency: Consistency | None = None
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


def load_profiles(extra: Path | None = None) -> dict[str, Profile]:
    """The profiles of the package and those of ``extra``, by name.

    A local checkpoint that begins with a dot is relative to the folder of its TOML file.

    Raises:
        UsageError: ``extra`` cannot be read, holds an invalid profile, or one named as a shipped one.
    """
    shipped = tomllib.loads(
        files("qsquared.profiles").joinpath("profiles.toml").read_text(encoding="utf-8")
    )
    profiles = _profiles(shipped, "profiles.toml", Path(), {})
    if extra is not None:
        try:
            text = extra.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"The profiles in {extra} cannot be read: {error}.", "Check the path."
            ) from error
        own = _parse(text, str(extra), extra.parent, shipped)
        if taken := sorted(own.keys() & profiles.keys()):
            raise UsageError(
                f"{extra} defines {', '.join(taken)}, which the package defines already.",
                "Give it another name, so that a name always means the same models.",
            )
        profiles |= own
    return profiles


def get_profile(name: str, extra: Path | None = None) -> Profile:
    """The profile of that name.

    Raises:
        UsageError: there is none, or ``extra`` is not valid.
    """
    profiles = load_profiles(extra)
    if name not in profiles:
        raise UsageError(f"There is no profile {name!r}.", f"Profiles: {', '.join(profiles)}.")
    return profiles[name]


def _parse(text: str, where: str, folder: Path, known: Tables) -> dict[str, Profile]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where} is not valid TOML: {error}.", "Correct the line.") from error
    return _profiles(tables, where, folder, known)


def _profiles(tables: Tables, where: str, folder: Path, known: Tables) -> dict[str, Profile]:
    """The profiles of a file; ``known`` are tables outside of it that one may be like."""
    return {
        name: _profile(name, completed(name, table, {**known, **tables}, where), where, folder)
        for name, table in tables.items()
    }


def _profile(name: str, table: Any, where: str, folder: Path) -> Profile:
    if not isinstance(table, dict):
        raise UsageError(f"{where} has {name!r} outside a profile.", "Begin with [<name>].")
    roles = {key: _resolved(value, folder) for key, value in table.items()}
    try:
        return Profile(**{**roles, "name": name})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in (name, *first["loc"]))
        raise UsageError(
            f"{where} is not valid at {place}: {first['msg']}.",
            "See the comments at the head of qsquared/profiles/profiles.toml for what may stand there.",
        ) from error


def _resolved(value: Any, folder: Path) -> Any:
    if not isinstance(value, dict):
        return value
    made = {key: _resolved(inner, folder) for key, inner in value.items()}
    checkpoint = value.get("checkpoint")
    if isinstance(checkpoint, str) and checkpoint.startswith("."):
        made["checkpoint"] = str((folder / checkpoint).resolve())
    return made
