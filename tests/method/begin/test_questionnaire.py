"""BEGIN's questionnaire: the branches of appendix A and the precedence of appendix B."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.begin.questionnaire import QUESTIONS, annotated_label, first_mistake, is_asked
from qsquared.method.begin.taxonomy import LABELS

FAITHFUL = {
    "same_topic": "5",
    "cooperative": "4",
    "personal": "1",
    "informative": "5",
    "contradicting": "1",
    "supported": "5",
}

any_answers = st.fixed_dictionaries(
    {question.name: st.sampled_from(question.answers) for question in QUESTIONS}
)


@pytest.mark.parametrize(
    ("changes", "label"),
    [
        ({}, "entailment"),
        ({"same_topic": "3", "kind": "both", "personal": "5"}, "generic"),
        ({"same_topic": "1", "kind": "off-topic", "supported": "1"}, "off-topic"),
        ({"same_topic": "2", "kind": "neither"}, "entailment"),
        ({"personal": "4"}, "hallucination"),
        ({"contradicting": "5", "supported": "3"}, "hallucination"),
        ({"contradicting": "4"}, "contradiction"),
        ({"informative": "2"}, "hallucination"),
    ],
)
def test_the_first_rule_that_holds_gives_the_label(changes, label):
    """Generic or off-topic, then hallucination, then contradiction, then entailment."""
    assert annotated_label(FAITHFUL | changes) == label


@given(any_answers, st.sampled_from("12345"))
def test_being_cooperative_decides_nothing(answers, other):
    """It is asked, since the paper asks it, and kept beside the label."""
    assert annotated_label(answers) == annotated_label(answers | {"cooperative": other})


@given(any_answers)
def test_answers_off_their_branch_do_not_count(answers):
    """The label is that of the asked questions alone, and one of the five."""
    asked = {one.name: answers[one.name] for one in QUESTIONS if is_asked(one, answers)}
    assert annotated_label(asked) == annotated_label(answers)
    assert annotated_label(asked) in LABELS
    assert first_mistake(asked) == ""


def test_a_question_is_asked_on_its_branch_only():
    """The question on informative sentences is asked of those alone."""
    names = {one.name for one in QUESTIONS if is_asked(one, FAITHFUL)}
    assert names == set(FAITHFUL)
    personal = FAITHFUL | {"personal": "5"}
    names = {one.name for one in QUESTIONS if is_asked(one, personal)}
    assert names == {"same_topic", "cooperative", "personal"}


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"same_topic": ""}, "same_topic"),
        ({"same_topic": "2"}, "kind"),
        ({"personal": "6"}, "personal"),
        ({"supported": ""}, "supported"),
    ],
)
def test_the_first_missing_answer_is_named(changes, name):
    """Also one that an earlier answer asks for."""
    assert first_mistake(FAITHFUL | changes) == name
