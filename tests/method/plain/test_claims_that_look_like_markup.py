"""Claims that begin or end like the dress of a reply, and stay whole."""

import pytest

from qsquared.method.plain.reply import CLAIMS, read_reply, reply_sentences
from qsquared.method.plain.reply_claims import text_of_claims


@pytest.mark.parametrize(
    "claim",
    [
        "Well-being is important.",
        "First-class tickets cost 40 euros.",
        "No-one survived.",
        "No. 5 is a perfume.",
        "John Wick: Chapter 2 is a film.",
        "Prices: adults pay 12 euros.",
        "Monday: closed.",
        "Maria, the queen of Spain, was born in 1629.",
        "Maria, who lives in Rome, works there.",
        "Paris, the capital of France, has two million people.",
        "DodgeBall: A True Underdog Story is a film.",
        "This is the capital of France: Paris.",
        "The Houston Rockets are a team.",
        "We do not share your data with other companies.",
        "The policy does not cover flood damage.",
        "The team did not have enough time.",
        "There is no record that Nixon's wife moved.",
        "There is no consensus on the origin of language.",
        "Zoey Deutch acted in Why Him?",
        "The songs are protected, based on the FairPlay DRM system.",
        "N*E*R*D is a band.",
        "Model T cars were made by Ford.",
        "It's a way to help people with depression.",
        "You asked for a refund, and it was paid on 14 May.",
        "Take care of the dog twice a day.",
        "Press 2 to reset the device.",
        "According to Darwin, species change.",
        "Response time: 24 hours.",
        "THE MUSEUM IS OPEN.",
        "10:32.",
        "The train leaves at 10:32.",
        "C:\\new holds the files.",
        "The game is called Anna.",
        "He said: no.",
        "The text says hello.",
        "Search engines rank pages.",
        "Thought is free.",
        "Reading takes an hour.",
        "The summary was written by Anna.",
        "As of 2023, it has two members.",
        "She competed twice (London, 2012).",
        "It is described in the book as a comet.",
        "On our website, you can book tickets.",
        "Shared facts: two.",
        "I want to share a room.",
        "Although we do not sell food, you may eat here.",
        "We opened a ticket office in May.",
        "You will receive a refund.",
        "A specialist will contact you within two days.",
        "Reply to the letter by May.",
        "Join our team for a year.",
        "Copy the file and share it.",
        "Salvelinus is a fish.",
        "Merci is a chocolate.",
        "Report the theft to the police.",
        "Evidence: the cat was seen.",
        "You are talking to fast.",
        "The chatbot is a virtual assistant.",
        "He works in customer service.",
        "The prices are valid as of 3 May 2026.",
    ],
)
def test_a_claim_stays_whole(claim):
    """Nothing of a claim is taken for dress."""
    assert text_of_claims(claim, CLAIMS) == claim


@pytest.mark.parametrize(
    ("reply", "claims"),
    [
        ("Anna Berg: head of sales\nTom Miller: head of care", 2),
        ("OPEN ON MONDAYS\nCLOSED ON SUNDAYS", 2),
        ("Opens:\n10:32 AM", 1),
        ("1. Open the box.\n2. Press 2.", 2),
        ('"What is it?" is a question that people ask.', 1),
    ],
)
def test_lines_that_claim_are_counted(reply, claims):
    """A list of facts is no heading, no speaker and no time of sending."""
    assert [one.kind for one in reply_sentences(reply)].count("claim") == claims


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("The museum’s “Golden Hall” opens at ten.", 'The museum\'s "Golden Hall" opens at ten.'),
        ("The oﬃce is open.", "The office is open."),
        ("The cafe\u0301 is open.", "The café is open."),
        ("The mu\u00adseum is open.", "The museum is open."),
        ("Open Mon–Fri 8 am–6:30 p.m.", "Open Mon–Fri 8 am–6:30 p.m."),
        ("They won 3-2 on page 10-12.", "They won 3-2 on page 10-12."),
    ],
)
def test_characters_are_written_in_one_way(written, read):
    """The words of a reply are those of the knowledge, however either was typeset."""
    assert text_of_claims(written, CLAIMS) == read


@pytest.mark.parametrize(
    "reply",
    [
        "She was born in Austin, Texas.",
        "He died in Paris, France.",
        "The match was played in London, England, in 1923.",
        "You keep your router, and we send you a new card.",
        "You keep your old number, and your contract ends in May.",
    ],
)
def test_nothing_is_cut_from_a_place_or_from_the_first_of_two_clauses(reply):
    """A name behind a comma is only left out where it is nobody's part."""
    (sentence,) = read_reply(reply, CLAIMS)
    assert (sentence.claim_start, sentence.claim_end) == (0, len(reply))
