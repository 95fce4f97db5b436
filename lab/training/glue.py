"""Training of one encoder on all tasks of GLUE; it shares the lower part of a shipped one."""

import argparse
import json
import random
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef
from transformers import (
    AutoTokenizer,
    PreTrainedTokenizerBase,
    Trainer,
)

from lab.training.encoders.base import start_of
from lab.training.encoders.fit import Settings, classifier, freeze, train_on, training_arguments
from lab.training.encoders.rows import MAX_TOKENS, Rows, outputs_of
from lab.training.mixture.glue import TASKS, Rated, columns, measured_sets, outputs, training_sets
from qsquared.evaluation.statistics import pearson, spearman
from qsquared.language.checkpoints.shared_weights import WEIGHTS
from qsquared.method.bootstrap import Array, Statistic, bootstrap

_TOKEN = re.compile(r"\w+")
_OF_CLASSES: dict[str, Statistic] = {
    "accuracy": accuracy_score,
    "F1": partial(f1_score, zero_division=0),
    "MCC": matthews_corrcoef,
}


def figures(task: str, rows: Sequence[Rated], logits: Array) -> dict[str, Any]:
    """Return the task's own statistic with a 95 % interval, and the floor that it has to exceed.

    The floor is the better of the commonest class and of word overlap, for which the threshold and
    its direction are chosen on these very rows, so that it is, if anything, too high.
    An indicator is good enough if the whole interval is above it.

    Args:
        task: name in ``TASKS``.
        rows: the measured texts.
        logits: (rows, labels of the task).
    """
    values = np.array([row.value for row in rows])
    overlap = np.array([word_overlap(row) for row in rows])
    if len(TASKS[task].labels) == 1:
        found = logits[:, 0]
        statistic: Statistic = pearson
        others: dict[str, Statistic] = {"Spearman": spearman}
        main, floor = "Pearson", pearson(values, overlap)
    else:
        found = logits.argmax(axis=1).astype(float)
        others = dict(_OF_CLASSES)
        main = "MCC" if task == "cola" else "accuracy"
        statistic = others.pop(main)
        floor = _best_threshold(values, overlap, statistic)
    measured = bootstrap(statistic, values, found, [str(i) for i in range(len(rows))])
    low, high = measured.interval or (float("nan"), float("nan"))
    return {
        "rows": len(rows),
        "statistic": main,
        "value": round(float(statistic(values, found)), 4),
        "interval": [round(low, 4), round(high, 4)],
        "floor": round(floor, 4),
        "good_enough": bool(low > floor),
        "others": {name: round(float(one(values, found)), 4) for name, one in others.items()},
    }


def word_overlap(row: Rated) -> float:
    """Return the share of the second text's words that the first has (0 to 1); 0 for one text."""
    if row.second is None:
        return 0.0
    first, second = (set(_TOKEN.findall(text.lower())) for text in (row.first, row.second))
    return len(first & second) / max(1, len(second))


def _best_threshold(values: Array, overlap: Array, statistic: Statistic) -> float:
    calls = [np.full_like(values, one) for one in (0.0, 1.0)]
    for threshold in np.unique(overlap):
        above = (overlap >= threshold).astype(float)
        calls += [above, 1 - above]
    return max(statistic(values, call) for call in calls)


SHARED_LAYERS = 2
"""So many of the lowest layers, and the embeddings, stay as they are in the model underneath."""

_WEIGHT = {"stsb": 0.3}
"""STS-B's squared error, in points of 0 to 5, would drown the others' cross-entropy."""

_POOL = 20
"""Batches that are drawn together and then sorted by length, so that little is padding."""


