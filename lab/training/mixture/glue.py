"""Loaders of GLUE's tasks, each as texts with a class or a number.

QNLI's training set is not at hand: its pairs are made from SQuAD's development set, of which QNLI's
own development set was made too.
So articles are split: those of ``QNLI_HELD`` share of the articles are never trained on, and only
QNLI's rows of these are measured.
"""

import hashlib
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lab.training.mixture.reading import (
    Reading,
    is_development,
    read_fields,
    read_squad,
    split_sentences,
)

QNLI_HELD = 0.3
"""Share of SQuAD's articles, by a hash of the title, that QNLI is measured on."""

SST2_MEASURED = 1500
"""Sentences of SST-2's split-off part that are measured, the longest first."""

_COLA, _SST2, _MRPC, _STSB, _NLI = (
    (3, None, 1, 0), (0, None, 1), (3, 4, 0), (5, 6, 4, 0), (1, 2, 3),
)  # fmt: skip
"""Columns of the texts and of the value, and the lines above, in each task's files."""
_ENTAILED = {"entailment": "0", "not_entailment": "1"}
"""The classes of RTE and QNLI."""
_SHARED_WORDS = 5
_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Rated:
    """One or two texts with the index of their class, or a number where the task has no classes."""

    first: str
    second: str | None
    value: float


@dataclass(frozen=True, slots=True)
class Task:
    """A task of GLUE: its labels in the order of the outputs, and the number of times that its set is read.

    A task with one label has numbers instead of classes.
    """

    labels: tuple[str, ...]
    epochs: int


TASKS = {
    "cola": Task(("unacceptable", "acceptable"), 4),
    "sst2": Task(("negative", "positive"), 1),
    "mrpc": Task(("not_equivalent", "equivalent"), 4),
    "stsb": Task(("similarity",), 4),
    "qnli": Task(("entailment", "not_entailment"), 2),
    "rte": Task(("entailment", "not_entailment"), 4),
}
"""QQP is not at hand."""


def outputs() -> list[str]:
    """Return the names of all outputs side by side, such as ``cola:acceptable``."""
    return [f"{name}:{label}" for name, task in TASKS.items() for label in task.labels]


def columns(task: str) -> slice:
    """Return the outputs of one task."""
    start = outputs().index(f"{task}:{TASKS[task].labels[0]}")
    return slice(start, start + len(TASKS[task].labels))


def training_sets(data: Path, seed: int) -> dict[str, list[Rated]]:
    """Read the training set of each task."""
    glue = data / "glue"
    squad = list(read_squad(data / "squad-dev"))
    return {
        "cola": _rated(glue / "cola_train.tsv", *_COLA) + _rated(glue / "cola_val.tsv", *_COLA),
        "sst2": apart(_rated(glue / "sst2_train.tsv.gz", *_SST2), _measured_sst2(glue)),
        "mrpc": _rated(glue / "msr_paraphrase_train.txt", *_MRPC),
        "stsb": _rated(glue / "stsb_train.csv.gz", *_STSB),
        "qnli": qnli_pairs([r for r in squad if not is_held(r.group)], seed),
        "rte": _rated(glue / "rte_train.tsv", *_NLI),
    }


def measured_sets(data: Path) -> dict[str, list[Rated]]:
    """Read the set that each task is measured on; no text of it was trained on.

    ``qnli_unseen`` are the rows of ``qnli`` whose articles the encoder underneath never saw either.
    """
    glue = data / "glue"
    groups = {reading.question: reading.group for reading in read_squad(data / "squad-dev")}
    rows = [(groups.get(row.first, ""), row) for row in _rated(glue / "qnli_dev.tsv.gz", *_NLI)]
    return {
        "cola": _rated(glue / "cola_dev.tsv", *_COLA),
        "sst2": _measured_sst2(glue),
        "mrpc": _rated(glue / "msr_paraphrase_test.txt", *_MRPC),
        "stsb": _rated(glue / "stsb_dev.csv", *_STSB),
        "qnli": [row for group, row in rows if group and is_held(group)],
        "qnli_unseen": [row for group, row in rows if group and is_development(group)],
        "rte": _rated(glue / "rte_dev.tsv", *_NLI),
    }


def is_held(group: str) -> bool:
    """Whether QNLI is measured on an article; always if the base never saw it."""
    share = hashlib.sha256(f"qnli/{group}".encode()).digest()[0] / 256
    return is_development(group) or share < QNLI_HELD


def qnli_pairs(readings: Iterable[Reading], seed: int) -> list[Rated]:
    """Pair questions with the sentence of their answer, and with another of the same passage.

    The other is, by turns, the one that shares most words with the question and one at random.
    A passage of one sentence gives no pair.
    """
    rng = random.Random(seed)
    pairs: dict[tuple[str, str], Rated] = {}
    for reading in readings:
        sentences = split_sentences(reading.text)
        held = [s for s in sentences if any(answer in s for answer in reading.answers)]
        others = [s for s in sentences if s not in held]
        if not held or not others:
            continue
        words = set(_TOKEN.findall(reading.question.lower()))

        def shared(sentence: str, words: set[str] = words) -> int:
            return len(words & set(_TOKEN.findall(sentence.lower())))

        right = max(held, key=shared)
        wrong = max(others, key=shared) if rng.random() < 0.5 else rng.choice(others)
        for sentence, value in ((right, 0.0), (wrong, 1.0)):
            pairs[reading.question, sentence] = Rated(reading.question, sentence, value)
    return list(pairs.values())


def apart(rows: Iterable[Rated], measured: Sequence[Rated]) -> list[Rated]:
    """Return the rows that share no run of five words with a measured one, and are no part of one.

    SST-2 trains on phrases; a phrase of a measured sentence, or of one that overlaps it, is left out.
    """
    runs = {run for row in measured for run in _runs(row.first)}
    whole = "\n".join(_spaced(row.first) for row in measured)
    return [
        row for row in rows if runs.isdisjoint(_runs(row.first)) and _spaced(row.first) not in whole
    ]


def _spaced(text: str) -> str:
    """Return the words of a text, each between two spaces."""
    return f" {' '.join(_TOKEN.findall(text))} "


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _TOKEN.findall(text)
    return set(zip(*(words[i:] for i in range(_SHARED_WORDS)), strict=False))


def _measured_sst2(glue: Path) -> list[Rated]:
    rows = _rated(glue / "sst2_dev.tsv", *_SST2)
    return sorted(rows, key=lambda row: (-len(row.first), row.first))[:SST2_MEASURED]


def _rated(path: Path, first: int, second: int | None, value: int, head: int = 1) -> list[Rated]:
    """Read the columns of one or two texts and of their class or number, below so many lines."""
    return [
        Rated(
            row[first].strip(),
            None if second is None else row[second],
            float(_ENTAILED.get(row[value], row[value])),
        )
        for row in islice(read_fields(path), head, None)
    ]
