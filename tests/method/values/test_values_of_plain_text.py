"""Values of replies and knowledge as they were logged, read from their plain text."""

import pytest

from qsquared.method.plain.markup.blocks import plain_text
from qsquared.method.plain.reply import CLAIMS
from qsquared.method.plain.reply_claims import text_of_claims
from qsquared.method.values.compare import relate


def relation(reply, knowledge, question="When does it open?"):
    """The relation of a reply's answer to that of the knowledge, both read as they are scored."""
    return relate(text_of_claims(reply, CLAIMS), plain_text(knowledge).text, question)


@pytest.mark.parametrize(
    ("reply", "knowledge", "expected"),
    [
        ("8 am", "8 pm", "different"),
        ("**8 am**", "8 p.m.", "different"),
        ("11 p.m.", "11 a.m.", "different"),
        ("8:00 AM", "8:00 pm", "different"),
        ("noon", "12 pm", "equal"),
        ("midnight", "12 am", "equal"),
        ("noon", "midnight", "different"),
        ("8 pm", "20:00", "equal"),
        ("8 am - 6 pm", "8:00&ndash;18:00", "within"),
    ],
)
def test_times_of_day_keep_their_half_day(reply, knowledge, expected):
    """Nothing between the log and the comparison takes am and pm away."""
    assert relation(reply, knowledge) == expected


@pytest.mark.parametrize(
    ("reply", "knowledge", "expected"),
    [
        ("$5", "5 Australian dollars", "open"),
        ("5 dollars", "A$5", "open"),
        ("$5", "**5 dollars**", "equal"),
        ("€5", "5 euros", "equal"),
        ("5 US dollars", "5 Canadian dollars", "different"),
        ("£20", "20 pounds", "equal"),
    ],
)
def test_money_is_compared_by_its_name_and_sign(reply, knowledge, expected):
    """A dollar may be that of several countries, so that the judge decides."""
    assert relation(reply, knowledge, "How much is it?") == expected


@pytest.mark.parametrize(
    ("reply", "knowledge", "expected"),
    [
        ("1,000", "1.000", "open"),
        ("1.000", "1.000", "equal"),
        ("1.250.000", "1,250,000", "equal"),
        ("1.234,50 euros", "1,234.50 euros", "equal"),
        ("12'500", "12,500", "equal"),
        ("2.5", "2,5", "equal"),
    ],
)
def test_separators_are_read_by_what_the_text_shows(reply, knowledge, expected):
    """Three digits after one full stop are thousands or decimals, so that the judge decides."""
    assert relation(reply, knowledge, "How many are there?") == expected
