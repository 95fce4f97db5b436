"""Tests of the second look: what the answers decide against the reply, judged by its sentence."""

import pytest

from qsquared.method.q2.comparison import Comparison
from qsquared.method.q2.second_look import is_refuted, look_again

NO_ANSWER = Comparison(
    0.0, exact_match=False, score=0.0, verdict="no_answer", decided_by="no_answer"
)
CONTRADICTED = Comparison(0.2, exact_match=False, score=0.0, verdict="contradicted")
PARTIAL = Comparison(0.6, exact_match=False, score=0.6, verdict="partial")


@pytest.mark.parametrize("compared", [NO_ANSWER, CONTRADICTED])
def test_a_question_of_an_entailed_sentence_is_supported_by_it(compared):
    """Its score is the probability of entailment; the score without NLI stays."""
    got = look_again(compared, 0.8)
    assert (got.score, got.verdict, got.decided_by) == (0.8, "supported", "sentence")
    assert got.token_f1 == compared.token_f1


def test_a_question_of_another_sentence_keeps_its_verdict():
    """Only the score tells how far the sentence is from being entailed."""
    got = look_again(NO_ANSWER, 0.3)
    assert (got.score, got.verdict, got.decided_by) == (0.3, "no_answer", "no_answer")


def test_a_second_look_lowers_no_score():
    """It is for what the answers decide against the reply."""
    supported = Comparison(
        1.0, exact_match=True, score=1.0, verdict="supported", decided_by="tokens"
    )
    assert look_again(supported, 0.1) is supported
    assert look_again(PARTIAL, 0.5) is PARTIAL


def test_what_the_values_decided_stands():
    """A judge reads numbers worse than a parser of quantities."""
    by_value = Comparison(
        0.5, exact_match=False, score=0.0, verdict="contradicted", decided_by="values"
    )
    assert look_again(by_value, 0.9) is by_value
    assert is_refuted(by_value, "noun_chunk")


def test_another_name_refutes_and_another_noun_phrase_does_not():
    """Questions about noun phrases often have several right answers."""
    assert is_refuted(CONTRADICTED, "entity")
    assert not is_refuted(CONTRADICTED, "noun_chunk")
    assert not is_refuted(NO_ANSWER, "entity")
