"""Base of the sequence classifiers: softmax over the outputs for pairs of texts."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qsquared.language.engines.encoders import Encoder, EncoderFacts, Loaded, Logits, Rows
from qsquared.language.running.neural import NeuralModel, Parameters


class SequenceClassifier(NeuralModel[Parameters]):
    """A checkpoint that classifies one or two texts within its window."""

    auto_class = "AutoModelForSequenceClassification"
    logit_names = ("logits",)

    def _check(self, loaded: Loaded) -> None:
        loaded.config.check_window(self.parameters.max_tokens, self.checkpoint)

    def _output_names(self, config: EncoderFacts) -> list[str]:
        """Return the names of the outputs, in their order."""
        return list(config.labels)

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
        encoded = loaded.tokenizer(
            [first for first, _ in pairs],
            [second for _, second in pairs],
            return_token_type_ids=loaded.has_segments,
        )

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
