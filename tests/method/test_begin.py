"""BEGIN's taxonomy: labels of probabilities and the three-way form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.begin import (
    LABELS,
    LABELS3,
    best_label,
    best_label3,
    by_label,
    decisive,
    mean_classes,
    three_way,
)
from qsquared.records import ReplyClasses

classes = st.lists(st.floats(0.01, 1), min_size=5, max_size=5).map(
    lambda weights: ReplyClasses(*(weight / sum(weights) for weight in weights))
)


def test_neutral_merges_the_middle_three():
    """Only entailment and contradiction keep their names."""
    assert [three_way(label) for label in LABELS] == [
        "entailment", "neutral", "neutral", "neutral", "contradiction",
    ]  # fmt: skip


def test_three_weak_classes_are_neutral_together():
    """The most probable class may be entailment while the reply is most probably neutral."""
    found = ReplyClasses(0.4, 0.25, 0.3, 0.05, 0.0)
    assert (best_label(found), best_label3(found)) == ("entailment", "neutral")


@given(classes)
def test_a_label_has_the_greatest_probability(found):
    """Of the five, and of the three."""
    assert by_label(found)[best_label(found)] == max(by_label(found).values())
    assert best_label3(found) in LABELS3


@given(st.lists(classes, min_size=1, max_size=4))
def test_the_mean_of_pieces_is_a_distribution(parts):
    """Its probabilities sum to one, and that of one piece is the piece's own."""
    assert sum(by_label(mean_classes(parts)).values()) == pytest.approx(1)
    assert by_label(mean_classes(parts[:1])) == pytest.approx(by_label(parts[0]))


def test_the_run_of_knowledge_that_speaks_of_the_reply_decides():
    """Whether it speaks for the reply or against it."""
    silent = ReplyClasses(0.1, 0.8, 0.1, 0.0, 0.0)
    against = ReplyClasses(0.2, 0.1, 0.0, 0.0, 0.7)
    assert decisive([silent, against]) == against
