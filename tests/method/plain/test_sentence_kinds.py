"""Kinds of sentences against labels by hand.

`sentence_kinds.tsv` has sentences of the human replies of Wizard of Wikipedia (Dinan et al. 2019,
CC BY 4.0) and of the example log, labelled for this project.
The network was trained with the development part; the held-out part was labelled before and is measured on alone.
What is not surely talk counts as a claim, so that the kinds of short chat differ more often than claims are lost.
"""

import csv
from collections import Counter
from pathlib import Path

import pytest

from qsquared.method.plain.sentence_kinds import KINDS, kind_of

LABELLED = Path(__file__).parent / "sentence_kinds.tsv"


def labelled(part):
    """The sentences of a part with their labels."""
    with LABELLED.open(encoding="utf-8", newline="") as handle:
        rows = csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row["sentence"], row["kind"]) for row in rows if row["set"] == part]


def confusion(part):
    """Count the pairs of label and kind."""
    return Counter((label, kind_of(sentence).name) for sentence, label in labelled(part))


def right(counts):
    """The share of sentences whose kind is their label."""
    same = sum(number for (label, kind), number in counts.items() if label == kind)
    return same / sum(counts.values())


@pytest.mark.parametrize("part", ["development", "held-out"])
def test_the_kinds_of_real_sentences(part):
    """At least 94 % of the labelled sentences get their kind."""
    counts = confusion(part)
    assert sum(counts.values()) > 350
    assert {label for label, _ in counts} <= set(KINDS)
    assert right(counts) >= 0.94, counts


@pytest.mark.parametrize("part", ["development", "held-out"])
def test_hardly_a_claim_is_left_out(part):
    """At least 98 % of the labelled claims are claims; the others are exclamations such as "WHAM!"."""
    claims = {kind: n for (label, kind), n in confusion(part).items() if label == "claim"}
    assert claims["claim"] / sum(claims.values()) >= 0.98, claims


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Hi Maria,", "greeting"),
        ("Hi Maria, the fee is 20.", "claim"),
        ("Welcome to Petrel Air!", "greeting"),
        ("Thanks for reaching out!", "thanks"),
        ("You're welcome!", "thanks"),
        ("You're welcome.", "thanks"),
        ("Sorry!", "apology"),
        ("Best known for its brass, the museum is in Skarholm.", "claim"),
        ("Kind regards,", "sign_off"),
        ("Have a great day!", "sign_off"),
        ("Please let me know if you have any other questions.", "offer"),
        ("Let me know if you have lost it, and call 0800 555 0142.", "claim"),
        ("I'm sorry for the inconvenience.", "apology"),
        ("I'm sorry, but I don't know how much is paid.", "refusal"),
        ("The provided documents do not mention the price.", "refusal"),
        ("Unfortunately, the help centre says nothing about this.", "refusal"),
        ("You can reach our team on our contact page.", "claim"),
        ("I'd recommend contacting our customer service team for further assistance.", "offer"),
        ("Please call our support on 01 555 0134.", "claim"),
        ("Contact your bank's hotline to block the card.", "claim"),
        ("Visit our shop to buy tickets.", "claim"),
        ("I don't have a car.", "claim"),
        ("Unfortunately, the museum is closed on Mondays.", "claim"),
        ("I'm not sure, but the museum is closed on Mondays.", "claim"),
        ("Which ticket do you mean?", "question"),
        ("It was built in 1858, wasn't it?", "claim"),
        ("Did you know that bees dance?", "claim"),
        ("Source: Help centre, page 4.", "source"),
        ("For more information, please visit our website.", "source"),
        ("Great question!", "acknowledgement"),
        ("Here is what I found:", "heading"),
    ],
)
def test_kinds_of_polite_words(sentence, kind):
    """Polite words are told apart from claims that begin like them."""
    assert kind_of(sentence).name == kind


@pytest.mark.parametrize(
    "lead_in",
    [
        "According to our help article, ",
        "Based on the information provided, ",
        "As stated in the guide “Opening hours”, ",
        "Yes, ",
        "Sure! ",
        "Great question! ",
        "Hi Maria, ",
        "Thank you for your question, ",
        "Good news: ",
        "To answer your question: ",
        "Please note that ",
        "The article says that ",
        "Did you know that ",
        "Yes, according to our website, ",
        "According to our help centre, ",
    ],
)
def test_lead_ins_are_no_part_of_the_claim(lead_in):
    """The claim begins behind the lead-in."""
    sentence = f"{lead_in}the museum is open on Mondays."
    kind = kind_of(sentence)
    assert (kind.name, sentence[kind.start : kind.end]) == (
        "claim",
        "the museum is open on Mondays.",
    )


@pytest.mark.parametrize(
    "sentence", ["According to Darwin, species change.", "In 1858, it was built."]
)
def test_words_of_the_claim_stay(sentence):
    """Whoever said it, or when it was, belongs to the claim."""
    assert kind_of(sentence).start == 0


def test_talk_behind_a_lead_in_is_talk():
    """A lead-in makes no claim of what claims nothing without it."""
    assert kind_of("According to our help article, I don't know.").name == "refusal"


def test_a_list_of_names_is_no_lead_in():
    """Names that the claim lists stay with it."""
    sentence = "The band members are John, Paul, George, and Ringo."
    kind = kind_of(sentence)
    assert (kind.name, kind.start, kind.end) == ("claim", 0, len(sentence))


def test_an_attribution_at_the_end_is_no_part_of_the_claim():
    """The claim ends before the words that cite."""
    sentence = "The museum is open on Mondays, according to our help article."
    kind = kind_of(sentence)
    assert sentence[kind.start : kind.end] == "The museum is open on Mondays"
