"""Read the hand-written passages, their claims and their questions."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.training.sources.reading import is_development

PASSAGES = Path(__file__).with_name("claims.jsonl.gz")
KEPT_APART = "g6"
"""The writer of whom nothing is trained on; of the others a share of the passages is kept apart, too."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence or a whole reply, and whether the passage entails it, contradicts it, or neither."""

    text: str
    label: str
    kind: str
    cell: str


@dataclass(frozen=True, slots=True)
class Question:
    """A natural question and its exact answer, or ``None`` where the passage gives none."""

    question: str
    answer: str | None


@dataclass(frozen=True, slots=True)
class Passage:
    """The knowledge of a chatbot, one text or several, with claims and questions about it."""

    id: str
    source: str
    knowledge: tuple[str, ...]
    claims: tuple[Claim, ...]
    questions: tuple[Question, ...]

    @property
    def group(self) -> str:
        """The name by which a share of the passages is kept apart for development."""
        return f"claims/{self.id}"

    @property
    def kept_apart(self) -> bool:
        """Whether the passage is for measuring only."""
        return self.source == KEPT_APART or is_development(self.group)


def read_passages(path: Path = PASSAGES) -> Iterator[Passage]:
    """Read all passages, in the order of the file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield Passage(
                row["id"],
                row["source"],
                tuple(row["knowledge"]),
                tuple(Claim(c["text"], c["label"], c["kind"], c["cell"]) for c in row["claims"]),
                tuple(Question(q["question"], q["answer"]) for q in row["qa"]),
            )
