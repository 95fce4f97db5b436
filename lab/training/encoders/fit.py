"""Fine-tuning of an encoder on one task, which resumes, with figures on the development part."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.metrics import accuracy_score, f1_score, recall_score
from transformers import (
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    EvalPrediction,
    PreTrainedTokenizerBase,
    Trainer,
    TrainingArguments,
)
from transformers.trainer import TRAINER_STATE_NAME
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR

from lab.training.begin.makers import Silver
from lab.training.encoders.adapters import go_on_from, with_adapters
from lab.training.encoders.arithmetic import bf16_is_faster
from lab.training.encoders.losses import NLI_LABELS, mean_loss
from lab.training.encoders.rows import Collator, Rows
from lab.training.examples.qa import QAExample
from lab.training.sources.inference import NOT_ENTAILMENT, Inference
from qsquared.language.judging.reply_classes import before_response
from qsquared.method.begin.taxonomy import LABELS

CLASSES = {"nli": NLI_LABELS, "begin": LABELS}
"""The classes of each task of classification, in the order of the outputs."""
MAX_TOKENS = 224


@dataclass(frozen=True, slots=True)
class Settings:
    """Length and rate of a training; the defaults made the shipped weights."""

    epochs: float = 1.0
    batch: int = 32
    learning_rate: float = 1e-4
    seed: int = 20210911
    save_steps: int = 100
    threads: int = 2
    bf16: bool = True
    """Whether bfloat16 is used where the device multiplies it faster."""
    frozen_layers: int = 0
    """Embeddings and so many lower layers stay as they are; 0 trains everything."""
    adapter_rank: int = 0
    """Rank of the low-rank adapters that are trained in the encoder's place; 0 trains the encoder."""
    twins: float = 0.0
    """The share drawn of the true and false claims of nearly the same words: no shipped judge has read any."""
    claims: float = 1.0
    """The share drawn of the other claims: less where the judge has read them before."""
    rest: float = 1.0
    """The share drawn of the judge's examples that are no claims."""
    examples: int | None = None
    """The number of the drawn examples, the first of their order, that are learned from; `None`: all."""
    teacher: Path | None = None
    """A judge whose probabilities are learned beside the labels (`distil`)."""
    teacher_share: float = 0.5
    """The weight of these probabilities, 0 to 1."""
    each_epoch: bool = False
    """Whether the development rows are measured after each epoch, too."""


def encode_qa(tokenizer: PreTrainedTokenizerBase, examples: Sequence[QAExample]) -> Rows:
    """Tokenise question and text; an unanswerable question points at the first token, [CLS].

    An answer that truncation cuts off makes its question unanswerable.
    """
    encoded = tokenizer(
        [e.question for e in examples],
        [e.text for e in examples],
        truncation="only_second",
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
        rows.append(_inputs(encoded, i) | {"start_positions": start, "end_positions": end})
    return Rows(rows)


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
    measure: Callable[[EvalPrediction], dict[str, float]]
    if task == "qa":
        model = AutoModelForQuestionAnswering.from_pretrained(base, dtype=torch.float32)
        measure = _measure_qa
    else:
        names = CLASSES[task]
        model = AutoModelForSequenceClassification.from_pretrained(
            base,
            dtype=torch.float32,
            num_labels=len(names),
            id2label=dict(enumerate(names)),
            label2id={label: i for i, label in enumerate(names)},
            # The head of another task gives way to a new one.
            ignore_mismatched_sizes=True,
        )
        measure = _measure_classes(names)
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
        compute_metrics=measure,
        compute_loss_func=mean_loss(settings.teacher_share) if task == "nli" else None,
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
