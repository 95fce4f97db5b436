"""Tokenised examples, their batches, and a classifier's outputs for them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    PreTrainedTokenizerBase,
    Trainer,
    TrainingArguments,
)


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


def outputs_of(folder: Path, rows: Sequence[Mapping[str, Any]]) -> NDArray[np.float32]:
    """Return the outputs of a checkpoint for tokenised rows without labels: rows by outputs."""
    model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
    arguments = TrainingArguments(
        output_dir=str(folder.parent / "outputs"),
        per_device_eval_batch_size=64,
        report_to="none",
        use_cpu=not torch.cuda.is_available(),
    )
    collator = DataCollatorWithPadding(AutoTokenizer.from_pretrained(folder))
    trainer = Trainer(model=model, args=arguments, data_collator=collator)
    # By length, so that little is padding.
    order = np.argsort([len(row["input_ids"]) for row in rows], kind="stable")
    found = trainer.predict(Rows([dict(rows[place]) for place in order])).predictions
    outputs: NDArray[np.float32] = np.asarray(found)[np.argsort(order)]
    return outputs
