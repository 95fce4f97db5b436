"""A metric is a small named graph of stages; with models and parameters it has content keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from qsquared.storage.keys import digest, stage_key
from qsquared.tasks import (
    answer_on_knowledge,
    blend_scores,
    compare_answers,
    compute_scores,
    extract_spans,
    filter_questions,
    generate_questions,
    judge_responses,
)
from qsquared.tasks.stage import Stage

_SHARDS_REMEMBERED = 4096


@dataclass(frozen=True)
class Metric:
    """Stages in an order in which each comes after its inputs, and the parameters' defaults."""

    name: str
    stages: tuple[Stage, ...]
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def stage(self, name: str) -> Stage:
        """The stage of that name."""
        return next(stage for stage in self.stages if stage.name == name)


Q2 = Metric(
    "q2",
    (
        extract_spans.STAGE,
        generate_questions.STAGE,
        filter_questions.STAGE,
        answer_on_knowledge.STAGE,
        compare_answers.STAGE,
        compute_scores.STAGE,
    ),
    {
        "variant": "single",
        "leave_out_personal": True,
        "fallback_premise": "knowledge",
        # Above so many characters a question is answered on the sentences around its span.
        "response_characters": 4000,
    },
)

BLEND = Metric("blend", (*Q2.stages, judge_responses.STAGE, blend_scores.STAGE), Q2.defaults)
"""Q² beside two views of the whole response (``method/blend.py``); its first stages are Q²'s own."""

METRICS = {metric.name: metric for metric in (Q2, BLEND)}


@dataclass(frozen=True)
class Configuration:
    """A metric with its parameters and the identities of its models.

    A stage's *lineage* is its content key with the shard left out: it names the folder that holds
    the stage's output for all shards.
    """

    metric: Metric
    profile: str
    parameters: Mapping[str, Any]
    identities: Mapping[str, str]

    def key(self, stage: str, shard: str) -> str:
        """Content key of a stage's output on a shard (``shard`` itself for the pairs)."""
        return shard if stage == "pairs" else self._keys(shard)[stage]

    @cached_property
    def _keys(self) -> Callable[[str], dict[str, str]]:
        """The keys of all stages on a shard; those of the last shards are remembered."""

        def keys(shard: str) -> dict[str, str]:
            made = {"pairs": shard}
            for stage in self.metric.stages:
                made[stage.name] = stage_key(
                    stage.name,
                    stage.version,
                    {name: self.parameters[name] for name in stage.parameters},
                    {role: self.identities[role] for role in stage.roles},
                    {name: made[name] for name in stage.inputs},
                )
            return made

        return lru_cache(maxsize=_SHARDS_REMEMBERED)(keys)

    @property
    def label(self) -> str:
        """The profile, with the parameters that differ from the metric's defaults."""
        own = [
            f"+{name}={value}"
            for name, value in sorted(self.parameters.items())
            if self.metric.defaults.get(name) != value
        ]
        return self.profile + "".join(own)

    @cached_property
    def lineages(self) -> dict[str, str]:
        """Stage → lineage."""
        return {stage.name: self.key(stage.name, "") for stage in self.metric.stages}

    @cached_property
    def digest(self) -> str:
        """Hash of the whole configuration; it is printed beside every score."""
        return digest([self.metric.name, self.lineages])

    def describe(self, stage: str) -> dict[str, Any]:
        """What a lineage stands for, as JSON."""
        definition = self.metric.stage(stage)
        return {
            "stage": stage,
            "version": definition.version,
            "parameters": {name: self.parameters[name] for name in definition.parameters},
            "models": {role: self.identities[role] for role in definition.roles},
            "inputs": {name: self.lineages.get(name, "") for name in definition.inputs},
        }
