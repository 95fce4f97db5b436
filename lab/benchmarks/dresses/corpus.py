"""The corpus of dressed replies: faithful and unfaithful replies that nobody here wrote."""

import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.benchmarks.dresses.dresses import DRESSES, dressed

PLAIN = "plain"
_SOURCES = ("nli/fever-dev.jsonl.gz", "replies/wow-judged-dev.jsonl.gz")
_FAITHFUL = {"entailment": True, "contradiction": False, "not_entailment": False}


@dataclass(frozen=True, slots=True)
class DressedReply:
    """A reply in a dress, with the knowledge that it keeps to or not."""

    number: int
    dress: str
    faithful: bool
    knowledge: str
    response: str


def corpus(folder: Path, number: int, seed: int = 16) -> Iterator[DressedReply]:
    """Yield so many faithful and so many unfaithful replies, each plain and in every dress.

    Half of them are claims of FEVER, half replies to Wizard of Wikipedia that people judged.

    Args:
        folder: holds `nli/fever-dev.jsonl.gz` and `replies/wow-judged-dev.jsonl.gz`.
        number: faithful ones, and as many unfaithful ones.
        seed: of the draws.
    """
    drawn = random.Random(seed)
    count = 0
    for source in _SOURCES:
        rows = [row for row in _rows(folder / source) if row["label"] in _FAITHFUL]
        drawn.shuffle(rows)
        for faithful in (True, False):
            fitting = [row for row in rows if _FAITHFUL[row["label"]] is faithful]
            for row in fitting[: number // 2]:
                reply, knowledge = row["hypothesis"].strip(), row["premise"].strip()
                yield DressedReply(count, PLAIN, faithful, knowledge, reply)
                for name in DRESSES:
                    yield DressedReply(
                        count, name, faithful, knowledge, dressed(name, reply, drawn)
                    )
                count += 1


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as handle:
        for line in handle:
            row = json.loads(line)
            yield {
                "premise": row.get("premise") or row.get("knowledge") or "",
                "hypothesis": row.get("hypothesis") or row.get("response") or "",
                "label": row["label"],
            }
