"""Loaders of GLUE's tasks, each as texts with a class or a number.

QNLI's training set is not at hand: its pairs are made from SQuAD's development set, of which QNLI's
own development set was made too.
So articles are split: those of ``QNLI_HELD`` share of the articles are never trained on, and only
QNLI's rows of these are measured.
"""

import hashlib
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.training.mixture.reading import (
    Reading,
    is_development,
    read_fields,
    read_squad,
    read_table,
    split_sentences,
)

QNLI_HELD = 0.3
"""Share of SQuAD's articles, by a hash of the title, that QNLI is measured on."""

SST2_MEASURED = 1500
"""Sentences of SST-2's split-off part that are measured, the longest first."""

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
        "cola": [*_cola(glue / "cola_train.tsv"), *_cola(glue / "cola_val.tsv")],
        "sst2": apart(_sst2(glue / "sst2_train.tsv.gz"), _measured_sst2(glue)),
        "mrpc": list(_mrpc(glue / "msr_paraphrase_train.txt")),
        "stsb": list(_stsb(glue / "stsb_train.csv.gz")),
        "qnli": qnli_pairs([r for r in squad if not is_held(r.group)], seed),
        "rte": list(_entailed(glue / "rte_train.tsv", "sentence1", "sentence2")),
    }


def measured_sets(data: Path) -> dict[str, list[Rated]]:
    """Read the set that each task is measured on; no text of it was trained on.

    ``qnli_unseen`` are the rows of ``qnli`` whose articles the encoder underneath never saw either.
    """
    glue = data / "glue"
    groups = {reading.question: reading.group for reading in read_squad(data / "squad-dev")}
    rows = [
        (groups.get(row.first, ""), row)
        for row in _entailed(glue / "qnli_dev.tsv.gz", "question", "sentence")
    ]
    return {
        "cola": list(_cola(glue / "cola_dev.tsv")),
        "sst2": _measured_sst2(glue),
        "mrpc": list(_mrpc(glue / "msr_paraphrase_test.txt")),
        "stsb": list(_stsb(glue / "stsb_dev.csv")),
        "qnli": [row for group, row in rows if group and is_held(group)],
        "qnli_unseen": [row for group, row in rows if group and is_development(group)],
        "rte": list(_entailed(glue / "rte_dev.tsv", "sentence1", "sentence2")),
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
    rows = sorted(_sst2(glue / "sst2_dev.tsv"), key=lambda row: (-len(row.first), row.first))
    return rows[:SST2_MEASURED]


def _cola(path: Path) -> Iterator[Rated]:
    for _source, label, _mark, sentence in read_fields(path):
        yield Rated(sentence, None, float(label))


def _sst2(path: Path) -> Iterator[Rated]:
    for row in read_table(path):
        yield Rated(row["sentence"].strip(), None, float(row["label"]))


def _mrpc(path: Path) -> Iterator[Rated]:
    rows = read_fields(path)
    next(rows)
    for quality, _first, _second, one, other in rows:
        yield Rated(one, other, float(quality))


def _stsb(path: Path) -> Iterator[Rated]:
    for row in read_fields(path):
        yield Rated(row[5], row[6], float(row[4]))


def _entailed(path: Path, first: str, second: str) -> Iterator[Rated]:
    for row in read_table(path):
        yield Rated(row[first], row[second], float(row["label"] != "entailment"))
