"""How near the words of a claim stand to each other in the knowledge."""

from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.proximity import _least, proximity

KNOWLEDGE = [
    "A contractor of the city brings the cable to the outside wall.",
    "Our technician drills through the wall and connects the router.",
]
TEXTS = st.text("abc de. 12", max_size=40)


def test_words_that_stand_apart_in_the_knowledge_are_less_near():
    """Who brings and who drills is exchanged, and every word is kept."""
    right = "The city's contractor brings the cable, and the technician drills."
    exchanged = "The city's technician brings the cable, and the contractor drills."
    assert proximity(exchanged, KNOWLEDGE) < proximity(right, KNOWLEDGE) - 0.02


def test_the_knowledge_itself_is_as_near_as_can_be():
    """More than a claim of which the knowledge has no two words."""
    assert proximity(KNOWLEDGE[0], KNOWLEDGE) > 0.7


def test_a_claim_in_other_words_is_neither_near_nor_far():
    """Nothing is known of it."""
    assert proximity("Someone else will be at your flat before noon.", KNOWLEDGE) == 0.5


def test_two_passages_stand_further_apart_than_two_sentences():
    """They need not be of the same thing."""
    first, second = "Anna paints portraits.", "Berta carves statues."
    claim = "Anna carves."
    assert proximity(claim, [first, second]) < proximity(claim, [f"{first} {second}"])


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_proximity_is_a_share(claim, knowledge):
    """Of whatever text."""
    assert 0 < proximity(claim, knowledge) <= 1


@given(st.lists(st.integers(0, 99), min_size=1), st.lists(st.integers(0, 99), min_size=1))
def test_the_least_distance_is_found_by_walking_both_once(first, second):
    """As by comparing each with each."""
    least = min(abs(a - b) for a in first for b in second)
    assert _least(sorted(first), sorted(second)) == least
