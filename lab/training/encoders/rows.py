"""Tokenised examples, of which a true claim holds its false twin, and their batches."""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import DataCollatorWithPadding, PreTrainedTokenizerBase

from lab.training.encoders.losses import BEFORE_TWIN, NLI_LABELS
from lab.training.sources.inference import Inference


class Rows(torch.utils.data.Dataset[dict[str, Any]]):
    """Tokenised examples as a list that the Trainer reads."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]


def with_twins(rows: Rows, examples: Sequence[Inference]) -> Rows:
    """Return rows of which one with a false twin holds it, as ``twin``: they stand in one batch."""
    found: list[dict[str, Any]] = []
    by_pair: dict[str, dict[str, Any]] = {}
    # Entailed claims come first, so that a pair's row is there when its twin is read.
    order = sorted(range(len(examples)), key=lambda i: examples[i].label != NLI_LABELS[0])
    for i in order:
        row, pair = rows.rows[i], examples[i].pair
        if pair and pair in by_pair:
            true = by_pair.pop(pair)
            true["twin"], true["labels"] = row, _before_twin(true["labels"])
        else:
            found.append(row)
            if pair and examples[i].label == NLI_LABELS[0]:
                by_pair[pair] = row
    return Rows(found)


def _before_twin(label: Any) -> Any:
    return [float(BEFORE_TWIN), *label[1:]] if isinstance(label, list) else BEFORE_TWIN


class Collator:
    """Makes a batch of rows, each before its twin, if it has one."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        # Few lengths: the kernels for each shape of a batch are made once.
        self._pad = DataCollatorWithPadding(tokenizer, pad_to_multiple_of=16)

    def __call__(self, rows: Sequence[dict[str, Any]]) -> Any:
        """Return the padded batch."""
        every = [one for row in rows for one in (row, row.get("twin")) if one is not None]
        left = {"length", "twin"}
        return self._pad([{k: v for k, v in one.items() if k not in left} for one in every])
