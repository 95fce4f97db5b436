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


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("Prof. Lee and Capt. Ruiz met Sgt. Marsh at Ft. Worth.", 1),
        ("The fee is approx. 5 euros incl. tax.", 1),
        ("See vol. 3, fig. 2 and p. 14 of the guide.", 1),
        ("It closes on Sept. 3 and opens on Nov. 20.", 1),
        ("The max. load is 40 kg. The min. load is 5 kg.", 2),
        ("Berg Ltd. The firm was founded in 1990.", 2),
        ("They sell pens, ink, etc. Orders take two days.", 2),
        ("Ask Ms. Okoye vs. Mr. Hale et al. for more.", 1),
        ("Is it No. 7? No. It is nine.", 3),
        pytest.param(
            "He was Louis I. Kahn's student.",
            1,
            marks=pytest.mark.xfail(
                strict=True, reason="numerals of kings end sentences more often"
            ),
        ),
        ("The shop is in St. Ives. Parking is free.", 2),
        ("You pay nothing at the door, but do you have a card?", 2),
        ("If you come by train, do you need a ticket?", 1),
        ("The room is free on Monday, would you like to book it?", 2),
    ],
)
def test_sentence_ends_that_were_kept_back(reply, number):
    """These were written after the lists of abbreviations, and no list was changed for them."""
    assert len(reply_sentences(reply)) == number
