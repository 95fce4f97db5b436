"""Sentences and claims of replies as chatbots write them."""

from dataclasses import asdict

import pytest

from qsquared.method.plain.claims import claims_of
from qsquared.method.plain.reply import kind_of_reply, reply_sentences, whole_reply

CLAIM = "The museum is open from 10:00 to 17:00."
SECOND = "A ticket costs 12 euros."


def rows_of(reply):
    """Rows as the stage writes them."""
    found = reply_sentences(reply)
    return [asdict(one) | {"sentence": n, "error": None} for n, one in enumerate(found)]


def claims(reply):
    """The claims of a reply as one text."""
    return claims_of(rows_of(reply))


def kinds(reply):
    """The kinds of a reply's sentences."""
    return [sentence.kind for sentence in reply_sentences(reply)]


DRESSES = [
    f"{CLAIM}",
    f"Hi Maria,\n\n{CLAIM}",
    f"Hi Maria,\n{CLAIM}\nBest regards,\nAnna",
    f"Hello!\n\nThank you for reaching out.\n\n{CLAIM}\n\nKind regards,\nAnna Berg\nSupport team",
    f"{CLAIM[:-1]} [1].",
    f"{CLAIM[:-1]}【4:2†help.pdf】.",
    f"{CLAIM[:-1]}[doc2].",
    f"{CLAIM}[^1]\n\n[^1]: Help article, page 2",
    f"{CLAIM}¹\n\n¹ Help article",
    f"{CLAIM[:-1]} (Source: help.pdf).",
    f"{CLAIM[:-1]} ([Help centre](https://help.example/a_(b))).",
    f"{CLAIM}\n\nSources:\n- [Help](https://help.example)\n- guide.pdf",
    f"{CLAIM}\n\n**Sources:** [1] help.pdf, [2] guide.pdf",
    f"According to our help article, t{CLAIM[1:]}",
    f"{CLAIM[:-1]}, according to our help article.",
    f"Here is what I found:\n\n- {CLAIM}",
    f"1. {CLAIM}",
    f"> {CLAIM}",
    f"# Opening hours\n\n{CLAIM}",
    f"**Opening hours**\n{CLAIM}",
    CLAIM.replace("museum", "**museum**").replace("open", "_open_"),
    CLAIM.replace("museum", "[museum](https://m.example)"),
    CLAIM.replace("museum", "`museum`"),
    f"**{CLAIM}**",
    f"<p>{CLAIM}</p>",
    f"<div>Hello!<br><ul><li>{CLAIM.replace('museum', '<b>museum</b>')}</li></ul></div>",
    f"Sure 😊 {CLAIM}",
    f"✅ {CLAIM} 🎉",
    f"Great question! {CLAIM} Let me know if you have any other questions!",
    f"```\n{CLAIM}\n```",
    CLAIM.replace("open from", "open\nfrom"),
    f"{CLAIM}\n\n---\n\nIs there anything else I can help you with?",
    f"{CLAIM}<sup>1</sup>",
    f"{CLAIM} \ue200cite\ue202turn0search0\ue201",
    CLAIM.replace(" is ", "&nbsp;is "),
]


@pytest.mark.parametrize("reply", DRESSES)
def test_a_dressed_reply_claims_the_same(reply):
    """The claims of a reply do not depend on its dress."""
    assert claims(reply).text.text == CLAIM


@pytest.mark.parametrize("reply", DRESSES)
def test_the_words_of_claims_stand_in_the_log(reply):
    """Each word of the claims maps to the same word of the reply."""
    text = claims(reply)
    for word in ("museum", "open", "10:00", "17:00"):
        start = text.text.text.index(word)
        first, end = text.logged(start, start + len(word))
        assert reply[first:end] == word


def test_claims_come_in_order_with_full_stops():
    """Claims are joined by spaces; items and cells without a full stop get one between them."""
    assert claims(f"{CLAIM} {SECOND}").text.text == f"{CLAIM} {SECOND}"
    assert claims("- red\n- green").text.text == "red. green."
    table = "| Name | Price |\n|---|---|\n| Cat | 40 euros |\n| Dog | 50 euros |"
    assert claims(table).text.text == "Cat: 40 euros. Dog: 50 euros."


def test_places_name_the_sentences():
    """Each character of the claims belongs to a sentence of the table."""
    text = claims(f"Hello! {CLAIM} Thanks! {SECOND}")
    assert [number for number, _, _ in text.places] == [1, 3]
    assert text.sentence_at(text.text.text.index("ticket")) == 3
    assert text.sentence_at(0) == 1


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("Hello! How can I help you today?", "offer"),
        ("I'm sorry, I don't know how much compensation is paid.", "refusal"),
        ("Hi! I'm sorry, I couldn't find that. Is there anything else?", "refusal"),
        ("Which museum do you mean?", "question"),
        ("You're welcome! Have a great day!", "thanks"),
        ("😊", "symbols"),
        ("👍🏽\n\n---", "symbols"),
    ],
)
def test_replies_that_claim_nothing(reply, kind):
    """They have no claim, and one kind by which they are called."""
    assert claims(reply).text.text == ""
    assert kind_of_reply(kinds(reply)) == kind


def test_a_short_answer_in_bold_is_a_claim():
    """A line in bold is a heading only where something stands under it."""
    assert kinds("**40 euros**") == ["claim"]
    assert kinds(f"**Opening hours**\n\n{CLAIM}") == ["heading", "claim"]


def test_mathematics_and_names_are_no_markup():
    """Powers, intervals, comparisons and names with underscores stay."""
    text = "5 < 6, x^2 is in [0, 1], 3 m² of snake_case_name cost 5*3*2 euros."
    assert claims(text).text.text == text


def test_a_question_after_a_statement_is_apart():
    """The statement before the comma is a claim."""
    assert kinds("It is by Mozart I believe, do you like him?") == ["claim", "question"]


def test_abbreviations_end_no_sentence():
    """Titles, initials and abbreviations go on."""
    assert (
        len(reply_sentences("It was Dr. J. K. Smith of the U.S. Army, e.g. in 1858. It rained."))
        == 2
    )


def test_a_whole_reply_is_one_claim():
    """As logged, the claim is the reply itself."""
    reply = f"**Hi**\n{CLAIM} [1]"
    row = asdict(whole_reply(reply)) | {"sentence": 0, "error": None}
    text = claims_of([row])
    assert text.text.text == reply
    assert text.logged(2, 9) == (2, 9)
