"""Fine-tuning of an encoder on one task, which resumes, with figures on the development part."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from sklearn.metrics import accuracy_score, f1_score, recall_score
from transformers import (
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    EvalPrediction,
    Trainer,
    TrainingArguments,
)
from transformers.hf_argparser import HfArg
from transformers.trainer import TRAINER_STATE_NAME
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR

from lab.training.encoders.base import go_on_from, with_adapters
from lab.training.encoders.calibrate import ENTAILMENT_SHIFT
from lab.training.encoders.losses import NLI_LABELS, mean_loss, mean_span_loss
from lab.training.encoders.rows import Collator, Rows
from qsquared.method.begin import LABELS

CLASSES = {"nli": NLI_LABELS, "begin": LABELS}
"""The classes of each task of classification, in the order of the outputs."""


_option: Any = HfArg
"""A field with the help of its option, whose type mypy takes from the class."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Length and rate of a training, as options of its command."""

    # ruff: noqa: RUF009 - it returns a field.
    epochs: float = 1.0
    batch: int = _option(default=32, help="rows of a batch")
    learning_rate: float = 1e-4
    seed: int = _option(default=20210911, help="draws and orders the examples")
    save_steps: int = _option(default=100, help="batches between two checkpoints")
    threads: int = 2
    bf16: bool = _option(default=True, help="use bfloat16 where the device multiplies it faster")
    frozen_layers: int = _option(
        default=0, help="lower layers kept as they are; 0 trains everything"
    )
    adapter_rank: int = _option(
        default=0, aliases=["--adapters"], help="rank of adapters that are trained in its place"
    )
    claims: float = _option(default=1.0, help="nli: share of the claims that are drawn")
    rest: float = _option(default=1.0, help="nli: share of the examples that are no claims")
    examples: int | None = _option(default=None, help="train on the first ones (begin: 4000) alone")
    teacher: Path | None = _option(
        default=None, help="qa, nli: model whose soft labels are learned"
    )
    teacher_share: float = _option(default=0.5, help="weight of the soft labels, 0 to 1")
    entailment_shift: float = _option(
        default=ENTAILMENT_SHIFT, help="nli: added to the bias of entailment after calibration"
    )
    each_epoch: bool = _option(default=False, help="measure the development rows after each epoch")


def _measure_qa(prediction: EvalPrediction) -> dict[str, float]:
    """Return the shares of exact spans and of refusals; a group without rows has no share."""
    starts, ends = (np.asarray(part) for part in prediction.predictions)
    true_starts, true_ends = (np.asarray(part) for part in prediction.label_ids)
    got = starts.argmax(-1), ends.argmax(-1)
    exact = (got[0] == true_starts) & (got[1] == true_ends)
    answerable, refused = true_starts > 0, got[0] == 0
    groups = {
        "exact": exact,
        "exact_answerable": exact[answerable],
        "refused_unanswerable": refused[~answerable],
        "refused_answerable": refused[answerable],
    }
    return {name: float(holds.mean()) for name, holds in groups.items() if len(holds)}


def _measure_classes(names: Sequence[str]) -> Callable[[EvalPrediction], dict[str, float]]:
    """Return a function for accuracy, macro-F1 and the recall of each class that occurs."""
    every = range(len(names))

    def measure(prediction: EvalPrediction) -> dict[str, float]:
        labels = np.asarray(prediction.label_ids)
        got = np.asarray(prediction.predictions).argmax(-1)
        # A row that is only known not to be entailed is right with either other class.
        either = labels == len(names)
        labels = np.where(either, np.where(got == 0, 1, got), labels)
        recalls = recall_score(labels, got, labels=every, average=None, zero_division=np.nan)
        return {
            "accuracy": float(accuracy_score(labels, got)),
            **{
                f"recall_{name}": float(recall)
                for name, recall in zip(names, recalls, strict=True)
                if not np.isnan(recall)
            },
            "macro_f1": float(
                f1_score(labels, got, labels=every, average="macro", zero_division=0)
            ),
        }

    return measure


def classifier(base: Path, names: Sequence[str]) -> Any:
    """Load an encoder with an output for each name; the head of another task gives way to a new one."""
    return AutoModelForSequenceClassification.from_pretrained(
        base,
        dtype=torch.float32,
        num_labels=len(names),
        id2label=dict(enumerate(names)),
        label2id={name: i for i, name in enumerate(names)},
        ignore_mismatched_sizes=True,
    )


def freeze(model: Any, layers: int) -> None:
    """Keep the embeddings and the lower layers of an encoder as they are.

    Raises:
        ValueError: the encoder has fewer layers.
    """
    encoder = model.base_model
    every = encoder.encoder.layer
    if layers > len(every):
        raise ValueError(f"the encoder has {len(every)} layers, not {layers}")
    for part in (encoder.embeddings, *every[:layers]):
        part.requires_grad_(False)


