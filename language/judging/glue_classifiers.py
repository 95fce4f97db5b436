"""Classifiers tuned on tasks of GLUE, which rate a text by one number for each task."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from qsquared.errors import ModelError
from qsquared.language.neural.sequence_classifier import SequenceClassifier
from qsquared.profiles.model_parameters import WindowParameters
from qsquared.profiles.profile import IndicatorModel
from qsquared.records import Rating, RatingRequest

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
        classifiers = {
            _key(model): TaskClassifier(*_key(model)[:2], model.window, batch_size, device)
            for model in models.values()
        }
        self._raters = {task: (model, classifiers[_key(model)]) for task, model in models.items()}

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that the profile has models for."""
        return tuple(self._raters)

    @property
    def identity(self) -> str:
        """Everything that decides a rating: each task's model and how its outputs are read.

        Raises:
            ModelError: a checkpoint is not there.
        """
        decisive = {
            task: [classifier.identity, model.reading.identity()]
            for task, (model, classifier) in self._raters.items()
        }
        return json.dumps(decisive, sort_keys=True)

    def load(self) -> None:
        """Load all models, and check that each has the labels that its task reads.

        Raises:
            ModelError: a checkpoint is missing or damaged, or lacks a label.
        """
        for model, classifier in self._raters.values():
            _places(model, classifier)

    def rate(self, requests: Sequence[RatingRequest]) -> list[Rating]:
        """Rate each request by one number: a probability, or the number that the task gives.

        Raises:
            ModelError: a model cannot be loaded or lacks a label, or there is none for a task.
            MemoryError: not even one row fits in memory.
        """
        raters = [self._rater(request.task) for request in requests]
        rated = [
            (model, classifier, _ordered(request, model))
            for request, (model, classifier) in zip(requests, raters, strict=True)
        ]
        texts_of: dict[TaskClassifier, list[Texts]] = defaultdict(list)
        for _, classifier, texts in rated:
            texts_of[classifier].append(texts)
        outputs = {classifier: classifier.outputs(rows) for classifier, rows in texts_of.items()}
        ratings = []
        for model, classifier, texts in rated:
            logits, cut = outputs[classifier][texts]
            ratings.append(Rating(_value(model, classifier, logits), cut))
        return ratings

    def _rater(self, task: str) -> tuple[IndicatorModel, TaskClassifier]:
        if task not in self._raters:
            raise ModelError(
                f"There is no model for the task {task}.", "Add one to the profile's `indicators`."
            )
        return self._raters[task]


def _places(model: IndicatorModel, classifier: TaskClassifier) -> tuple[list[int], int]:
    """Return the outputs of the task, and the one among them that is the indicator."""
    names = list(classifier.load().config.labels)
    reading = model.reading
    outputs = list(reading.labels or (names if not reading.number else [reading.label]))
    if missing := [name for name in {*outputs, reading.label} if name not in names]:
        raise ModelError(
            f"The model {model.checkpoint} has the labels {', '.join(names)}, none of them "
            f"{missing[0]!r}.",
            'Name the label of the indicator in the profile, as label = "LABEL_1".',
        )
    return [names.index(name) for name in outputs], outputs.index(reading.label)


def _value(model: IndicatorModel, classifier: TaskClassifier, logits: list[float]) -> float:
    places, indicator = _places(model, classifier)
    chosen_logits = np.array([logits[i] for i in places])
    if model.reading.number:
        return float(chosen_logits[indicator])
    shares = np.exp(chosen_logits - chosen_logits.max())
    if (even := model.reading.threshold) is not None:
        shares[indicator] *= (1 - even) / even
    return float(shares[indicator] / shares.sum())


def _key(model: IndicatorModel) -> tuple[str, str, int]:
    return model.checkpoint, model.revision, model.window.max_tokens


def _ordered(request: RatingRequest, model: IndicatorModel) -> Texts:
    if request.other is None:
        return (request.response,)
    if model.reading.response_first:
        return request.response, request.other
    return request.other, request.response
