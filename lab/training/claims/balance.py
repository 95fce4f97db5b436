"""Draw claims so that neither word overlap nor the claim alone gives its label away.

True claims were first written in other words than their passage and false ones in the same, and
writers mark labels without knowing it ("someone" in true sentences, "because" in unsupported ones).
A model learns such marks before it learns to read.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from lab.training.sources.inference import Inference
from lab.training.sources.reading import is_development, read_jsonl
from qsquared.method.knowledge.evidence import VIEWS, evidence

PASSAGES = Path(__file__).with_name("claims.jsonl.gz")
TWINS = Path(__file__).with_name("twins.jsonl.gz")
"""Passages with true and false claims of nearly the same words (README.md)."""
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
            tuple(Claim(c["text"], c["label"], c["kind"], c["cell"]) for c in row["claims"]),
            tuple(Question(q["question"], q["answer"]) for q in row["qa"]),
        )


OVERLAP_BINS = 8
BLIND_MARGIN = 0.05
"""A classifier that does not see the passage may be so much better than the most frequent label."""
_DROPPED_AT_ONCE = 0.02
_MOST_ROUNDS = 20
_STEM = 5
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Drawn:
    """A claim with its passage."""

    passage: Passage
    claim: Claim


def overlap(claim: str, knowledge: Sequence[str]) -> float:
    """Return the share of a claim's words whose first five letters begin a word of the knowledge."""
    known = set(_stems(" ".join(knowledge)))
    own = _stems(claim)
    return sum(word in known for word in own) / max(1, len(own))


def _stems(text: str) -> list[str]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return [word[:_STEM] for word in words if len(word) >= _SHORTEST]


def blind_shares(rows: Sequence[Drawn]) -> tuple[np.ndarray, list[str]]:
    """Return each claim's probabilities by a blind classifier trained on other passages, and the labels.

    It sees the claim alone: words and pairs of words, logistic regression.
    """
    classifier = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True),
        LogisticRegression(max_iter=500, C=3),
    )
    texts = [row.claim.text for row in rows]
    labels = [row.claim.label for row in rows]
    groups = [row.passage.id for row in rows]
    shares = cross_val_predict(
        classifier, texts, labels, groups=groups, cv=GroupKFold(5), method="predict_proba"
    )
    return shares, sorted(set(labels))


def balanced(rows: Sequence[Drawn], seed: int) -> list[Drawn]:
    """Return the claims that are left when both leaks are closed.

    In each of eight bins of overlap the labels get the shares that they have in all; then, a fiftieth
    at a time, the claims go whose label the blind classifier tells most surely.
    """
    kept = _by_overlap(rows, seed)
    for _ in range(_MOST_ROUNDS):
        shares, names = blind_shares(kept)
        right = np.array([shares[i, names.index(row.claim.label)] for i, row in enumerate(kept)])
        labels = [row.claim.label for row in kept]
        accuracy = float(np.mean([names[i] for i in shares.argmax(1)] == np.array(labels)))
        if accuracy <= max(Counter(labels).values()) / len(labels) + BLIND_MARGIN:
            break
        # Of each label the same share goes, or the most frequent one would soon be none.
        gone: set[int] = set()
        for label in names:
            own = [i for i, found in enumerate(labels) if found == label]
            own.sort(key=lambda i: -right[i])
            gone.update(own[: int(len(own) * _DROPPED_AT_ONCE) + 1])
        kept = _by_overlap([row for i, row in enumerate(kept) if i not in gone], seed)
    return kept


def _by_overlap(rows: Sequence[Drawn], seed: int) -> list[Drawn]:
    """Leave out at random what a label has too much of in a bin of overlap."""
    shares = np.array([overlap(row.claim.text, row.passage.knowledge) for row in rows])
    edges = np.quantile(shares, np.linspace(0, 1, OVERLAP_BINS + 1)[1:-1])
    bins = np.digitize(shares, edges)
    labels = [row.claim.label for row in rows]
    counts = Counter(labels)
    odds = counts["entailment"] / max(1, len(rows) - counts["entailment"])
    rng = random.Random(seed)
    kept: list[int] = []
    for each in np.unique(bins):
        # Entailed claims against the others: the two of these may differ.
        own: dict[str, list[int]] = {label: [] for label in counts}
        for i in np.flatnonzero(bins == each).tolist():
            own[labels[i]].append(i)
        true = own.pop("entailment", [])
        false = [i for found in own.values() for i in found]
        kept += rng.sample(true, min(len(true), round(len(false) * odds)))
        kept += rng.sample(false, min(len(false), round(len(true) / odds)))
    return [rows[i] for i in sorted(kept)]


def twins() -> Iterator[Inference]:
    """Pair twins with what their passages say of them.

    They are taken as they are written: neither overlap nor the claim alone tells their labels.
    """
    for passage in read_passages(TWINS):
        for claim in passage.claims:
            premise = evidence(claim.text, passage.knowledge, VIEWS[-1])
            yield Inference(passage.group, premise, claim.text, claim.label)


def claim_pairs(seed: int) -> Iterator[Inference]:
    """Pair balanced claims with what their passages say of them.

    Nothing comes of the writer who is kept apart.
    """
    learned = (passage for passage in read_passages() if passage.source != KEPT_APART)
    rows = [Drawn(passage, claim) for passage in learned for claim in passage.claims]
    for row in balanced(rows, seed):
        premise = evidence(row.claim.text, row.passage.knowledge, VIEWS[-1])
        yield Inference(row.passage.group, premise, row.claim.text, row.claim.label)
