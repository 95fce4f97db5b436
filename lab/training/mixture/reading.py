"""Loaders of sets for question answering, and the split that keeps a part for development.

Nothing here belongs to the sets that the project measures itself on.
A fixed share of each set, chosen by a hash of its article, sentence or pair id, is kept apart
for development, so that no text is on both sides.
"""

import csv
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any


def _open(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Read the objects of a JSON Lines file."""
    with _open(path) as lines:
        for line in lines:
            yield json.loads(line)


def read_fields(path: Path) -> Iterator[list[str]]:
    """Read the lines of a tab-separated file without quoting, as lists of fields."""
    with _open(path) as lines:
        yield from filter(None, csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_table(path: Path) -> Iterator[dict[str, str]]:
    """Read the rows of a tab-separated file by the names in its first line."""
    rows = read_fields(path)
    head = next(rows)
    for row in rows:
        yield dict(zip(head, row, strict=False))


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Read the rows of a file of JSON Lines or between tabs, or of all files that a pattern names.

    Raises:
        FileNotFoundError: there is none.
    """
    for file in sorted(path.parent.glob(path.name)) or [path]:
        yield from read_jsonl(file) if ".jsonl" in file.suffixes else read_table(file)


DEVELOPMENT_SHARE = 0.08

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(\[])")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"'}


@dataclass(frozen=True, slots=True)
class Reading:
    """A question on one text; ``answers`` are the annotators' strings, empty if unanswerable."""

    group: str
    question: str
    text: str
    answers: tuple[str, ...]

    @property
    def answer(self) -> str:
        """The commonest answer, of equal ones the shortest; empty if unanswerable."""
        count = self.answers.count
        return max(set(self.answers), key=lambda a: (count(a), -len(a), a), default="")


def is_development(group: str) -> bool:
    """Whether a group of examples (article, sentence, image) is kept apart for development."""
    return hashlib.sha256(group.encode()).digest()[0] / 256 < DEVELOPMENT_SHARE


def split_sentences(text: str) -> list[str]:
    """Cut a paragraph after sentence-final punctuation; enough for windows of training text."""
    return [part for part in _SENTENCE_END.split(text) if part]


def detokenise(tokens: list[str]) -> list[str]:
    """Replace the treebank's names of brackets and quotes by the characters."""
    return [_BRACKETS.get(token, token) for token in tokens]


def read_squad(folder: Path) -> Iterator[Reading]:
    """Read the SQuAD 1.1 and 2.0 development sets, each question once."""
    seen: set[str] = set()
    for name in ("squad-1.1-dev.jsonl.gz", "squad-2.0-dev.jsonl.gz"):
        for row in read_jsonl(folder / name):
            if row["id"] in seen:
                continue
            seen.add(row["id"])
            yield Reading(
                f"squad/{row['title']}",
                row["question"].strip(),
                row["context"],
                tuple(row["answers"]),
            )


def read_qamr(folder: Path) -> Iterator[Reading]:
    """Read QAMR: questions on single tokenised sentences, answers given as token indices.

    Only answers whose tokens stand together (gaps of at most one) become spans.
    """
    sentences = {
        key: detokenise(text.split(" "))
        for key, text in read_fields(folder / "wiki-sentences.tsv.gz")
    }
    for name in ("filtered-dev.tsv.gz", "filtered-test.tsv.gz"):
        for fields in read_fields(folder / name):
            tokens = sentences.get(fields[0])
            if tokens is None:
                continue
            answers = []
            for given in [fields[6], *(field.partition(":")[2] for field in fields[7:])]:
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
