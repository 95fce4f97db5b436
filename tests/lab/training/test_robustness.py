"""Tests of misspelt replies, which keep their meaning."""

import json
import random

import pytest

from lab.training.robustness import SPELLINGS, faithful_turns, respell

REPLY = "The museum doesn't open before 10:00, and guided tours (in English) start at 15:30."


def letters(text):
    """Return the sorted letters without case, spaces and punctuation."""
    return sorted(character for character in text.lower() if character.isalnum())


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_spelling_keeps_every_letter_and_digit(name):
    """Nothing is added and nothing left out."""
    assert letters(SPELLINGS[name](REPLY, random.Random(1))) == letters(REPLY)


@pytest.mark.parametrize("name", [name for name in SPELLINGS if name != "as logged"])
def test_a_spelling_is_another_one(name):
    """Each changes the text."""
    text = REPLY.replace(" ", "  ", 1) if name == "tokenised" else REPLY
    assert SPELLINGS[name](text, random.Random(1)) != text


def test_a_typo_spares_names_and_numbers():
    """A name with a typo would be another name."""
    for seed in range(50):
        spelled = SPELLINGS["one typo"]("Anna Skarholm was there in 1904.", random.Random(seed))
        assert "Anna Skarholm was" in spelled
        assert "1904" in spelled


def test_only_faithful_turns_are_respelled(tmp_path):
    """Broken rows and other turns are left out, and the knowledge stays as it is."""
    log = tmp_path / "log.jsonl"
    rows = [
        {"response": "A bell.", "knowledge": "A bell rings.", "expected": "faithful"},
        {"response": "No bell.", "knowledge": "A bell rings.", "expected": "contradiction"},
    ]
    log.write_text("\n".join([json.dumps(rows[0]), "{broken", json.dumps(rows[1]), "3"]))
    (turn,) = faithful_turns([log])
    (item,) = respell([turn], "upper case", seed=1)
    assert (item.response, item.knowledge) == ("A BELL.", "A bell rings.")
