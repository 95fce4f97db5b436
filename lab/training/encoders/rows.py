"""Examples as a model reads them: tokenised, in batches, and a classifier's outputs for them."""

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

from lab.training.encoders.losses import NLI_LABELS
from lab.training.examples.qa import QAExample
from lab.training.mixture.inference import NOT_ENTAILMENT, Inference, Silver
from qsquared.language.judging.begin_classifier import before_response
from qsquared.method.begin import LABELS

MAX_TOKENS = 224


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


def encode_qa(
    tokenizer: PreTrainedTokenizerBase,
    examples: Sequence[QAExample],
    soft: NDArray[np.float32] | None = None,
) -> Rows:
    """Tokenise question and text; an unanswerable question points at the first token, [CLS].

    An answer that truncation cuts off makes its question unanswerable; a question that is longer than
    its text and the window is cut, too.
    With a teacher's ``soft`` spans (`distil.soft_spans`) the labels are those of `losses.span_losses`.
    """
    encoded = tokenizer(
        [e.question for e in examples],
        [e.text for e in examples],
        truncation="longest_first",
        max_length=MAX_TOKENS,
        return_offsets_mapping=True,
    )
    rows = []
    for i, example in enumerate(examples):
        offsets, sequence = encoded["offset_mapping"][i], encoded.sequence_ids(i)
        start = end = 0
        if example.start >= 0:
            inside = [
                t
                for t, (a, b) in enumerate(offsets)
                if sequence[t] == 1 and a < example.end and b > example.start
            ]
            if inside and offsets[inside[-1]][1] >= example.end:
                start, end = inside[0], inside[-1]
        labels: dict[str, Any] = {"start_positions": start, "end_positions": end}
        if soft is not None:
            text = [t for t, part in enumerate(sequence) if part == 1]
            places = [{-1: 0} | {offsets[t][side]: t for t in text} for side in (0, 1)]
            labels = {
                "labels": [
                    _taught_bound(own, soft[i, side], places[side])
                    for side, own in enumerate((start, end))
                ]
            }
        rows.append(_inputs(encoded, i) | labels)
    return Rows(rows)


def _taught_bound(own: int, soft: NDArray[np.float32], places: Mapping[int, int]) -> list[float]:
    """Return a bound's token, the teacher's tokens, and their probabilities; those of no token are 0."""
    tokens = [places.get(int(character), -1) for character, _ in soft]
    shares = np.array(
        [share if token >= 0 else 0.0 for token, (_, share) in zip(tokens, soft, strict=True)]
    )
    shares = shares / max(float(shares.sum()), 1e-6)
    return [float(own), *(float(max(token, 0)) for token in tokens), *map(float, shares)]


def _inputs(encoded: Any, row: int) -> dict[str, Any]:
    """Return one row's inputs and its length; some encoders know no token types."""
    names = [name for name in ("input_ids", "token_type_ids", "attention_mask") if name in encoded]
    return {name: encoded[name][row] for name in names} | {"length": len(encoded["input_ids"][row])}


def encode_nli(tokenizer: PreTrainedTokenizerBase, examples: Sequence[Inference]) -> Rows:
    """Tokenise premise and hypothesis with the index of the label in ``NLI_LABELS``.

    ``not_entailment`` has the index after the last.
    """
    texts = [(e.premise, e.hypothesis) for e in examples]
    labels = (*NLI_LABELS, NOT_ENTAILMENT)
    return _encode_classes(tokenizer, texts, [labels.index(e.label) for e in examples])


def encode_begin(tokenizer: PreTrainedTokenizerBase, examples: Sequence[Silver]) -> Rows:
    """Tokenise replies as the pipeline does, with the index of the label in BEGIN's ``LABELS``."""
    separator = str(tokenizer.sep_token)
    texts = [(before_response(e.evidence, e.previous, separator), e.response) for e in examples]
    return _encode_classes(tokenizer, texts, [LABELS.index(e.label) for e in examples])


def _encode_classes(
    tokenizer: PreTrainedTokenizerBase, texts: Sequence[tuple[str, str]], labels: Sequence[int]
) -> Rows:
    encoded = tokenizer(
        [first for first, _ in texts],
        [second for _, second in texts],
        truncation="longest_first",
        max_length=MAX_TOKENS,
    )
    return Rows([_inputs(encoded, i) | {"labels": label} for i, label in enumerate(labels)])


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
