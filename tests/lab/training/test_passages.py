"""The hand-written claims and their twins: their form, and how far their labels leak."""

from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from lab.training.passages import KEPT_APART, PASSAGES, TWINS, overlap, read_passages

LABELS = {"entailment", "neutral", "contradiction"}
CELLS = {"first", "second", "near", "far"}
FILES = {"claims": list(read_passages(PASSAGES)), "twins": list(read_passages(TWINS))}
ROWS = {
    name: [
        (passage, claim)
        for passage in passages
        for claim in passage.claims
        if name == "twins" or claim.drawn
    ]
    for name, passages in FILES.items()
}


@pytest.mark.parametrize("name", FILES)
def test_every_claim_and_question_has_the_right_form(name: str) -> None:
    """No passage is empty or there twice, no claim is there twice, each answer is a part of its passage."""
    assert len({passage.id for passage in FILES[name]}) == len(FILES[name])
    for passage in FILES[name]:
        assert passage.knowledge, passage.id
        assert all(text.strip() for text in passage.knowledge), passage.id
        assert len({claim.text for claim in passage.claims}) == len(passage.claims), passage.id
        for claim in passage.claims:
            assert claim.label in LABELS, claim
            assert claim.cell in CELLS, claim
            assert claim.kind, claim
        for asked in passage.questions:
            answer = asked.answer
            assert answer is None or any(answer in text for text in passage.knowledge), asked


def test_each_true_twin_is_followed_by_its_false_sister() -> None:
    """Of the same cell, in nearly as many words."""
    for passage in FILES["twins"]:
        claims = [claim for claim in passage.claims if claim.label != "neutral"]
        for true, false in zip(claims[::2], claims[1::2], strict=True):
            assert (true.label, false.label) == ("entailment", "contradiction"), passage.id
            assert true.cell == false.cell, passage.id


def test_no_claim_of_the_writer_kept_apart_is_drawn() -> None:
    """Nothing is trained on them."""
    assert not any(passage.source == KEPT_APART for passage, _ in ROWS["claims"])


@pytest.mark.parametrize("name", FILES)
def test_word_overlap_does_not_tell_true_from_false(name: str) -> None:
    """Entailed claims share as many words with their passage as others do."""
    shares = [overlap(claim.text, passage.knowledge) for passage, claim in ROWS[name]]
    entailed = [claim.label == "entailment" for _, claim in ROWS[name]]
    assert 0.45 < roc_auc_score(entailed, shares) < 0.55


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_claim_alone_does_not_tell_its_label(name: str) -> None:
    """A classifier that does not see the passage is hardly better than the most frequent label."""
    classifier = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True),
        LogisticRegression(max_iter=500, C=3),
    )
    texts = [claim.text for _, claim in ROWS[name]]
    labels = np.array([claim.label for _, claim in ROWS[name]])
    groups = [passage.id for passage, _ in ROWS[name]]
    told = cross_val_predict(classifier, texts, labels, groups=groups, cv=GroupKFold(5))
    assert np.mean(told == labels) <= max(Counter(labels).values()) / len(labels) + 0.05
