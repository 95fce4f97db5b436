"""Tests of the cleaning of answers, token F1 and exact match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.q2.token_f1 import clean_answer, exact_match, token_f1


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("The Joy of Painting", "joy of painting"),
        ("in the U.S.", "us"),
        ("our  house", "house"),
        ("An inn in Anna's land", "inn annas land"),
        ("1,930 's", "1930 s"),
        ("The", ""),
        ("", ""),
    ],
)
def test_cleaning_follows_the_published_code(text, cleaned):
    """Case, ASCII punctuation, a/an/the/in/our and doubled spaces go; inner words stay."""
    assert clean_answer(text) == cleaned


@pytest.mark.parametrize(
    ("gold", "predicted", "f1"),
    [
        ("the red car", "red car", 1.0),
        ("red car", "car", 2 / 3),
        ("a b c d", "b c x", 2 * (2 / 3) * (2 / 3) / (4 / 3)),
        ("red red car", "red car car", 2 / 3),
        ("red", "blue", 0.0),
        ("red", "", 0.0),
        ("the", "the", 0.0),
    ],
)
def test_token_f1_counts_shared_tokens_as_a_multiset(gold, predicted, f1):
    """Worked examples of token F1 after cleaning, empty answers scoring 0."""
    assert token_f1(gold, predicted) == pytest.approx(f1)


@given(st.text(max_size=30), st.text(max_size=30))
def test_token_f1_is_symmetric_and_bounded(first, second):
    """F1 is in [0, 1], does not depend on which answer is gold, and is 1 for an exact match."""
    f1 = token_f1(first, second)
    assert 0.0 <= f1 <= 1.0
    assert f1 == pytest.approx(token_f1(second, first))
    if exact_match(first, second):
        assert f1 == pytest.approx(1.0)


def test_two_answers_that_clean_to_nothing_do_not_match():
    """ "The" and "our" are not the same answer, though both clean to the empty text."""
    assert not exact_match("The", "our")
