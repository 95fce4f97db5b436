"""Base of the sequence classifiers: softmax over the outputs for pairs of texts."""

from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from qsquared.language.engines.encoders import Encoder, Loaded, Logits, Rows
from qsquared.language.running.neural import NeuralModel, Parameters

Pair: TypeAlias = tuple[str, str]
"""First and second text."""

_REMEMBERED = 16_384
"""Pairs whose shares are kept: those of some shards, in a few MB."""


class SequenceClassifier(NeuralModel[Parameters]):
    """A checkpoint that classifies one or two texts within its window.

    The shares of the last pairs are kept, since several stages ask about the same sentences.
    """

    auto_class = "AutoModelForSequenceClassification"
    logit_names = ("logits",)

    @cached_property
    def _kept(self) -> dict[Pair, list[float]]:
        """The shares of the last pairs."""
        return {}

    def shares(self, pairs: Sequence[Pair]) -> dict[Pair, list[float]]:
        """Return the softmax over all outputs for each pair of texts; pairs of late are not read again.

        Raises:
            ModelError: a logit is not finite.
            MemoryError: not even one row fits in memory.
        """
        with self._lock:
            kept = self._kept
            new = [pair for pair in dict.fromkeys(pairs) if pair not in kept]
            found = {pair: kept[pair] for pair in pairs if pair in kept}
            if new:
                found |= zip(new, self._softmax(new), strict=True)
            kept |= found
            for pair in list(kept)[: max(0, len(kept) - _REMEMBERED)]:
                del kept[pair]
            return found

    def forget(self) -> None:
        """Read every pair again, as a benchmark has to that asks twice."""
        self._kept.clear()

    def _check(self, loaded: Loaded) -> None:
        loaded.config.check_window(self.parameters.max_tokens, self.checkpoint)

    def _columns(self, pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[str] | None]:
        """Return the first and the second texts as the tokenizer reads them."""
        return [first for first, _ in pairs], [second for _, second in pairs]

    def _softmax(
        self, pairs: Sequence[tuple[str, str]], encoder: Encoder | None = None
    ) -> list[list[float]]:
        """Return the softmax over all outputs for each pair of texts, in order.

        Args:
            pairs: first and second text; each pair fits in the window.
            encoder: the loaded one unless given.

        Raises:
            ModelError: a logit is not finite.
            MemoryError: not even one row fits in memory.
        """
        loaded = self.load()
        encoded = loaded.tokenizer(*self._columns(pairs), return_token_type_ids=loaded.has_segments)

        def rows(batch: Sequence[int]) -> Rows:
            return {name: [encoded[name][i] for i in batch] for name in loaded.inputs}

        def read(_batch: Sequence[int], outputs: tuple[Logits, ...]) -> list[list[float]]:
            logits = self._checked(outputs)
            shares = np.exp(logits - logits.max(axis=1, keepdims=True))
            found: list[list[float]] = (shares / shares.sum(axis=1, keepdims=True)).tolist()
            return found

        lengths = [len(ids) for ids in encoded["input_ids"]]
        found = dict(self._encode_in_batches(encoder or loaded.run, lengths, rows, read))
        return [found[index] for index in range(len(pairs))]

    def _checked(self, outputs: tuple[Logits, ...]) -> NDArray[np.float64]:
        """Return the logits (rows by outputs), all of which are finite."""
        (logits,) = outputs
        if not np.isfinite(logits).all():
            raise self._non_finite()
        return logits.astype(np.float64)
