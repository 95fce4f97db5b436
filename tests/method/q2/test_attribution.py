"""Tests that the points that a response lost are divided among its spans without a rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.q2.explaining.attribution import GRAVITY, Questioned, attribute, doubt, worst

questions = st.lists(
    st.builds(
        Questioned,
        st.integers(0, 5),
        st.floats(0.0, 1.0, allow_subnormal=False),
        st.sampled_from(GRAVITY),
    ),
    min_size=1,
    max_size=12,
)


def test_a_worked_example():
    """Four questions about three spans: 0 and 1 on the first, 0.4 on the second, 1 on the third."""
    asked = [
        Questioned(0, 0.0, "contradicted"),
        Questioned(0, 1.0, "supported"),
        Questioned(1, 0.4, "partial"),
        Questioned(2, 1.0, "supported"),
    ]
    first, second, third = attribute(asked)
    assert (first.span_index, first.questions, first.verdict) == (0, 2, "contradicted")
    assert (first.score, first.pull) == (0.5, 0.25)
    assert first.without == pytest.approx(0.7)
    assert (second.span_index, second.pull) == (1, pytest.approx(0.15))
    assert second.without == pytest.approx(2 / 3)
    assert (third.span_index, third.pull, third.verdict) == (2, 0.0, "supported")
    assert third.without == pytest.approx(1.4 / 3)


@given(questions)
def test_the_pulls_add_up_to_what_is_lacking(asked):
    """The sum over the spans is 1 - Q², whatever was asked."""
    q2 = sum(question.score for question in asked) / len(asked)
    shares = attribute(asked)
    assert sum(share.pull for share in shares) == pytest.approx(1.0 - q2)
    assert sum(share.questions for share in shares) == len(asked)
    assert [share.pull for share in shares] == sorted((s.pull for s in shares), reverse=True)


@given(questions)
def test_without_a_span_is_the_mean_over_the_others(asked):
    """Leaving a span's questions out and taking the mean anew gives the same."""
    for share in attribute(asked):
        others = [q.score for q in asked if q.span_index != share.span_index]
        assert share.without == (pytest.approx(sum(others) / len(others)) if others else None)


def test_nothing_asked_gives_no_shares():
    """The fallback judges a response as a whole."""
    assert attribute([]) == []


@given(st.floats(0, 1), st.floats(0, 1))
def test_of_two_spans_the_one_with_the_lower_score_is_doubted_more(one, other):
    """Of equal scores the one whose words the knowledge lacks; without a question it counts a half."""
    doubts = [doubt(score, stands_in=True) for score in (one, other)]
    assert (doubts[0] > doubts[1]) == (one < other) or one == pytest.approx(other)
    assert doubt(one, stands_in=False) > doubt(one, stands_in=True)
    assert doubt(None, stands_in=True) == doubt(0.5, stands_in=True)


def test_the_gravest_verdict_counts():
    """The gravest of contradicted, missing, partial and supported counts; without one it is None."""
    assert worst(["supported", "no_answer", "contradicted"]) == "contradicted"
    assert worst(["supported", None, "no_answer"]) == "no_answer"
    assert worst([None]) is None
