"""The probability that all that a reply says is supported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.support import JudgedSentence, support

SURE, WRONG = JudgedSentence(0.95, 1.0), JudgedSentence(0.05, 0.1)
WORDS = 100
LENGTHS = st.integers(0, 5000)
SHARES = st.floats(0, 1)
SENTENCES = st.lists(st.builds(JudgedSentence, SHARES, st.none() | SHARES), min_size=1, max_size=6)


def test_one_wrong_sentence_of_three_costs_a_reply_more_than_its_share():
    """It falls by more than a third, where a mean over questions would leave it two thirds."""
    assert support([SURE, SURE, SURE], WORDS) > 0.8
    assert support([SURE, WRONG, SURE], WORDS) < support([SURE, SURE, SURE], WORDS) * 2 / 3


def test_a_reply_is_supported_as_its_one_sentence_is():
    """The same model rates sentences and replies, and agreement of sentences changes nothing."""
    assert support([SURE, SURE], WORDS) == pytest.approx(support([SURE], WORDS))


def test_a_sentence_without_a_question_is_rated_by_its_judge():
    """The judge's word stands for the questions, too."""
    assert support([JudgedSentence(0.9)], WORDS) == support([JudgedSentence(0.9, 0.9)], WORDS)


def test_a_reply_that_claims_nothing_has_no_support():
    """There is nothing that could be supported."""
    with pytest.raises(ValueError, match="claims nothing"):
        support([], WORDS)


@given(SENTENCES, LENGTHS)
def test_support_is_a_probability(sentences, words):
    """However sure the judge is, and however long the knowledge."""
    assert 0 < support(sentences, words) < 1


def test_beside_a_sentence_of_knowledge_the_questions_count_most_and_beside_a_page_the_judge():
    """A page answers many questions; a sentence that answers otherwise shows a mistake."""
    by_questions, by_judge = JudgedSentence(0.3, 1.0), JudgedSentence(0.9, 0.4)
    assert support([by_questions], 20) > support([by_judge], 20)
    assert support([by_questions], 300) < support([by_judge], 300)


@given(SENTENCES, LENGTHS)
def test_one_word_more_of_knowledge_never_turns_a_verdict(sentences, words):
    """The weights move on a line between few and many words."""
    assert abs(support(sentences, words) - support(sentences, words + 1)) < 0.1


@given(SENTENCES, SHARES, LENGTHS)
def test_a_reply_gains_nothing_from_a_sentence_that_is_less_sure(sentences, entailment, words):
    """Of more claims more can be wrong."""
    least = min(sentence.entailment for sentence in sentences)
    doubted = JudgedSentence(least * entailment, 0.0)
    assert support([*sentences, doubted], words) <= support(sentences, words) + 1e-9


def test_a_surer_judge_counts_for_more():
    """Its weights were chosen with it; beside long knowledge it decides more than `compact`'s."""
    entailed, not_entailed = (JudgedSentence(entailment) for entailment in (0.9, 0.1))

    def gap(weighting):
        return support([entailed], 500, weighting) - support([not_entailed], 500, weighting)

    assert gap("base") > gap("compact") > 0
