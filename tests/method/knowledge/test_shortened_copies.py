"""Claims that are a sentence of the knowledge with words left out."""

import pytest

from lab.training.passages import read_passages
from qsquared.method.knowledge.copies import is_shortened
from qsquared.method.knowledge.evidence import judgement_of_claim
from qsquared.records import Judgement

KNOWLEDGE = (
    "Half of the bags are lost. Orbis was bought by Zeta Holding in 2019. Tom, who succeeded Ann, became king.",
    "Do dogs need a ticket? The staff denied that it had sold any data. It costs 12-15 euros, which is non-toxic.",
    "The old ferry to Holm, built in 1962, sails daily from pier 4 and costs €1,500 a day to run.",
    "Dogs don't pay. Tickets are refunded if the ferry is full. It is a myth that bags are free of charge.",
)


@pytest.mark.parametrize(
    "claim",
    [
        "The ferry to Holm sails daily from pier 4 and costs €1,500 to run.",
        "built in 1962, sails daily",
        "An old ferry to Holm, built in 1962, sails daily from the pier 4.",
        "Orbis was bought in 2019.",
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
        "Bags are lost.",
        "Ann became king.",
        "Dogs need a ticket.",
        "It had sold any data.",
        "It costs 12 euros, which is non-toxic.",
        "It costs 12-15 euros, which is toxic.",
        "All the bags are lost.",
        "Orbis bought Zeta Holding in 2019.",
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
    assert found.entailment == pytest.approx(0.3 / (0.3 + 0.7 * 0.1))
    assert judgement_of_claim(doubted) == doubted[0]


def test_shortened_claims_on_passages_kept_apart_are_entailed():
    """The rule was looked at on the others; the false claims were written in the passages' words, too."""
    labels = [
        claim.label
        for passage in read_passages()
        if passage.kept_apart
        for claim in passage.claims
        if is_shortened(claim.text, passage.knowledge)
    ]
    assert len(labels) >= 10
    assert labels.count("entailment") >= 0.95 * len(labels)
