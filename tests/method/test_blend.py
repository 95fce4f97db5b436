"""The blend of Q² with end-to-end NLI and token overlap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.baselines import blend, expected_nli
from qsquared.records import Judgement

SHARES = st.floats(0, 1)
WORDS = st.lists(st.sampled_from(["mill", "bell", "Oslo", "1904"]), max_size=6).map(" ".join)


@pytest.mark.parametrize(
    ("judgement", "expected"),
    [
        (Judgement(1.0, 0.0, 0.0), 1.0),
        (Judgement(0.0, 1.0, 0.0), 0.5),
        (Judgement(0.0, 0.0, 1.0), 0.0),
        (Judgement(0.5, 0.25, 0.25), 0.625),
    ],
)
def test_expected_nli_is_the_papers_score_in_expectation(judgement, expected):
    """A certain judgement scores as the paper's baseline does: 1, 0.5 or 0."""
    assert expected_nli(judgement) == pytest.approx(expected)


def test_the_blend_is_the_mean_of_its_parts():
    """Worked by hand: Q² 1, NLI 0.5, and one of two words shared with each side."""
    made = blend(1.0, Judgement(0.0, 1.0, 0.0), "old mill", ["new", "mill"])
    assert (made.q2, made.nli, made.token_f1) == (1.0, 0.5, 0.5)
    assert made.blend == pytest.approx(2 / 3)


@given(SHARES, SHARES, WORDS, st.lists(WORDS, max_size=3))
def test_a_blend_is_between_its_parts(q2, entailment, response, knowledge):
    """No part can carry it out of [0, 1]."""
    made = blend(q2, Judgement(entailment, 1 - entailment, 0.0), response, knowledge)
    parts = (made.q2, made.nli, made.token_f1)
    assert 0 <= min(parts) <= made.blend + 1e-9
    assert made.blend - 1e-9 <= max(parts) <= 1 + 1e-9
