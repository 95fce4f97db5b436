"""Base of the neural models: one lazy, thread-safe load, an identity, and batches by length."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from qsquared.errors import ModelError
from qsquared.language.checkpoints.registry import check_before_loading, identity, locate
from qsquared.language.checkpoints.weights import load_encoder, load_tokenizer
from qsquared.language.running.memory import ShrinkingBatch, keep_freed_memory
from qsquared.profiles.parameters import Precision

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class WindowParameters(Protocol):
    """The parameters of a model in a profile, as far as every model reads them."""

    @property
    def max_tokens(self) -> int:
        """The window, in tokens."""
        ...

    def model_dump_json(self) -> str:
        """Return all parameters as JSON."""
        ...


Output = TypeVar("Output")
Parameters = TypeVar("Parameters", bound=WindowParameters)

ARITHMETIC: dict[Precision, str] = {
    "fp32": "fp32",
    "bf16": "bf16-linear/2",
    "int8": "int8-token/2",
}
"""The mark of a precision in an identity; the number is raised whenever its arithmetic changes."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model in memory, its tokenizer, and the float32 model that settles near ties."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    exact: PreTrainedModel

    @property
    def has_segments(self) -> bool:
        """Whether the encoder separates first and second text by segment embeddings.

        The model decides, not the tokenizer: today's ALBERT tokenizer leaves the segment ids out
        unless asked, and the model would take both texts for one.
        """
        return getattr(self.model.config, "type_vocab_size", 1) > 1

    @property
    def inputs(self) -> list[str]:
        """The names of the encoder's inputs."""
        return ["input_ids", "attention_mask", *["token_type_ids"] * self.has_segments]

    def pad(self, rows: Mapping[str, list[list[int]]], device: str) -> Any:
        """Return rows of unequal length as padded tensors with their mask."""
        return self.tokenizer.pad(dict(rows), padding_side="right", return_tensors="pt").to(device)


class NeuralModel(ABC, Generic[Parameters]):
    """A checkpoint that is loaded when it is first used.

    One call at a time goes through a model: the tokenizers are not safe in several threads, and one
    forward pass uses all the cores that torch was given.

    Args:
        checkpoint: as in a profile.
        revision: commit of a hub checkpoint.
        parameters: everything but the checkpoint that can change an output; else the defaults.
        batch_size: rows a forward pass, halved where they do not fit in memory; never changes a
            result.
        device: a torch device; never part of the identity.
        precision: of the linear layers; part of the identity.
    """

    defaults: Parameters
    """The parameters of a model that is given none."""
    implementation = ""
    version = 1
    """Raised whenever the code would give other outputs."""
    alike = 0.75
    """A row that is shorter than this share of a batch's longest row waits for another batch."""
    settles_ties = False
    """Whether near ties of a lower precision are settled in float32, whose weights then stay."""

    def __init__(
        self,
        checkpoint: str,
        revision: str = "",
        parameters: Parameters | None = None,
        batch_size: int = 16,
        device: str = "cpu",
        precision: Precision = "fp32",
    ) -> None:
        self.checkpoint = checkpoint
        self.revision = revision
        self.batch = ShrinkingBatch(f"The model {checkpoint} ({self.implementation})", batch_size)
        self.device = device
        self.precision = precision
        self.parameters: Parameters = parameters or self.defaults
        self._lock = threading.RLock()
        self._loaded: Loaded | None = None

    @property
    def name(self) -> str:
        """The model's name in error messages."""
        return self.checkpoint

    @property
    def identity(self) -> str:
        """Implementation, weights, parameters and precision; found without loading the model.

        Raises:
            ModelError: the checkpoint is not there.
        """
        weights = identity(self.checkpoint, self.revision)
        parameters = self.parameters.model_dump_json()
        return f"{self.implementation}/{self.version} {weights} {parameters} {ARITHMETIC[self.precision]}"

    def load(self) -> Loaded:
        """Return the model and its tokenizer, loaded once.

        Raises:
            ModelError: the checkpoint is missing, damaged, or not made for this role, or its
                precision not for this machine.
        """
        with self._lock:
            if self._loaded is None:
                folder = locate(self.checkpoint, self.revision)
                check_before_loading(self.checkpoint, folder, self.revision)
                if self.device == "cpu":
                    keep_freed_memory()
                loading: Any = load_encoder(self._auto_class(), folder)
                exact: PreTrainedModel = loading.to(self.device)
                model = exact
                if self.precision != "fp32":
                    from qsquared.language.running.precision import in_lower_precision

                    model = in_lower_precision(exact, self.precision, self.device, self.checkpoint)
                exact = exact if self.settles_ties else model
                loaded = Loaded(model, load_tokenizer(folder), exact)
                self._check(loaded)
                self._loaded = loaded
            return self._loaded

    @abstractmethod
    def _auto_class(self) -> Any:
        """The transformers class of the task."""

    def _check(self, loaded: Loaded) -> None:
        """Refuse a checkpoint that loads but cannot play the role."""

    def _in_batches(
        self, lengths: Sequence[int], forward: Callable[[Sequence[int]], Sequence[Output]]
    ) -> Iterator[tuple[int, Output]]:
        """Yield each row's index with its output, in batches of like length, longest first.

        Args:
            lengths: tokens of each row.
            forward: one pass; gives one output for each index that it is given.

        Raises:
            MemoryError: a single row does not fit.
        """
        alike: list[int] = []
        for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
            if alike and lengths[index] < self.alike * lengths[alike[0]]:
                yield from self.batch.run(alike, forward)
                alike = []
            alike.append(index)
        yield from self.batch.run(alike, forward)

    def _non_finite(self) -> ModelError:
        return ModelError(
            f"The model {self.checkpoint} gave an output that is not a finite number.",
            "Check its files with `q2 models verify`; if they are sound, this input breaks it.",
        )


def check_window(max_tokens: int, model: PreTrainedModel, checkpoint: str) -> None:
    """Refuse a window that exceeds the positions of an encoder.

    Raises:
        ModelError: the model has fewer positions than the profile's window.
    """
    positions = getattr(model.config, "max_position_embeddings", None)
    if positions is None:
        return
    if model.config.model_type in {"roberta", "xlm-roberta", "camembert", "mpnet"}:
        positions -= model.config.pad_token_id + 1  # these count positions after the padding index
    if max_tokens > positions:
        raise ModelError(
            f"The profile reads windows of {max_tokens} tokens, the model {checkpoint} at most "
            f"{positions}.",
            "Set max_tokens in the profile's parameters.",
        )
