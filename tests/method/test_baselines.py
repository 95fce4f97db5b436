"""Tests that the baselines equal their libraries' values, from 0 to 1, and are defined on odd texts."""

import pytest

from qsquared.errors import Q2Error
from qsquared.method.baselines import bleu, meteor, require_libraries, rouge

TEXT = "the cat sat on the warm mat in the house"


def test_a_copy_is_perfect_and_a_stranger_scores_nothing():
    """For every n-gram metric."""
    assert bleu(TEXT, TEXT) == pytest.approx(1.0)
    assert rouge(TEXT, TEXT) == pytest.approx({"rouge1": 1.0, "rouge2": 1.0, "rouge_l": 1.0})
    assert meteor(TEXT, TEXT) == pytest.approx(1.0, abs=0.01)
    assert rouge("xyz", TEXT) == {"rouge1": 0.0, "rouge2": 0.0, "rouge_l": 0.0}
    assert meteor("xyz", TEXT) == 0.0
    assert bleu("xyz", TEXT) < 0.01


def test_rouge_by_hand():
    """Two of three words shared, one of two bigrams."""
    found = rouge("tea is hot", "tea is cold")
    assert found == pytest.approx({"rouge1": 2 / 3, "rouge2": 1 / 2, "rouge_l": 2 / 3})


def test_meteor_matches_stems_and_no_synonyms():
    """ "runs" is "running"; "car" is not "automobile"."""
    assert meteor("running", "runs") > 0
    assert meteor("car", "automobile") == 0.0


@pytest.mark.parametrize("text", ["", "  ", "…", "日本語", "\u0000", "a" * 5000])
def test_odd_texts_have_a_score(text):
    """Never an error, never out of range."""
    for score in (bleu(text, TEXT), meteor(text, TEXT), *rouge(text, TEXT).values()):
        assert 0.0 <= score <= 1.0


def test_a_missing_library_is_named_with_what_installs_it():
    """The rest of the program works without the extra."""
    with pytest.raises(Q2Error, match="package no-such-library") as found:
        require_libraries("no_such_library")
    assert "'.[evaluation]'" in found.value.hint
