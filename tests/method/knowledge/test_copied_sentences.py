"""Sentences of a reply that stand in the knowledge word for word."""

from dataclasses import asdict

import pytest

from qsquared.method.knowledge.copies import copied_sentences
from qsquared.method.plain.reply import reply_sentences

KNOWLEDGE = (
    "The ferry sails daily. It carries no cars; bikes cost 4 euros. Another boat sails on Sundays.",
    "Many believe this. Dogs travel free of charge. That is wrong. The kiosk opens at noon; this ended in 2020.",
    "It is wrong that dogs pay. Tickets are sold on board unless the ferry is full.",
)


def copied(reply):
    """Whether each sentence of a reply is a copy."""
    return copied_sentences([asdict(one) for one in reply_sentences(reply)], KNOWLEDGE)


@pytest.mark.parametrize(
    ("reply", "copies"),
    [
        ("The ferry sails daily. It carries no cars; bikes cost 4 euros.", [True, True]),
        ("Tickets cost 9 euros. Another boat sails on Sundays.", [False, False]),
        ("The ferry sails daily. Tickets cost 9 euros.", [True, False]),
        (
            "The ferry sails daily. Tickets are sold on board unless the ferry is full.",
            [True, True],
        ),
    ],
)
def test_each_claim_is_told_on_its_own(reply, copies):
    """One that points at the sentence before needs that before it in the knowledge, too."""
    assert copied(reply) == copies


def test_a_sentence_may_end_at_its_first_semicolon():
    """The clause before it says the same alone; the one behind it may rest on it."""
    assert copied("It carries no cars.") == [True]
    assert copied("Bikes cost 4 euros.") == [False]


@pytest.mark.parametrize("reply", ["Dogs pay.", "Tickets are sold on board.", "The ferry sails."])
def test_a_part_of_a_sentence_is_no_copy(reply):
    """The words that were cut off may deny it, or set a condition."""
    assert copied(reply) == [False]


@pytest.mark.parametrize("reply", ["Dogs travel free of charge.", "The kiosk opens at noon."])
def test_what_the_knowledge_takes_back_or_ends_is_no_copy(reply):
    """Beside the sentence it says that it is wrong, or no longer so."""
    assert not any(copied(reply))


def test_nothing_is_a_copy_beside_words_that_deny():
    """ "No." may take back what was quoted."""
    assert not any(copied("The ferry sails daily. No."))
