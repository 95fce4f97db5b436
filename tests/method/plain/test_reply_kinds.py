"""Kinds of the sentences of a reply, and of replies that claim nothing."""

import pytest

from qsquared.method.plain.reply import CLAIMS, kind_of_reply, reply_sentences
from qsquared.method.plain.reply_claims import text_of_claims


def kinds(reply):
    """The kinds of a reply's sentences."""
    return [sentence.kind for sentence in reply_sentences(reply)]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("Hello! How can I help you today?", "offer"),
        ("I'm sorry, I don't know how much compensation is paid.", "refusal"),
        ("I'm sorry, I can't help with that. I only have information about the museum.", "refusal"),
        ("I can only answer questions about the museum.", "refusal"),
        ("Hi! I'm sorry, I couldn't find that. Is there anything else?", "refusal"),
        ("Which museum do you mean?", "question"),
        ("Yes.", "yes_or_no"),
        ("No, it isn't. Is there anything else?", "yes_or_no"),
        ("Sure! 😊", "acknowledgement"),
        ("You're welcome! Have a great day!", "thanks"),
        ("😊", "symbols"),
        ("👍🏽\n\n---", "symbols"),
    ],
)
def test_replies_that_claim_nothing(reply, kind):
    """They have no claim, and one kind by which they are called."""
    assert text_of_claims(reply, CLAIMS) == ""
    assert kind_of_reply(kinds(reply)) == kind


def test_a_short_answer_in_bold_is_a_claim():
    """A line in bold is a heading only where something stands under it."""
    assert kinds("**40 euros**") == ["claim"]
    assert kinds("**Opening hours**\n\nOpen from 10:00 to 17:00.") == ["heading", "claim"]


def test_a_question_after_a_statement_is_apart():
    """The statement before the comma is a claim."""
    assert kinds("It is by Mozart I believe, do you like him?") == ["claim", "question"]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("I am an AI language model and can make mistakes.", "disclaimer"),
        ("This answer was generated automatically.", "disclaimer"),
        ("AI was founded as a field in 1956.", "claim"),
        ("The summary was written by Anna Berg.", "claim"),
        ("Let me check that for you.", "acknowledgement"),
        ("Just reply to this email.", "offer"),
    ],
)
def test_what_a_bot_says_about_itself_is_no_claim(sentence, kind):
    """Sentences of the same words about something else are."""
    assert kinds(sentence) == [kind]