@lru_cache(maxsize=1)
def bf16_is_faster() -> bool:
    """Return whether the device multiplies bfloat16 faster than float32, which is tried on a processor.

    Some emulate it, and take a hundred times as long; some multiply it, and take as long with the casts.
    """
    if torch.cuda.is_available():
        return True
    if not torch.cpu.get_capabilities().get("avx512_bf16"):
        return False
    seconds = {kind: _seconds_of_products(kind) for kind in (torch.float32, torch.bfloat16)}
    return seconds[torch.bfloat16] < 0.7 * seconds[torch.float32]


def _seconds_of_products(kind: torch.dtype) -> float:
    """Return the least seconds of a product of the size of a layer's, of four."""
    rows, weights = torch.ones(2048, 384, dtype=kind), torch.ones(1536, 384, dtype=kind)

    def seconds() -> float:
        begin = perf_counter()
        torch.nn.functional.linear(rows, weights)
        return perf_counter() - begin

    return min(seconds() for _ in range(4))


def training_arguments(output: Path, settings: Settings, **more: Any) -> TrainingArguments:
    """Return the arguments that all trainings share, and some of one."""
    return TrainingArguments(
        output_dir=str(output),
        learning_rate=settings.learning_rate,
        warmup_steps=0.06,
        weight_decay=0.01,
        lr_scheduler_type="linear",
        seed=settings.seed,
        # A step of a large encoder takes half a minute on one core.
        save_steps=10 if settings.adapter_rank else settings.save_steps,
        save_total_limit=2,
        logging_steps=50,
        report_to="none",
        bf16=settings.bf16 and bf16_is_faster(),
        optim="adamw_torch_fused",
        use_cpu=not torch.cuda.is_available(),
        **more,
    )


def train_on(trainer: Trainer, output: Path, name: str = "final") -> None:
    """Train from the last whole checkpoint in a folder, if any, and write the model into the folder.

    Of a training that was killed the last one may be cut; the trainer writes its state at last.
    """
    whole = [
        state.parent for state in output.glob(f"{PREFIX_CHECKPOINT_DIR}-*/{TRAINER_STATE_NAME}")
    ]
    last = max(whole, key=lambda folder: int(folder.name.rpartition("-")[2]), default=None)
    trainer.train(resume_from_checkpoint=str(last) if last else None)
    trainer.save_model(str(output / name))


def _loss(task: str, settings: Settings) -> Callable[..., torch.Tensor] | None:
    """Return the loss of a task; `None`: the model's own."""
    if task == "nli":
        return mean_loss(settings.teacher_share)
    return mean_span_loss(settings.teacher_share) if task == "qa" and settings.teacher else None


def fit(
    task: str,
    base: Path,
    train: Rows,
    development: dict[str, Rows],
    output: Path,
    settings: Settings,
    adapters: Path | None = None,
) -> dict[str, float]:
    """Train, resuming from the last checkpoint in ``output``; return the development figures.

    ``adapters`` is a shipped model whose adapters are trained further.
    """
    torch.set_num_threads(settings.threads)
    tokenizer = AutoTokenizer.from_pretrained(base)
    if task == "qa":
        model = AutoModelForQuestionAnswering.from_pretrained(base, dtype=torch.float32)
    else:
        model = classifier(base, CLASSES[task])
    if settings.frozen_layers:
        freeze(model, settings.frozen_layers)
    if settings.adapter_rank:
        model = with_adapters(model, settings.adapter_rank)
        if adapters is not None:
            go_on_from(model, adapters)
    arguments = training_arguments(
        output,
        settings,
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=settings.batch,
        per_device_eval_batch_size=64,
        train_sampling_strategy="group_by_length",
        eval_strategy="epoch" if settings.each_epoch else "no",
        remove_unused_columns=False,
    )
    trainer = Trainer(
        model=model,
        args=arguments,
        train_dataset=train,
        eval_dataset=development if settings.each_epoch else None,
        data_collator=Collator(tokenizer),
        compute_metrics=_measure_qa if task == "qa" else _measure_classes(CLASSES[task]),
        compute_loss_func=_loss(task, settings),
        processing_class=tokenizer,
    )
    if settings.adapter_rank:
        train_on(trainer, output, "adapters")
        trainer.model = model.merge_and_unload()
        trainer.save_model(str(output / "final"))
    else:
        train_on(trainer, output)
    figures: dict[str, float] = {}
    for name, rows in development.items():
        measured = trainer.evaluate(rows, metric_key_prefix=name)
        figures |= {k: round(float(v), 4) for k, v in measured.items() if "_per_second" not in k}
    return figures
