"""Base of the sequence classifiers: softmax over the outputs for pairs of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qsquared.language.running.neural import Loaded, NeuralModel, Parameters, check_window

if TYPE_CHECKING:
    import torch


class SequenceClassifier(NeuralModel[Parameters]):
    """A checkpoint that classifies one or two texts within its window."""

    def _auto_class(self) -> Any:
        from transformers import AutoModelForSequenceClassification

        return AutoModelForSequenceClassification

    def _check(self, loaded: Loaded) -> None:
        check_window(self.parameters.max_tokens, loaded.model, self.checkpoint)

    def _output_names(self, model: Any) -> list[str]:
        """Return the names of the outputs, in their order."""
        return [str(model.config.id2label[i]) for i in range(model.config.num_labels)]

    def _softmax(self, pairs: Sequence[tuple[str, str]], model: Any = None) -> list[list[float]]:
        """Return the softmax over all outputs for each pair of texts, in order.

        Args:
            pairs: first and second text; each pair fits in the window.
            model: the loaded model unless given.

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

        def forward(batch: Sequence[int]) -> list[list[float]]:
            rows = {name: [encoded[name][i] for i in batch] for name in loaded.inputs}
            found: list[list[float]] = self._logits(rows, model).softmax(dim=1).tolist()
            return found

        lengths = [len(ids) for ids in encoded["input_ids"]]
        found = dict(self._in_batches(lengths, forward))
        return [found[index] for index in range(len(pairs))]

    def _logits(self, rows: Mapping[str, list[list[int]]], model: Any = None) -> torch.Tensor:
        """Return the logits of encoded rows (rows by outputs), float64, on the host."""
        import torch

        loaded = self.load()
        with torch.inference_mode():
            logits = (model or loaded.model)(**loaded.pad(rows, self.device)).logits
        found: torch.Tensor = logits.cpu().to(torch.float64)
        if not torch.isfinite(found).all():
            raise self._non_finite()
        return found
