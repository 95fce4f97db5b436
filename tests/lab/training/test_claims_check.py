"""The check of the claims' form, and of how far their labels leak."""

from dataclasses import replace

import pytest

from lab.training.claims.balance import (
    PASSAGES,
    TWINS,
    Claim,
    Drawn,
    Passage,
    Question,
    read_passages,
)
from lab.training.claims.check import complaints, leaks

SOUND = Passage(
    "p1",
    "claims",
    "w1",
    ("The museum opens at nine. Dogs are not allowed.",),
    (Claim("It opens at nine.", "entailment", "paraphrase", "near"),),
    (Question("When does the museum open?", "nine"), Question("Who built it?", None)),
)


@pytest.mark.parametrize("path", [PASSAGES, TWINS], ids=["claims", "twins"])
def test_every_claim_and_question_has_the_right_form(path):
    """No passage is empty, no claim is there twice, each answer is a part of its passage."""
    assert [what for passage in read_passages(path) for what in complaints(passage)] == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"knowledge": ("",)}, "empty"),
        ({"claims": SOUND.claims * 2}, "twice"),
        ({"claims": (Claim("It is old.", "true", "extra", "near"),)}, "unknown label"),
        ({"questions": (Question("When does it open?", "ten"),)}, "no part of it"),
    ],
)
def test_a_wrong_form_is_told(change, told):
    """One complaint says what is wrong with the passage."""
    assert list(complaints(SOUND)) == []
    (found, *_) = complaints(replace(SOUND, **change))
    assert told in found


def test_a_word_that_gives_labels_away_is_a_leak():
    """Of claims that say "only" where they are false the claim alone tells the label."""

    def rows(word: str) -> list[Drawn]:
        made = []
        for n in range(60):
            passage = replace(SOUND, id=f"p{n}")
            label = "entailment" if n % 2 else "contradiction"
            text = f"The museum {'' if n % 2 else word} opens at nine number{n}"
            made.append(Drawn(passage, Claim(text, label, "scope", "near")))
        return made

    assert leaks(rows("only"))[1] is False
    assert leaks(rows(""))[1] is True
