"""Base of the sequence classifiers: softmax over the outputs for pairs of texts."""

from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from qsquared.language.engines.encoders import Encoder, Loaded, Logits, Rows
from qsquared.language.neural.neural_model import NeuralModel, Parameters

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
            shares_of = {pair: kept[pair] for pair in pairs if pair in kept}
            if new:
                shares_of |= zip(new, self._softmax(new), strict=True)
            kept |= shares_of
            for pair in list(kept)[: max(0, len(kept) - _REMEMBERED)]:
                del kept[pair]
            return shares_of

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
        config = self.load().config
        encoded = self.load().tokenizer(
            *self._columns(pairs), return_token_type_ids=config.has_segments
        )
        logits = self._logits({name: encoded[name] for name in config.inputs}, encoder)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities: list[list[float]] = (shares / shares.sum(axis=1, keepdims=True)).tolist()
        return probabilities

    def _logits(self, encoded: Rows, encoder: Encoder | None = None) -> NDArray[np.float64]:
        """Return the logits (rows by outputs) of some rows of tokens, all of which are finite."""

        def read(_batch: Sequence[int], outputs: tuple[Logits, ...]) -> list[Logits]:
            if not np.isfinite(outputs[0]).all():
                raise self._non_finite()
            return list(outputs[0])

        rows = self._encode_in_batches(encoder or self.load().run, encoded, read)
        return np.array(rows, dtype=np.float64)
