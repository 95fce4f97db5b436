"""Tests of the written claims: the form of each, and how far their labels leak.

A label leaks as far as the claim alone, or the words that it shares with its passage, tell it.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from lab.training.claims.balance import (
    BLIND_MARGIN,
    KEPT_APART,
    PASSAGES,
    TWINS,
    Claim,
    Drawn,
    Passage,
    Question,
    balanced,
    blind_shares,
    overlap,
    read_passages,
)
from qsquared.method.statistics.roc_auc import roc_auc

LABELS = {"entailment", "neutral", "contradiction"}
CELLS = {"first", "second", "near", "far"}
# The bounds of the ROC-AUC of overlap for entailment.
OVERLAP = (0.45, 0.55)
SEED = 20261123


def complaints(passage):
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


def leaks(rows):
    """Return in words how far labels leak, and whether both leaks are within their bounds."""
    shares, names = blind_shares(rows)
    labels = np.array([row.claim.label for row in rows])
    blind = float(np.mean(np.array(names)[shares.argmax(1)] == labels))
    majority = max(Counter(labels.tolist()).values()) / len(rows)
    shared = np.array([overlap(row.claim.text, row.passage.knowledge) for row in rows])
    auc = roc_auc((labels == "entailment").astype(float), shared)
    told = f"{len(rows)} claims, the claim alone {blind:.3f} (most frequent label {majority:.3f}), overlap {auc:.3f}"
    return told, blind <= majority + BLIND_MARGIN and OVERLAP[0] <= auc <= OVERLAP[1]


SOUND = Passage(
    "p1",
    "claims",
    "w1",
    ("The museum opens at nine. Dogs are not allowed.",),
    (Claim("It opens at nine.", "entailment", "paraphrase", "near"),),
    (Question("When does the museum open?", "nine"), Question("Who built it?", None)),
)


@pytest.mark.parametrize("path", [PASSAGES, TWINS], ids=["claims", "twins"])
def test_every_claim_and_question_has_the_right_form(path):
    """No passage or id is there twice or empty, nor a claim; each answer is a part of its passage."""
    passages = list(read_passages(path))
    assert len({passage.id for passage in passages}) == len(passages)
    assert [what for passage in passages for what in complaints(passage)] == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"knowledge": ("",)}, "empty"),
        ({"claims": SOUND.claims * 2}, "twice"),
        ({"claims": (Claim("It is old.", "true", "extra", "near"),)}, "unknown label"),
        ({"questions": (Question("When does it open?", "ten"),)}, "no part of it"),
    ],
)
def test_a_wrong_form_is_told(change, told):
    """One complaint says what is wrong with the passage."""
    assert list(complaints(SOUND)) == []
    (found, *_) = complaints(replace(SOUND, **change))
    assert told in found


def test_a_word_that_gives_labels_away_is_a_leak():
    """Of claims that say "only" where they are false the claim alone tells the label."""

    def rows(word: str) -> list[Drawn]:
        made = []
        for n in range(60):
            passage = replace(SOUND, id=f"p{n}")
            label = "entailment" if n % 2 else "contradiction"
            text = f"The museum {'' if n % 2 else word} opens at nine number{n}"
            made.append(Drawn(passage, Claim(text, label, "scope", "near")))
        return made

    assert leaks(rows("only"))[1] is False
    assert leaks(rows(""))[1] is True


@pytest.mark.slow
@pytest.mark.parametrize("path", [PASSAGES, TWINS], ids=["claims", "twins"])
def test_labels_do_not_leak(path):
    """Claims as drawn for training are within the bounds, and so are the twins as they are written."""
    learned = [passage for passage in read_passages(path) if passage.source != KEPT_APART]
    rows = [Drawn(passage, claim) for passage in learned for claim in passage.claims]
    told, closed = leaks(balanced(rows, SEED) if path == PASSAGES else rows)
    assert closed, told
