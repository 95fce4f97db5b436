"""Replies in other languages."""

import pytest

from qsquared.method.plain.claims import text_of_claims
from qsquared.method.plain.reply import CLAIMS, reply_sentences


def kinds(reply):
    """The kinds of a reply's sentences."""
    return [sentence.kind for sentence in reply_sentences(reply)]


@pytest.mark.parametrize(
    "reply",
    [
        "Sie können den Artikel innerhalb von 30 Tagen zurückgeben.",
        "Puede devolver el artículo en un plazo de 30 días.",
        "Vous pouvez retourner l'article dans les 30 jours.",
        "Артикул можно вернуть в течение 30 дней.",
        "美術館は午前十時に開きます。",
    ],
)
def test_a_reply_in_another_language_claims_nothing_that_is_read(reply):
    """Its probability stands beside the kind."""
    (sentence,) = reply_sentences(reply)
    assert sentence.kind == "other_language"
    assert 0.6 <= sentence.certainty <= 1
    assert text_of_claims(reply, CLAIMS) == ""


@pytest.mark.parametrize(
    "reply",
    [
        "Dan O'Bannon was born on September 20th, 1955.",
        "Juventus F.C. competes at Juventus Stadium in Turin, Italy.",
        "Ludwig van Beethoven",
        "Ja.",
        "Guten Tag Frau Berg,\n\nThe museum is open from ten to five.\n\nMit freundlichen Grüßen",
        'The sign reads "Bitte nicht füttern", and visitors keep to it.',
        "SELECT * FROM turns",
        "https://help.example/article",
    ],
)
def test_names_and_foreign_words_leave_a_reply_english(reply):
    """A reply is in another language only where that is sure."""
    assert "other_language" not in kinds(reply)
