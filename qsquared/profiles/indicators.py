"""The role ``indicators`` of a profile: a classifier tuned on GLUE for each task that it provides."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from qsquared.profiles.roles import Role, Settings


class WindowParameters(Settings):
    """How much a classifier reads."""

    max_tokens: int = Field(default=512, ge=16, description="Window over both texts, in tokens.")


class IndicatorReading(Settings):
    """What a classifier's outputs mean."""

    label: str = Field(min_length=1, description="The label whose probability is the indicator.")
    labels: tuple[str, ...] | None = Field(
        default=None,
        description="The labels of the task, where the checkpoint has those of others too.",
    )
    number: bool = Field(
        default=False, description="The output is the indicator itself, as STS-B's is."
    )
    response_first: bool = Field(
        default=False, description="The response stands before the context or fact, not after it."
    )

    @model_validator(mode="after")
    def _label_is_one(self) -> Self:
        if self.labels is not None and self.label not in self.labels:
            raise ValueError("label must be one of labels")
        return self


class IndicatorModel(Role):
    """One task's model."""

    checkpoint: str = Field(min_length=1)
    reading: IndicatorReading
    window: WindowParameters = WindowParameters()

    @property
    def implementation(self) -> str:
        """What reads it."""
        return "sequence-classification"


class Indicators(Settings):
    """The role of `RateTasks`; a task without a model is not provided."""

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
        """Task → its model, of those that are provided."""
        every = {task: getattr(self, task) for task in type(self).model_fields}
        return {task: model for task, model in every.items() if isinstance(model, IndicatorModel)}

    @model_validator(mode="after")
    def _provides_something(self) -> Self:
        if not self.models:
            raise ValueError("indicators need a model for a task at least")
        return self
