"""Classifiers tuned on tasks of GLUE, which rate a text by one number for each task."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from qsquared.errors import ModelError
from qsquared.language.running.sequence_classifier import SequenceClassifier
from qsquared.profiles.parameters import WindowParameters
from qsquared.profiles.roles import IndicatorModel
from qsquared.records import Rating, RatingRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Texts = tuple[str, ...]


class TaskClassifier(SequenceClassifier[WindowParameters]):
    """All outputs of one checkpoint for one or two texts; several tasks may share it.

    Texts above the window are cut, the longer one first, as the paper does.
    """

    defaults = WindowParameters()
    implementation = "task-classifier"

    def outputs(self, texts: Iterable[Texts]) -> dict[Texts, tuple[list[float], bool]]:
        """Return the logits of each distinct text or pair, and whether it was cut.

        Raises:
            ModelError: the model cannot be loaded, or gives a logit that is not finite.
            MemoryError: not even one row fits in memory.
        """
        with self._lock:
            distinct = sorted(set(texts))
            if not distinct:
                return {}
            encoded, cut = zip(*map(self._encode, distinct), strict=True)
            columns = {name: [row[name] for row in encoded] for name in encoded[0]}
            return dict(
                zip(distinct, zip(self._logits(columns).tolist(), cut, strict=True), strict=True)
            )

    def _encode(self, texts: Texts) -> tuple[dict[str, list[int]], bool]:
        loaded, limit = self.load(), self.parameters.max_tokens
        encoded = loaded.tokenizer(
            *texts,
            truncation="longest_first",
            max_length=limit,
            return_token_type_ids=loaded.config.has_segments,
        )
        return dict(encoded), self._tokens(*texts) > limit


class TaskRatings:
    """The raters of a profile's tasks; tasks with one checkpoint share its forward passes.

    Args:
        models: task → its model in the profile.
        batch_size: rows a forward pass.
        device: a torch device.
    """

    name = "tuned on GLUE"

    def __init__(
        self, models: Mapping[str, IndicatorModel], batch_size: int = 8, device: str = "cpu"
    ) -> None:
        self._models = dict(models)
        self._classifiers = {
            key: TaskClassifier(key[0], key[1], model.window, batch_size, device)
            for model in self._models.values()
            for key in [_key(model)]
        }

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that the profile has models for."""
        return tuple(self._models)

    @property
    def identity(self) -> str:
        """Everything that decides a rating: each task's model and how its outputs are read.

        Raises:
            ModelError: a checkpoint is not there.
        """
        decisive = {
            task: [self._of(model).identity, model.reading.identity()]
            for task, model in sorted(self._models.items())
        }
        return json.dumps(decisive, sort_keys=True)

    def load(self) -> None:
        """Load all models, and check that each has the labels that its task reads.

        Raises:
            ModelError: a checkpoint is missing or damaged, or lacks a label.
        """
        for classifier in self._classifiers.values():
            classifier.load()
        for model in self._models.values():
            self._places(model)

    def rate(self, requests: Sequence[RatingRequest]) -> list[Rating]:
        """Rate each request by one number: a probability, or the number that the task gives.

        Raises:
            ModelError: a model cannot be loaded or lacks a label, or there is none for a task.
            MemoryError: not even one row fits in memory.
        """
        models = [self._model(request.task) for request in requests]
        texts = [_ordered(request, model) for request, model in zip(requests, models, strict=True)]
        outputs = {
            key: classifier.outputs(
                row for row, model in zip(texts, models, strict=True) if _key(model) == key
            )
            for key, classifier in self._classifiers.items()
        }
        found = []
        for row, model in zip(texts, models, strict=True):
            logits, cut = outputs[_key(model)][row]
            found.append(Rating(self._value(model, logits), cut))
        return found

    def _model(self, task: str) -> IndicatorModel:
        if task not in self._models:
            raise ModelError(
                f"There is no model for the task {task}.", "Add one to the profile's `indicators`."
            )
        return self._models[task]

    def _of(self, model: IndicatorModel) -> TaskClassifier:
        return self._classifiers[_key(model)]

    def _places(self, model: IndicatorModel) -> tuple[list[int], int]:
        """Return the outputs of the task, and the one among them that is the indicator."""
        names = list(self._of(model).load().config.labels)
        reading = model.reading
        wanted = list(reading.labels or (names if not reading.number else [reading.label]))
        if missing := [name for name in {*wanted, reading.label} if name not in names]:
            raise ModelError(
                f"The model {model.checkpoint} has the labels {', '.join(names)}, none of them "
                f"{missing[0]!r}.",
                'Name the label of the indicator in the profile, as label = "LABEL_1".',
            )
        return [names.index(name) for name in wanted], wanted.index(reading.label)

    def _value(self, model: IndicatorModel, logits: list[float]) -> float:
        import numpy as np

        places, place = self._places(model)
        own = np.array([logits[i] for i in places])
        if model.reading.number:
            return float(own[place])
        shares = np.exp(own - own.max())
        if (even := model.reading.threshold) is not None:
            shares[place] *= (1 - even) / even
        return float(shares[place] / shares.sum())


def _key(model: IndicatorModel) -> tuple[str, str, int]:
    return model.checkpoint, model.revision, model.window.max_tokens


def _ordered(request: RatingRequest, model: IndicatorModel) -> Texts:
    if request.other is None:
        return (request.response,)
    if model.reading.response_first:
        return request.response, request.other
    return request.other, request.response