def train_indicators(arguments: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Train the indicators on a shipped judge, on which the encoder rests."""
    output = arguments.out / "glue"
    return train_glue(start_of(arguments), arguments.data, output, settings, arguments.quick)


def train_glue(
    base: Path, data: Path, output: Path, settings: Settings, quick: int | None = None
) -> dict[str, Any]:
    """Train, resuming from the last checkpoint in ``output``; return the figures on each task.

    Args:
        base: folder of an encoder with float32 weights, such as ``unpacked`` gives.
        data: folder with the published sets.
        output: folder of the checkpoints; the last is in ``final``.
        settings: rate, batch and seed; the epochs of each task are in ``TASKS``.
        quick: use so many examples of each task only.
    """
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    tokenizer = AutoTokenizer.from_pretrained(base)
    sets = {k: v[:quick] for k, v in training_sets(data, settings.seed).items()}
    batches = planned(tokenizer, sets, settings)
    trainer = _OneTaskAtATime(
        model=_start(base),
        args=training_arguments(
            output,
            settings,
            num_train_epochs=1,
            per_device_train_batch_size=1,
            remove_unused_columns=False,
        ),
        train_dataset=Rows(batches),
        data_collator=_Collate(tokenizer),
        processing_class=tokenizer,
    )
    train_on(trainer, output)
    measured = {k: v[:quick] for k, v in measured_sets(data).items()}
    return {
        "task": "glue",
        "examples": {name: len(rows) for name, rows in sets.items()},
        "steps": len(batches),
        "figures": measure(output / "final", tokenizer, measured),
    }


def planned(
    tokenizer: PreTrainedTokenizerBase, sets: Mapping[str, Sequence[Rated]], settings: Settings
) -> list[dict[str, Any]]:
    """Plan batches of one task each: its name, its tokenised rows, and their values."""
    rng = random.Random(settings.seed)
    batches = []
    size, pool = settings.batch, settings.batch * _POOL
    for task, rows in sets.items():
        encoded = encode(tokenizer, rows)
        for _ in range(TASKS[task].epochs):
            order = rng.sample(range(len(rows)), len(rows))
            for start in range(0, len(order), pool):
                part = sorted(
                    order[start : start + pool], key=lambda i: len(encoded[i]["input_ids"])
                )
                for chosen in (part[first : first + size] for first in range(0, len(part), size)):
                    texts, values = [encoded[i] for i in chosen], [rows[i].value for i in chosen]
                    batches.append({"task": task, "rows": texts, "values": values})
    rng.shuffle(batches)
    return batches


def encode(tokenizer: PreTrainedTokenizerBase, rows: Sequence[Rated]) -> list[dict[str, Any]]:
    """Tokenise each row's one or two texts."""
    encoded = []
    for row in rows:
        texts = (row.first,) if row.second is None else (row.first, row.second)
        encoded.append(dict(tokenizer(*texts, truncation="longest_first", max_length=MAX_TOKENS)))
    return encoded


def measure(
    folder: Path, tokenizer: PreTrainedTokenizerBase, sets: Mapping[str, Sequence[Rated]]
) -> dict[str, Any]:
    """Return the figures of each measured set that has rows."""
    found = {}
    for name, rows in sets.items():
        task = name.partition("_")[0]
        if rows:
            logits = outputs_of(folder, encode(tokenizer, rows))[:, columns(task)]
            found[name] = figures(task, rows, logits.astype(np.float64))
    return found


def _start(base: Path) -> Any:
    """Load the encoder underneath with a new head, and freeze the shared part."""
    model = classifier(base, outputs())
    model.config.problem_type = None
    _start_head(model, base)
    freeze(model, SHARED_LAYERS)
    return model


def _start_head(model: Any, base: Path) -> None:
    """Start RTE from the NLI head underneath; neutral and contradiction are no entailment."""
    labels = json.loads((base / "config.json").read_text(encoding="utf-8")).get("label2id", {})
    if set(labels) != {"entailment", "neutral", "contradiction"}:
        return
    start, below = columns("rte").start, load_file(base / WEIGHTS)
    with torch.no_grad():
        for name in ("weight", "bias"):
            new, old = model.classifier.get_parameter(name), below[f"classifier.{name}"]
            new[start] = old[labels["entailment"]]
            new[start + 1] = (old[labels["neutral"]] + old[labels["contradiction"]]) / 2


class _Collate:
    """A planned batch as padded tensors."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self.tokenizer = tokenizer

    def __call__(self, batches: list[dict[str, Any]]) -> dict[str, Any]:
        (batch,) = batches
        inputs = self.tokenizer.pad(batch["rows"], return_tensors="pt")
        return {**inputs, "task": batch["task"], "labels": torch.tensor(batch["values"])}


class _OneTaskAtATime(Trainer):
    """A Trainer whose loss looks at the outputs of the batch's task only."""

    def compute_loss(
        self,
        model: Any,
        inputs: Any,
        return_outputs: bool = False,
        num_items_in_batch: Any = None,  # noqa: ARG002 - the Trainer passes it by name
    ) -> Any:
        """Cross-entropy over the task's labels, or the squared error of its number."""
        task, values = inputs["task"], inputs["labels"]
        texts = {k: v for k, v in inputs.items() if k not in {"task", "labels"}}
        found = model(**texts)
        own = found.logits[:, columns(task)].float()
        if len(TASKS[task].labels) == 1:
            loss = torch.nn.functional.mse_loss(own[:, 0], values)
        else:
            loss = torch.nn.functional.cross_entropy(own, values.long())
        loss = loss * _WEIGHT.get(task, 1.0)
        return (loss, found) if return_outputs else loss
