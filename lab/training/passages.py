"""Hand-written passages with claims and questions: what the judge and the reader learn of replies.

Claims are drawn so that neither word overlap nor the claim alone gives its label away (``claims/README.md``).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.training.examples.qa import QAExample, make_qa_examples, read_whole
from lab.training.mixture.inference import Inference
from lab.training.mixture.reading import Reading, is_development, read_jsonl
from qsquared.method.knowledge.evidence import VIEWS, evidence

CLAIMS = Path(__file__).with_name("claims")
PASSAGES = CLAIMS / "claims.jsonl.gz"
TWINS = CLAIMS / "twins.jsonl.gz"
"""Passages with true and false claims of nearly the same words (README.md)."""
KEPT_APART = "g6"
"""The writer of whom nothing is trained on; of the others a share of the passages is kept apart, too."""
LONGEST_WORDS = 110
"""Passages up to this length are read whole, too: the pipeline's reader sees so much at once."""
_STEM = 5
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence or a whole reply, and whether the passage entails it, contradicts it, or neither.

    ``drawn`` tells the claims that the judge learns.
    """

    text: str
    label: str
    kind: str
    cell: str
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A natural question and its exact answer, or ``None`` where the passage gives none."""

    question: str
    answer: str | None


@dataclass(frozen=True, slots=True)
class Passage:
    """The knowledge of a chatbot, one text or several, with claims and questions about it."""

    id: str
    file: str
    source: str
    knowledge: tuple[str, ...]
    claims: tuple[Claim, ...]
    questions: tuple[Question, ...]

    @property
    def group(self) -> str:
        """The name by which a share of the passages is kept apart for development."""
        return f"{self.file}/{self.id}"

    @property
    def kept_apart(self) -> bool:
        """Whether the passage is for measuring only."""
        return self.source == KEPT_APART or is_development(self.group)


def read_passages(path: Path = PASSAGES) -> Iterator[Passage]:
    """Read all passages, in the order of the file."""
    for row in read_jsonl(path):
        yield Passage(
            row["id"],
            path.name.partition(".")[0],
            row["source"],
            tuple(row["knowledge"]),
            tuple(Claim(**claim) for claim in row["claims"]),
            tuple(Question(**asked) for asked in row["qa"]),
        )


def overlap(claim: str, knowledge: Sequence[str]) -> float:
    """Return the share of a claim's words whose first five letters begin a word of the knowledge."""
    known = set(_stems(" ".join(knowledge)))
    own = _stems(claim)
    return sum(word in known for word in own) / max(1, len(own))


def _stems(text: str) -> list[str]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return [word[:_STEM] for word in words if len(word) >= _SHORTEST]


def claim_pairs() -> Iterator[Inference]:
    """Pair the drawn claims with what their passages say of them."""
    for passage in read_passages():
        yield from _pairs(passage, [claim for claim in passage.claims if claim.drawn])


def twins() -> Iterator[Inference]:
    """Pair twins with what their passages say of them.

    They are taken as they are written: neither overlap nor the claim alone tells their labels.
    """
    for passage in read_passages(TWINS):
        yield from _pairs(passage, passage.claims)


def _pairs(passage: Passage, claims: Sequence[Claim]) -> Iterator[Inference]:
    for claim in claims:
        premise = evidence(claim.text, passage.knowledge, VIEWS[-1])
        yield Inference(passage.group, premise, claim.text, claim.label)


def claim_questions(seed: int) -> Iterator[QAExample]:
    """Ask the questions on windows of their passages, and on whole passages that are short."""
    readings = [
        Reading(
            passage.group,
            question.question,
            " ".join(passage.knowledge),
            (question.answer,) if question.answer else (),
        )
        for passage in read_passages()
        if passage.source != KEPT_APART
        for question in passage.questions
    ]
    yield from make_qa_examples(readings, [], seed)
    for reading in readings:
        if len(reading.text.split()) <= LONGEST_WORDS:
            example = read_whole(reading, "passage")
            if example is not None:
                yield example
