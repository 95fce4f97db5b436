"""The probability that all that a reply says is supported."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.support import JudgedSentence, parts, support, support_of_each

SURE, WRONG = JudgedSentence(0.95, 0.02, 1.0), JudgedSentence(0.05, 0.8, 0.1)
WORDS = 100
LENGTHS = st.integers(0, 5000)
SHARES = st.floats(0, 1)
SENTENCES = st.lists(
    st.builds(JudgedSentence, SHARES, SHARES, st.none() | SHARES, st.booleans()),
    min_size=1,
    max_size=6,
)


def test_one_wrong_sentence_of_three_costs_a_reply_more_than_its_share():
    """It falls by more than a third, where a mean over questions would leave it two thirds."""
    assert support([SURE, SURE, SURE], WORDS) > 0.8
    assert support([SURE, WRONG, SURE], WORDS) < support([SURE, SURE, SURE], WORDS) * 2 / 3


def test_a_reply_is_supported_as_its_one_sentence_is():
    """The same model rates sentences and replies, and agreement of sentences changes little."""
    assert support([SURE, SURE], WORDS) == pytest.approx(support([SURE], WORDS), abs=0.1)


def test_a_sentence_without_a_question_is_rated_by_its_judge():
    """The judge's word stands for the questions, too."""
    alone, asked = JudgedSentence(0.9, 0.05), JudgedSentence(0.9, 0.05, 0.9)
    assert support([alone], WORDS) == support([asked], WORDS)


def test_what_the_knowledge_contradicts_is_less_supported_than_what_it_leaves_open():
    """Of two claims that are equally entailed."""
    contradicted, left_open = JudgedSentence(0.2, 0.7, 0.5), JudgedSentence(0.2, 0.1, 0.5)
    assert support([contradicted], WORDS) < support([left_open], WORDS)


def test_a_reply_of_which_one_thing_asked_about_is_not_in_the_knowledge_is_less_supported():
    """Even where its questions are answered alike."""
    stands, elsewhere = (
        JudgedSentence(0.8, 0.1, 0.9),
        JudgedSentence(0.8, 0.1, 0.9, in_knowledge=False),
    )
    assert support([stands, elsewhere], WORDS) < support([stands, stands], WORDS)


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
    by_questions, by_judge = JudgedSentence(0.3, 0.4, 1.0), JudgedSentence(0.9, 0.05, 0.4)
    assert support([by_questions], 20) > support([by_judge], 20)
    assert support([by_questions], 300) < support([by_judge], 300)


@given(SENTENCES, LENGTHS)
def test_one_word_more_of_knowledge_never_turns_a_verdict(sentences, words):
    """The weights move on a line between few and many words."""
    assert abs(support(sentences, words) - support(sentences, words + 1)) < 0.1


@given(SENTENCES, SHARES, LENGTHS)
def test_a_reply_all_of_which_stands_in_the_knowledge_gains_nothing_from_a_doubted_sentence(
    sentences, entailment, words
):
    """Of more claims more can be wrong."""
    standing = [replace(sentence, in_knowledge=True) for sentence in sentences]
    least = min(sentence.entailment for sentence in sentences)
    doubted = JudgedSentence(least * entailment, 0.0, 0.0)
    assert support([*standing, doubted], words) <= support(standing, words) + 1e-9


def test_a_surer_judge_counts_for_more():
    """Its weights were chosen with it; beside long knowledge it decides more than `compact`'s."""
    entailed, not_entailed = JudgedSentence(0.9, 0.05), JudgedSentence(0.1, 0.45)

    def gap(weighting):
        return support([entailed], 500, weighting) - support([not_entailed], 500, weighting)

    assert gap("base") > gap("compact") > 0


def test_the_mean_is_over_the_questions_of_all_sentences_as_q2_is():
    """A sentence about which nothing can be asked, such as an opinion, takes nothing from it."""
    asked = JudgedSentence(0.9, 0.05, 1.0, questions=3)
    other, opinion = JudgedSentence(0.4, 0.1, 0.0), JudgedSentence(0.1, 0.1)
    assert parts([asked, other]).q2 == parts([asked, other, opinion]).q2 == 0.75
    assert parts([opinion]).q2 == 0.1


@given(SENTENCES, LENGTHS)
def test_no_claim_is_less_surely_supported_than_all_of_them(sentences, words):
    """The only claim of a reply is as surely supported as the reply."""
    each, whole = support_of_each(sentences, words), support(sentences, words)
    assert min(each) >= whole - 1e-12
    assert len(sentences) > 1 or each == pytest.approx([whole])


def test_a_claim_among_others_is_more_often_true_than_one_alone():
    """If half of all replies of two claims are supported, 0.71 of these claims are."""
    doubted = JudgedSentence(0.5, 0.2, 0.5)
    (alone,), (one, _) = support_of_each([doubted], 80), support_of_each([doubted] * 2, 80)
    usual = 0.5**0.5
    assert one / (1 - one) == pytest.approx(alone / (1 - alone) * usual / (1 - usual))


def test_a_reply_without_a_claim_has_no_support_of_each():
    """It is an error, as for the whole reply."""
    with pytest.raises(ValueError, match="claims nothing"):
        support_of_each([], 80)
