"""The probability that all that a reply says is supported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.support import JudgedSentence, support

SURE, WRONG = JudgedSentence(0.95, 1.0), JudgedSentence(0.05, 0.1)
SHARES = st.floats(0, 1)
SENTENCES = st.lists(st.builds(JudgedSentence, SHARES, st.none() | SHARES), min_size=1, max_size=6)


def test_one_wrong_sentence_of_three_costs_a_reply_more_than_its_share():
    """It falls by more than a third, where a mean over questions would leave it two thirds."""
    assert support([SURE, SURE, SURE]) > 0.8
    assert support([SURE, WRONG, SURE]) < support([SURE, SURE, SURE]) * 2 / 3


def test_a_reply_is_supported_as_its_one_sentence_is():
    """The same model rates sentences and replies, and agreement of sentences changes nothing."""
    assert support([SURE, SURE]) == pytest.approx(support([SURE]))


def test_a_sentence_without_a_question_is_rated_by_its_judge():
    """The judge's word stands for the questions, too."""
    assert support([JudgedSentence(0.9)]) == support([JudgedSentence(0.9, 0.9)])


def test_a_reply_that_claims_nothing_has_no_support():
    """There is nothing that could be supported."""
    with pytest.raises(ValueError, match="claims nothing"):
        support([])


@given(SENTENCES)
def test_support_is_a_probability(sentences):
    """However sure the judge is."""
    assert 0 < support(sentences) < 1


@given(SENTENCES, SHARES)
def test_a_reply_gains_nothing_from_a_sentence_that_is_less_sure(sentences, entailment):
    """Of more claims more can be wrong."""
    least = min(sentence.entailment for sentence in sentences)
    doubted = JudgedSentence(least * entailment, 0.0)
    assert support([*sentences, doubted]) <= support(sentences) + 1e-9
