"""Claims that are a sentence of the knowledge with words left out."""

import pytest

from qsquared.method.knowledge.evidence import judgement_of_claim
from qsquared.method.knowledge.shortened import is_shortened
from qsquared.records import Judgement

KNOWLEDGE = (
    "The old ferry to Holm, built in 1962, sails daily from pier 4 and costs €1,500 a day to run.",
    "Dogs don't pay. Tickets are refunded if the ferry is full. It is a myth that bags are free of charge.",
)


@pytest.mark.parametrize(
    "claim",
    [
        "The ferry to Holm sails daily from pier 4 and costs €1,500 to run.",
        "built in 1962, sails daily",
        "The ferry, built in 1962, sails daily from pier 4 and costs €1,500.",
    ],
)
def test_words_are_left_out_of_one_sentence(claim):
    """Anywhere, as long as half of it is left or the words follow each other."""
    assert is_shortened(claim, KNOWLEDGE)


@pytest.mark.parametrize(
    "claim",
    [
        "The ferry to Holm costs €500 to run.",
        "The ferry to Holm costs $1,500 a day to run.",
        "Pier 4 sails daily to Holm from the old ferry.",
        "The ferry costs €1,500 a day.",
        "Tickets are refunded.",
        "Dogs do pay at the ferry.",
        "Bags are free of charge.",
        "The ferry to Holm sails daily from pier 4 and bags are free of charge.",
    ],
)
def test_other_words_orders_and_limits_that_are_left_out_make_another_claim(claim):
    """A number is one word, and what denies or sets a condition is no word to leave out."""
    assert not is_shortened(claim, KNOWLEDGE)


def test_a_shortened_claim_is_doubted_less():
    """The probabilities of the other labels lose by how seldom their claims are shortened ones."""
    doubted = [Judgement(0.3, 0.3, 0.4)]
    found = judgement_of_claim(doubted, shortened=True)
    assert found.entailment == pytest.approx(0.3 / (0.3 + 0.7 * 0.02))
    assert judgement_of_claim(doubted) == doubted[0]
