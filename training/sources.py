"""Read the training sets in their published formats into plain records.

Nothing here belongs to the sets that the project measures itself on.
A fixed share of each set, chosen by a hash of its article, sentence or pair id, is kept apart
for development, so that no text stands on both sides.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO

DEVELOPMENT_SHARE = 0.08

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(\[])")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"'}


@dataclass(frozen=True, slots=True)
class Reading:
    """One question on one text; ``answers`` are the annotators' strings, empty if unanswerable."""

    group: str
    question: str
    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inference:
    """One premise and hypothesis with label ``entailment``, ``neutral`` or ``contradiction``."""

    group: str
    premise: str
    hypothesis: str
    label: str


def is_development(group: str) -> bool:
    """Whether a group of examples (article, sentence, image) is kept apart for development."""
    return hashlib.sha256(group.encode()).digest()[0] / 256 < DEVELOPMENT_SHARE


def split_sentences(text: str) -> list[str]:
    """Cut a paragraph after sentence-final punctuation; enough for windows of training text."""
    return [part for part in _SENTENCE_END.split(text) if part]


def _open(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def read_squad(folder: Path) -> Iterator[Reading]:
    """SQuAD 1.1 and 2.0 development sets, each question once."""
    seen: set[str] = set()
    for name in ("squad-1.1-dev.jsonl.gz", "squad-2.0-dev.jsonl.gz"):
        with _open(folder / name) as lines:
            for line in lines:
                row = json.loads(line)
                if row["id"] in seen:
                    continue
                seen.add(row["id"])
                yield Reading(
                    f"squad/{row['title']}",
                    row["question"].strip(),
                    row["context"],
                    tuple(row["answers"]),
                )


def _detokenise(tokens: list[str]) -> list[str]:
    return [_BRACKETS.get(token, token) for token in tokens]


def read_qamr(folder: Path) -> Iterator[Reading]:
    """QAMR: questions on single tokenised sentences, answers given as token indices.

    Only answers whose tokens stand together (gaps of at most one) become spans.
    """
    sentences: dict[str, list[str]] = {}
    with _open(folder / "wiki-sentences.tsv.gz") as lines:
        for line in lines:
            key, _, text = line.rstrip("\n").partition("\t")
            sentences[key] = _detokenise(text.split(" "))
    for name in ("filtered-dev.tsv.gz", "filtered-test.tsv.gz"):
        with _open(folder / name) as lines:
            for line in lines:
                fields = line.rstrip("\n").split("\t")
                tokens = sentences.get(fields[0])
                if tokens is None:
                    continue
                answers = []
                indices_given = [fields[6], *(f.partition(":")[2] for f in fields[7:])]
                for given in indices_given:
                    if not given.strip() or not given[0].isdigit():
                        continue
                    indices = sorted(int(i) for i in given.split())
                    gaps = [b - a for a, b in pairwise(indices)]
                    if max(gaps, default=1) <= 2 and indices[-1] < len(tokens):
                        answers.append(" ".join(tokens[indices[0] : indices[-1] + 1]))
                if answers:
                    yield Reading(
                        f"qamr/{fields[0]}", fields[5].strip(), " ".join(tokens), tuple(answers)
                    )


def read_snli(folder: Path) -> Iterator[Inference]:
    """SNLI pairs with a gold label; grouped by image so that captions do not cross the split."""
    for name in ("snli-1.0-train-100k.tsv.gz",):
        with _open(folder / name) as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["gold_label"] in ("entailment", "neutral", "contradiction"):
                    yield Inference(
                        f"snli/{row['pairID'].split('#')[0]}",
                        row["sentence1"],
                        row["sentence2"],
                        row["gold_label"],
                    )


def read_conjnli(folder: Path) -> Iterator[Inference]:
    """ConjNLI's adversarial training set: NLI over Wikipedia sentences with conjunctions."""
    with _open(folder / "adversarial_train_15k.tsv.gz") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield Inference(
                f"conjnli/{row['Premise']}", row["Premise"], row["Hypothesis"], row["Label"]
            )


def read_fever_symmetric(folder: Path) -> Iterator[Inference]:
    """FEVER-symmetric: evidence as premise, claim as hypothesis, no neutral class."""
    labels = {"SUPPORTS": "entailment", "REFUTES": "contradiction"}
    for path in sorted(folder.glob("*.jsonl")):
        with _open(path) as lines:
            for line in lines:
                row = json.loads(line)
                yield Inference(
                    f"fever/{row['id'][-6:]}",
                    " ".join(_detokenise(row["evidence"].split())),
                    " ".join(_detokenise(row["claim"].split())),
                    labels[row["gold_label"]],
                )


def read_rte(folder: Path) -> Iterator[Inference]:
    """GLUE's RTE: news passages and short claims; what is not entailed counts as neutral."""
    with _open(folder / "rte_train.tsv") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            label = "entailment" if row["label"] == "entailment" else "neutral"
            yield Inference(f"rte/{row['index']}", row["sentence1"], row["sentence2"], label)


def read_mrpc(folder: Path) -> Iterator[Inference]:
    """MRPC: a paraphrase is entailed; a pair alike in words that is none counts as neutral."""
    with _open(folder / "msr_paraphrase_train.txt") as lines:
        next(lines)
        for line in lines:
            quality, first, second, one, other = line.rstrip("\n").split("\t")
            label = "entailment" if quality == "1" else "neutral"
            yield Inference(f"mrpc/{first}-{second}", one, other, label)
