"""Encoders behind one call: rows of tokens in, arrays of logits out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from qsquared.errors import ModelError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Rows = Mapping[str, list[list[int]]]
"""The token ids of each row by the name of the encoder's input; rows may differ in length."""
Logits = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Pass:
    """A forward pass under way, which is waited for or dropped, once.

    ``wait`` returns the encoder's outputs in their order, each with one line a row, float32;
    ``drop`` lets go of a pass whose outputs nobody reads.
    """

    wait: Callable[[], tuple[Logits, ...]]
    drop: Callable[[], object]


class Encoder(Protocol):
    """An encoder with its head."""

    @property
    def streams(self) -> int:
        """The number of passes that it works on at the same time."""

    def start(self, rows: Rows) -> Pass:
        """Begin a forward pass; at most twice ``streams`` are begun and not waited for."""


@dataclass(eq=False)
class TorchEncoder:
    """A transformers model on a torch device.

    Args:
        model: in evaluation mode, on its device.
        tokenizer: pads rows of unequal length.
        outputs: the names of its outputs.
        device: where it is.
    """

    model: PreTrainedModel
    tokenizer: Any
    outputs: Sequence[str]
    device: str
    streams = 1

    def start(self, rows: Rows) -> Pass:
        """Return a pass that begins when it is waited for; it uses all the cores that torch has."""
        return Pass(lambda: self._forward(rows), lambda: None)

    def _forward(self, rows: Rows) -> tuple[Logits, ...]:
        import torch

        with torch.inference_mode():
            outputs = self.model(**pad(self.tokenizer, rows, "pt").to(self.device))
        return tuple(outputs[name].cpu().numpy() for name in self.outputs)


def pad(tokenizer: Any, rows: Rows, kind: str, multiple: int = 1) -> Any:
    """Return rows of unequal length as arrays with their mask, padded to a multiple of so many tokens.

    ``kind`` is ``pt`` or ``np``.
    """
    return tokenizer.pad(
        dict(rows), padding_side="right", pad_to_multiple_of=multiple, return_tensors=kind
    )


@dataclass(frozen=True, slots=True)
class EncoderFacts:
    """The part of a model's configuration that decides how texts are put before it and outputs read."""

    model_type: str
    type_vocab_size: int
    max_position_embeddings: int | None
    pad_token_id: int | None
    labels: tuple[str, ...]

    @classmethod
    def of(cls, config: Any) -> EncoderFacts:
        """Return the facts of a model by its configuration in transformers."""
        return cls(
            config.model_type,
            getattr(config, "type_vocab_size", 1),
            getattr(config, "max_position_embeddings", None),
            config.pad_token_id,
            tuple(str(config.id2label[i]) for i in range(config.num_labels)),
        )

    @property
    def has_segments(self) -> bool:
        """Whether the encoder separates first and second text by segment embeddings.

        The model decides, not the tokenizer: today's ALBERT tokenizer leaves the segment ids out
        unless asked, and the model would take both texts for one.
        """
        return self.type_vocab_size > 1

    @property
    def inputs(self) -> list[str]:
        """The names of the encoder's inputs."""
        return ["input_ids", "attention_mask", *["token_type_ids"] * self.has_segments]

    def check_window(self, max_tokens: int, checkpoint: str) -> None:
        """Refuse a window that exceeds the positions of the encoder.

        Raises:
            ModelError: it has fewer positions than the profile's window.
        """
        positions = self.max_position_embeddings
        if positions is None:
            return
        if self.model_type in {"roberta", "xlm-roberta", "camembert", "mpnet"}:
            # These count positions after the padding index.
            positions -= (self.pad_token_id or 0) + 1
        if max_tokens > positions:
            raise ModelError(
                f"The profile reads windows of {max_tokens} tokens, the model {checkpoint} at most "
                f"{positions}.",
                "Set max_tokens in the profile's parameters.",
            )


@dataclass(frozen=True, slots=True)
class Loaded:
    """An encoder in memory with its tokenizer, and the float32 encoder that settles near ties.

    The tokenizer is one of transformers, or its equal in ``language/engines/tokens.py``.
    ``model`` is transformers' own, for the roles that call it themselves; a converted encoder has none.
    """

    config: EncoderFacts
    tokenizer: Any
    run: Encoder
    exact: Encoder
    model: Any = None

    def pad(self, rows: Rows, device: str) -> Any:
        """Return rows of unequal length as padded tensors with their mask."""
        return pad(self.tokenizer, rows, "pt").to(device)
