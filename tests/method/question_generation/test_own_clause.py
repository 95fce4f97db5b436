"""Questions on the clause of a span alone, cut out of a sentence that says more."""

from __future__ import annotations

import pytest

from qsquared.language.spacy_parser import SpacyParser
from qsquared.method.question_generation import generate
from qsquared.records import GeneratedQuestion
from tests.method.question_generation.test_question_rules import FIRST, span_in

# (sentence, span, the question that comes first)
CUT = (
    # Beside a semicolon or colon.
    (
        "Your debit card works with full cover; sixty minutes over and you pay for another day.",
        "full cover",
        "What does your debit card work with?",
    ),
    (
        "Get the auth code and allow about a week; your website won't follow by itself.",
        "the auth code",
        "What should you get?",
    ),
    ("One rule holds: dogs stay outside.", "dogs", "What stays outside?"),
    # In brackets.
    (
        "A marker has a container (glass or plastic) and a tip.",
        "A marker",
        "What has a container and a tip?",
    ),
    ("Guests (mostly families) pay 30 euros.", "Guests", "What pays 30 euros?"),
    # After a comma.
    (
        "Tickets cost $45 per person, which includes lunch, because a guide comes along.",
        "Tickets",
        "What costs $45 per person?",
    ),
    (
        "The shop opens at 9 a.m., unless it is a holiday.",
        "The shop",
        "What opens at 9 a.m.?",
    ),
    # In a part of a coordination.
    (
        "Parents receive a book about owls and a map of the north shore.",
        "owls",
        "What do parents receive a book about?",
    ),
    # Commands.
    (
        "Report the loss to the police within a week.",
        "a week",
        "Within how long should you report the loss to the police?",
    ),
    # The size of a fee.
    (
        "Drivers under 25 pay a young-driver fee of 12 dollars.",
        "12 dollars",
        "How much is the young-driver fee?",
    ),
    (
        "An extra day is due after a grace period of 59 minutes.",
        "59 minutes",
        "How long is the grace period?",
    ),
    # A dash within a word or a number parts nothing.
    ("The well-known hall seats 2-3 groups.", "The well-known hall", "What seats 2-3 groups?"),
)


@pytest.fixture(scope="module")
def parser() -> SpacyParser:
    """The shared pipeline."""
    return SpacyParser()


def questions(parser: SpacyParser, sentence: str, span: str) -> list[GeneratedQuestion]:
    """Questions on the clause of a span."""
    parsed = parser.parse([sentence])[0]
    return generate(parsed, span_in(parsed, span), own_clause=True)


@pytest.mark.parametrize(("sentence", "span", "expected"), CUT)
def test_a_question_is_on_its_own_clause(
    parser: SpacyParser, sentence: str, span: str, expected: str
) -> None:
    """Nothing that stands aside of the clause comes into its best question."""
    assert questions(parser, sentence, span)[0].question == expected


@pytest.mark.parametrize(("sentence", "span", "expected"), FIRST)
def test_a_plain_clause_is_asked_about_as_before(
    parser: SpacyParser, sentence: str, span: str, expected: str
) -> None:
    """A sentence of one clause has the same best question, cut or not."""
    assert questions(parser, sentence, span)[0].question == expected
