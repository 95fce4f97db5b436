"""The twins: true and false claims of nearly the same words, of which only the passage tells which is which."""

from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from lab.training.claims.balance import (
    BLIND_MARGIN,
    TWINS,
    Drawn,
    blind_shares,
    overlap,
    read_passages,
)

PASSAGES = list(read_passages(TWINS))
ROWS = [Drawn(passage, claim) for passage in PASSAGES for claim in passage.claims]


def test_each_true_twin_is_followed_by_its_false_sister() -> None:
    """Of the same cell, in nearly as many words."""
    for passage in PASSAGES:
        claims = [claim for claim in passage.claims if claim.label != "neutral"]
        for true, false in zip(claims[::2], claims[1::2], strict=True):
            assert (true.label, false.label) == ("entailment", "contradiction"), passage.id
            assert true.cell == false.cell, passage.id


def test_an_answer_is_a_part_of_its_passage() -> None:
    """A question without one has the answer None."""
    for passage in PASSAGES:
        for question in passage.questions:
            found = question.answer is None or any(
                question.answer in text for text in passage.knowledge
            )
            assert found, (passage.id, question.question)


def test_word_overlap_does_not_tell_true_from_false() -> None:
    """Sisters share as many words with their passage."""
    rows = [row for row in ROWS if row.claim.label != "neutral"]
    shares = [overlap(row.claim.text, row.passage.knowledge) for row in rows]
    entailed = [row.claim.label == "entailment" for row in rows]
    assert 0.45 < roc_auc_score(entailed, shares) < 0.55


@pytest.mark.slow
def test_a_claim_alone_does_not_tell_its_label() -> None:
    """A classifier that does not see the passage is hardly better than the most frequent label."""
    labels = [row.claim.label for row in ROWS]
    shares, names = blind_shares(ROWS)
    right = np.mean([names[i] for i in shares.argmax(1)] == np.array(labels))
    assert right <= max(Counter(labels).values()) / len(labels) + BLIND_MARGIN
