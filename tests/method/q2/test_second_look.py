"""Tests of the second look at a question: the judgement of its whole sentence."""

from dataclasses import replace

import pytest

from qsquared.method.q2.comparison import Comparison
from qsquared.method.q2.second_look import is_refuted, look_again

SUPPORTED = Comparison(0.4, exact_match=False, score=1.0, verdict="supported")
NO_ANSWER = Comparison(
    0.0, exact_match=False, score=0.0, verdict="no_answer", decided_by="no_answer"
)
CONTRADICTED = Comparison(0.2, exact_match=False, score=0.0, verdict="contradicted")
PARTIAL = Comparison(0.6, exact_match=False, score=0.6, verdict="partial")


def test_an_answered_question_scores_the_mean_of_its_score_and_of_its_sentences():
    """The sentence's is what the paper's fallback would give it, 1, 1/2 or 0, as the judge expects."""
    assert look_again(SUPPORTED, 0.8, 0.0).score == pytest.approx((1 + 0.9) / 2)
    assert look_again(PARTIAL, 0.1, 0.3).score == pytest.approx((0.6 + 0.4) / 2)
    equal_values = replace(SUPPORTED, decided_by="values")
    assert look_again(equal_values, 0.2, 0.2).score == pytest.approx((1 + 0.5) / 2)


@pytest.mark.parametrize(("compared", "score"), [(NO_ANSWER, 0.8), (CONTRADICTED, 0.825)])
def test_a_question_of_an_entailed_sentence_is_supported_by_it(compared, score):
    """It is raised to the probability of entailment; the score without NLI stays."""
    got = look_again(compared, 0.8, 0.1)
    assert (got.score, got.verdict, got.decided_by) == (
        pytest.approx(score),
        "supported",
        "sentence",
    )
    assert got.token_f1 == compared.token_f1


def test_a_question_of_another_sentence_keeps_its_verdict():
    """Only the score tells how far the sentence is from being entailed."""
    got = look_again(NO_ANSWER, 0.3, 0.6)
    assert (got.score, got.verdict, got.decided_by) == (0.3, "no_answer", "no_answer")


def test_a_question_that_only_the_judge_supports_loses_by_a_contradicted_sentence():
    """It loses the probability of contradiction, and keeps its verdict."""
    got = look_again(SUPPORTED, 0.1, 0.8)
    assert (got.score, got.verdict, got.decided_by) == (
        pytest.approx((0.2 + 0.15) / 2),
        "supported",
        "nli",
    )
    assert look_again(SUPPORTED, 1.0, 0.0) == SUPPORTED


@pytest.mark.parametrize(("contradiction", "score"), [(0.0, 1.0), (0.2, 0.9984), (0.9, 0.3439)])
def test_equal_answers_lose_where_the_judge_is_sure_of_a_contradiction(contradiction, score):
    """The reader found the span's own words in the knowledge, but does not see a "not" beside them."""
    equal = replace(SUPPORTED, exact_match=True, decided_by="tokens")
    got = look_again(equal, 0.1, contradiction)
    mean = (score + (1.1 - contradiction) / 2) / 2
    assert (got.score, got.verdict, got.decided_by) == (pytest.approx(mean), "supported", "tokens")


def test_a_question_gains_nothing_in_a_sentence_with_another_name():
    """It may still lose."""
    assert look_again(NO_ANSWER, 0.9, 0.0, refuted=True) is NO_ANSWER
    assert look_again(SUPPORTED, 0.9, 0.5, refuted=True).score == pytest.approx((0.5 + 0.7) / 2)


def test_a_score_above_the_probability_of_entailment_is_not_lowered_to_it():
    """The second look at what the answers leave open only raises, before the mean is taken."""
    assert look_again(PARTIAL, 0.5, 0.4).score == pytest.approx((0.6 + 0.55) / 2)


def test_what_the_values_decided_stands():
    """A judge reads numbers worse than a parser of quantities."""
    by_value = Comparison(
        0.5, exact_match=False, score=0.0, verdict="contradicted", decided_by="values"
    )
    assert look_again(by_value, 0.9, 0.1) is by_value
    assert is_refuted(by_value, "noun_chunk", 0.9, in_knowledge=True)


def test_another_name_refutes_and_another_noun_phrase_does_not():
    """Questions about noun phrases often have several right answers."""
    assert is_refuted(CONTRADICTED, "entity", 0.9, in_knowledge=False)
    assert is_refuted(CONTRADICTED, "entity", 0.4, in_knowledge=True)
    assert not is_refuted(CONTRADICTED, "noun_chunk", 0.4, in_knowledge=False)
    assert not is_refuted(NO_ANSWER, "entity", 0.4, in_knowledge=False)


def test_a_name_of_the_knowledge_does_not_refute_a_sentence_that_it_entails():
    """The question had two right answers ("Who directed it?")."""
    assert not is_refuted(CONTRADICTED, "entity", 0.6, in_knowledge=True)
