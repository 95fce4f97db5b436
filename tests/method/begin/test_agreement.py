"""Agreement of annotators by BEGIN's questionnaire: of the labels and of each question."""

import pytest

from qsquared.method.begin.agreement import MEAN, agreement

ANSWERS = {
    "same_topic": "5",
    "cooperative": "5",
    "personal": "1",
    "informative": "5",
    "contradicting": "1",
    "supported": "5",
}


def filled(*cooperative):
    """Two annotators on each sentence, who differ in how cooperative it is."""
    return [
        (who, str(sentence), {**ANSWERS, "cooperative": answer})
        for sentence, pair in enumerate(cooperative)
        for who, answer in zip(("ann", "bob"), pair, strict=True)
    ]


def test_answers_that_are_near_on_the_scale_agree_more():
    """A 4 beside a 5 counts less than a 1, as in the paper."""
    question = "question 2, cooperative"
    near = agreement(filled(("5", "4"), ("1", "1")))[question]
    far = agreement(filled(("5", "1"), ("1", "1")))[question]
    assert near == pytest.approx(0.941, abs=1e-3)
    assert far < near


def test_a_question_counts_only_among_those_who_were_asked_it():
    """An answer off its branch is none, and a sentence with one answer says nothing."""
    found = agreement(filled(("5", "4"), ("1", "1")))
    assert found["question 1a, kind"] == "not defined, as no sentence has two annotators"
    assert found["question 1, same_topic"] == "not defined, as all answers are the same"
    assert found[MEAN] == found["question 2, cooperative"]
