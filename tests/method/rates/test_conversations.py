"""Tests of what turns of conversations are worth, by judgements."""

import numpy as np
import pytest

from qsquared.method.rates.estimate import independent_turns


def talks(alike, judged=1.0, seed=0):
    """100 conversations of four turns, which are alike or not, and of which a part is judged."""
    rng = np.random.default_rng(seed)
    conversations = np.repeat(np.arange(100), 4)
    wrong = rng.random(100)[conversations] < 0.3 if alike else rng.random(400) < 0.3
    known = np.where(rng.random(400) < judged, wrong.astype(float), np.nan)
    share = float(np.nanmean(known))
    return independent_turns(np.ones(400), conversations, np.ones(400), known, share)


def test_conversations_of_equal_verdicts_are_one_turn_each():
    """Four turns that are always alike say what one says, also where half of them are judged."""
    assert talks(alike=True) == pytest.approx(100, rel=0.1)
    assert talks(alike=True, judged=0.5) == pytest.approx(100, rel=0.15)


def test_conversations_of_unlike_verdicts_lose_little():
    """Turns that have nothing to do with each other are worth nearly their number."""
    assert 320 < talks(alike=False) <= 400


def test_too_few_judged_pairs_say_nothing():
    """A few pairs are noise; without a conversation each turn is one."""
    assert talks(alike=True, judged=0.05) == 400
    nothing = np.zeros(0)
    assert independent_turns(np.ones(9), nothing.astype(int), nothing, nothing, 0.3) == 9
