"""Ends of sentences behind letters with full stops."""

import pytest

from qsquared.method.plain.reply import reply_sentences


def test_abbreviations_end_no_sentence():
    """Titles, initials and abbreviations go on."""
    assert (
        len(reply_sentences("It was Dr. J. K. Smith of the U.S. Army, e.g. in 1858. It rained."))
        == 2
    )


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("It is in the U.S. Let me know if you have questions.", 2),
        ("It is in the U.S. Navy.", 1),
        ("It opens at 5 p.m. Entry is free.", 2),
        ("It stars John F. Kelly.", 1),
    ],
)
def test_letters_with_full_stops_end_a_sentence_before_a_word_that_begins_one(reply, number):
    """A name goes on instead."""
    assert len(reply_sentences(reply)) == number
