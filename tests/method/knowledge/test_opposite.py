"""Clauses of the knowledge that say the opposite of a claim."""

from collections import Counter

import pytest

from lab.training.passages import read_passages
from qsquared.method.knowledge.clauses import opposed

WEEK = "The library is open Monday to Friday, 9 am to 6 pm. It is closed on Sundays and public holidays."


@pytest.mark.parametrize(
    ("claim", "knowledge", "opposite"),
    [
        ("Yes, it is open on Sundays.", WEEK, "It is closed on Sundays"),
        (
            "Breakfast is included in the price, and parking is free.",
            "Breakfast is not included in the room price.",
            "Breakfast is not included in the room price.",
        ),
        (
            "Dogs are allowed in the garden.",
            "Dogs are forbidden in the garden; they are allowed in the hall.",
            "Dogs are forbidden in the garden",
        ),
    ],
)
def test_a_clause_with_the_opposite_state_or_a_negation_is_the_opposite(claim, knowledge, opposite):
    """It speaks of the same."""
    assert opposed(claim, [knowledge])[0] == opposite


@pytest.mark.parametrize(
    ("claim", "knowledge"),
    [
        ("The library is closed on Sundays.", WEEK),
        ("The library is open on Tuesdays.", WEEK),
        ("Dogs are allowed in the hall.", "Dogs are allowed in the hall but not in the garden."),
        ("The path is not open.", "The path is closed."),
        ("Open!", "Closed."),
    ],
    ids=["same state", "other day", "other place", "a negation of the opposite", "one word"],
)
def test_what_the_knowledge_does_not_deny_has_no_opposite(claim, knowledge):
    """A clause that says the same of as many words weighs as much."""
    assert opposed(claim, [knowledge]) is None


def test_claims_that_the_knowledge_contradicts_have_opposites_oftener_than_entailed_ones():
    """Of passages that are kept apart, twice as often and more."""
    found, everything = Counter(), Counter()
    for passage in read_passages():
        for claim in passage.claims if passage.kept_apart else ():
            everything[claim.label] += 1
            found[claim.label] += opposed(claim.text, passage.knowledge) is not None
    rate = {label: found[label] / number for label, number in everything.items()}
    assert rate["contradiction"] > 2 * rate["entailment"] > 0
