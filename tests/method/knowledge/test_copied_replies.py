"""Replies that are sentences of the knowledge, word for word."""

import pytest

from qsquared.method.knowledge.copies import copies_knowledge

KNOWLEDGE = (
    "The museum is open daily. It is closed on 24 December.\nIt is a myth that bags are free.",
    "- Lockers cost 2 euros\n- Free bags\n\nThe tour lasts an hour. It starts at noon.",
)


@pytest.mark.parametrize(
    "reply",
    [
        "The museum is open daily.",
        "the museum is open daily",
        "“The museum is open daily.”",
        "Hi Maria,\n\n**The museum is open daily** [1].\n\nKind regards,\nAnna",
        "According to our guide, the museum is open daily.",
        "The museum is open daily. It is closed on 24 December.",
        "The tour lasts an hour. The museum is open daily.",
        "Lockers cost 2 euros.",
        "It is a myth that bags are free.",
    ],
)
def test_whole_sentences_are_copies(reply):
    """But for the dress around them, quotation marks and case."""
    assert copies_knowledge(reply, KNOWLEDGE)


@pytest.mark.parametrize(
    "reply",
    [
        "The museum is not open daily.",
        "Bags are free.",
        "Free bags.",
        "The museum is open.",
        "Daily the museum is open.",
        "The museum is open daily and on holidays.",
        "The museum is open daily. I love it.",
        "The museum is open daily. No.",
        "I don\u2019t think so. The museum is open daily.",
        "The museum is open daily. That is not true.",
        "The tour lasts an hour. It is closed on 24 December.",
        "Thank you!",
        "I'm sorry, I don't know when the museum is open.",
        "",
    ],
)
def test_changed_parts_and_other_orders_are_none(reply):
    """A part of a sentence, another word, a denial beside it, or a pronoun for something else."""
    assert not copies_knowledge(reply, KNOWLEDGE)


def test_a_passage_that_begins_within_a_sentence_has_no_copy_of_it():
    """The words before it may have denied it."""
    assert not copies_knowledge("Bags are free.", ["bags are free. The rest is not."])
    assert copies_knowledge("Bags are free.", ["bags are free. the rest is not."])
