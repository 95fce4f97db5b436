"""Comparison of two answers, the mean over questions, and the fallback."""

import pytest

from qsquared.method.q2.comparison import Comparison, compare_answers, entailment_request
from qsquared.method.q2.score import fallback_request, mean_over_questions
from qsquared.method.q2.second_look import verdict_on_span
from qsquared.method.q2.token_f1 import clean_passages, stands_in
from qsquared.method.values.compare import decide
from qsquared.records import InferenceRequest, Judgement

ENTAILED = Judgement(0.8, 0.1, 0.1)
NEUTRAL = Judgement(0.1, 0.8, 0.1)
CONTRADICTED = Judgement(0.1, 0.1, 0.8)


def test_nli_is_asked_in_the_form_question_answer():
    """The knowledge's answer is the premise, the span the hypothesis."""
    assert entailment_request("Who paints?", "Bob", "Robert Ross") == InferenceRequest(
        "Who paints? Robert Ross.", "Who paints? Bob."
    )


@pytest.mark.parametrize("knowledge_answer", [None, "the Red car"])
def test_nli_is_not_asked_where_the_answer_decides(knowledge_answer):
    """A missing answer scores 0 and an equal one 1 without NLI."""
    assert entailment_request("What?", "a red car", knowledge_answer) is None


@pytest.mark.parametrize(
    ("span", "found", "judgement", "score", "f1", "verdict"),
    [
        ("red car", "the red car", None, 1.0, 1.0, "supported"),
        ("red car", None, None, 0.0, 0.0, "no_answer"),
        ("red car", "automobile", ENTAILED, 1.0, 0.0, "supported"),
        ("red car", "blue car", CONTRADICTED, 0.0, 0.5, "contradicted"),
        ("red car", "blue car", NEUTRAL, 0.5, 0.5, "partial"),
    ],
)
def test_each_case_of_the_comparison(span, found, judgement, score, f1, verdict):
    """The five cases of section 2 give their score and the token F1."""
    got = compare_answers(span, found, judgement)
    assert (got.score, got.token_f1, got.verdict) == (score, pytest.approx(f1), verdict)


def test_the_knowledge_contradicts_no_pronoun():
    """By our rules its verdict is that of no answer, at the same score; the paper's have no verdict."""
    found = compare_answers("You", "Books", CONTRADICTED)
    told = verdict_on_span(found, "You")
    assert (told.score, told.verdict) == (found.score, "no_answer")
    assert verdict_on_span(found, "Your books") == found


@pytest.mark.parametrize(
    ("span", "found", "score", "verdict"),
    [
        ("more than 50", "51", 1.0, "supported"),
        ("4.1 %", "41 %", 0.0, "contradicted"),
        ("27 April 2020", "April 27", 0.8, "partial"),
        ("1995", "the 1990s", 0.5, "partial"),
    ],
)
def test_values_decide_before_the_judge_is_asked(span, found, score, verdict):
    """The verdict is by value, and token F1 stays what it is."""
    decision = decide(span, found)
    assert entailment_request("What?", span, found, decision) is None
    got = compare_answers(span, found, None, decision)
    assert (got.score, got.verdict, got.decided_by) == (pytest.approx(score), verdict, "values")
    assert got.token_f1 == compare_answers(span, found, NEUTRAL).token_f1


def test_equal_words_do_not_decide_where_values_may_differ():
    """Cleaning drops the signs of money and percent."""
    assert entailment_request("What?", "$5", "5%") is None
    assert entailment_request("What?", "$5", "5%", decide("$5", "5%")) is not None


def test_the_score_of_a_response_is_the_mean_over_its_questions():
    """With and without NLI are averaged over the same questions."""
    got = mean_over_questions(
        [Comparison(0.5, False, 1.0, "supported"), Comparison(0, False, 0, "no_answer")]
    )
    assert (got.q2, got.q2_without_nli) == (0.5, 0.25)


def test_no_question_is_no_mean():
    """A response without valid question cannot be averaged by mistake."""
    with pytest.raises(ValueError, match="fallback"):
        mean_over_questions([])


def test_the_fallback_takes_the_knowledge_as_premise_by_default():
    """Passages are joined; the direction of the paper's text is a parameter."""
    assert fallback_request("r", ["k1", "k2"]) == InferenceRequest("k1 k2", "r")
    assert fallback_request("r", ["k"], "response") == InferenceRequest("r", "k")
    with pytest.raises(ValueError, match="hypothesis"):
        fallback_request("r", ["k"], "hypothesis")


def test_a_tie_between_labels_goes_to_the_first_named():
    """Equal probabilities give a stable label."""
    assert Judgement(0.4, 0.2, 0.4).label == "entailment"


def test_the_words_of_a_span_may_stand_in_the_knowledge():
    """Whole words after cleaning, in one passage."""
    passages = clean_passages(["You may take a checked bag.", "Fog is common."])
    assert stands_in(passages, "A checked bag")
    assert not stands_in(passages, "checked bags")
    assert not stands_in(passages, "bag fog")
    assert not stands_in(passages, "the")
