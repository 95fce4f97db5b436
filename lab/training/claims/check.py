"""``python -m lab.training.claims.check``: check the form of the claims, and how far their labels leak.

A label leaks as far as the claim alone, or the words that it shares with its passage, tell it.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from lab.training.claims.balance import (
    BLIND_MARGIN,
    KEPT_APART,
    PASSAGES,
    TWINS,
    Drawn,
    Passage,
    balanced,
    blind_shares,
    overlap,
    read_passages,
)
from qsquared.method.statistics.roc_auc import roc_auc

LABELS = {"entailment", "neutral", "contradiction"}
CELLS = {"first", "second", "near", "far"}
OVERLAP = (0.45, 0.55)
"""The bounds of the ROC-AUC of overlap for entailment."""
SEED = 20261123


def complaints(passage: Passage) -> Iterator[str]:
    """Say what is wrong with the form of a passage, its claims and its questions."""
    if not passage.knowledge or not all(text.strip() for text in passage.knowledge):
        yield "has no knowledge, or an empty text"
    texts = Counter(claim.text for claim in passage.claims)
    yield from (f"has a claim twice: {text}" for text, times in texts.items() if times > 1)
    for claim in passage.claims:
        if claim.label not in LABELS or claim.cell not in CELLS or not claim.kind:
            yield f"has a claim of an unknown label, cell or kind: {claim.text}"
    for asked in passage.questions:
        if asked.answer is not None and not any(asked.answer in text for text in passage.knowledge):
            yield f"has an answer that is no part of it: {asked.answer}"


def leaks(rows: Sequence[Drawn]) -> tuple[str, bool]:
    """Return in words how far labels leak, and whether both leaks are within their bounds."""
    shares, names = blind_shares(rows)
    labels = np.array([row.claim.label for row in rows])
    blind = float(np.mean(np.array(names)[shares.argmax(1)] == labels))
    majority = max(Counter(labels.tolist()).values()) / len(rows)
    shared = np.array([overlap(row.claim.text, row.passage.knowledge) for row in rows])
    auc = roc_auc((labels == "entailment").astype(float), shared)
    told = f"{len(rows)} claims, the claim alone {blind:.3f} (most frequent label {majority:.3f}), overlap {auc:.3f}"
    return told, blind <= majority + BLIND_MARGIN and OVERLAP[0] <= auc <= OVERLAP[1]


def main() -> int:
    """Print what does not fit, and the leaks of all writers but the one kept apart; 1 if a bound is passed."""
    right = True
    for path in (PASSAGES, TWINS):
        passages = list(read_passages(path))
        wrong = [f"{passage.id} {what}" for passage in passages for what in complaints(passage)]
        wrong += [f"{name} is the id of {n} passages" for name, n in _ids(passages) if n > 1]
        print(f"{path.name}: {len(passages)} passages", *wrong, sep="\n  ")
        learned = [one for one in passages if one.source != KEPT_APART]
        rows = [Drawn(passage, claim) for passage in learned for claim in passage.claims]
        told, closed = leaks(rows)
        print(f"  as written: {told}")
        if path == PASSAGES:
            told, closed = leaks(balanced(rows, SEED))
            print(f"  as drawn: {told}")
        right = right and closed and not wrong
    return 0 if right else 1


def _ids(passages: Sequence[Passage]) -> list[tuple[str, int]]:
    return list(Counter(passage.id for passage in passages).items())


if __name__ == "__main__":
    sys.exit(main())
