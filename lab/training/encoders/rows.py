"""Tokenised examples and their batches."""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import DataCollatorWithPadding, PreTrainedTokenizerBase


class Rows(torch.utils.data.Dataset[dict[str, Any]]):
    """Tokenised examples as a list that the Trainer reads."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]


class Collator:
    """Makes a batch of rows."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        # Few lengths: the kernels for each shape of a batch are made once.
        self._pad = DataCollatorWithPadding(tokenizer, pad_to_multiple_of=16)

    def __call__(self, rows: Sequence[dict[str, Any]]) -> Any:
        """Return the padded batch."""
        return self._pad([{k: v for k, v in row.items() if k != "length"} for row in rows])
