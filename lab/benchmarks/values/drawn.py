"""Pairs of answers drawn from published data, with the verdicts of the people who judged them.

EVOUNA has answers of five programs to questions, and whether people called them correct.
FEVER's development part has claims with their evidence; a pair is the only date or number of each.
"""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any

from lab.benchmarks.values.pairs.pair import DIFFERS, HOLDS, AnswerPair

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LONGEST = 40
_DATE = re.compile(
    r"(?:\b(?:before|after|since|from|until|by) )?\b"
    r"(?:(?:\d{1,2} )?"
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{1,2},)? )?[12]\d{3}(?!\d|,\d)(?:'?s\b)?"
)
_NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")


def evouna_pairs(path: Path) -> Iterator[list[AnswerPair]]:
    """Yield, for each short answer with a digit, its pairs with all right answers of its question."""
    for row in _rows(path):
        answer = row["answer"] or ""
        rights = row["reference"].split("/")
        if not 0 < len(answer) <= _LONGEST or not _NUMBER.search(answer):
            continue
        verdict = HOLDS if row["correct"] else DIFFERS
        yield [
            AnswerPair("evouna", row["question"], answer, right, verdict)
            for right in rights
            if _NUMBER.search(right)
        ]


def fever_pairs(path: Path) -> Iterator[AnswerPair]:
    """Yield the dates of claims and evidence that have one each, and no other number.

    A refuted claim whose date is that of the evidence is wrong in something else, and left out.
    """
    for row in _rows(path):
        claim, known = (_DATE.findall(row[name]) for name in ("hypothesis", "premise"))
        if (
            len(claim) != 1
            or len(known) != 1
            or row["label"] not in {"entailment", "contradiction"}
        ):
            continue
        verdict = HOLDS if row["label"] == "entailment" else DIFFERS
        if verdict == DIFFERS and claim[0][-4:] == known[0][-4:]:
            continue
        yield AnswerPair("fever", f"When? {row['hypothesis']}", claim[0], known[0], verdict)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
