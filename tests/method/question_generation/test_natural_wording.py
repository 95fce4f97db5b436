"""Questions on a part of a sentence that would read as a fragment if only the span were replaced."""

from __future__ import annotations

import pytest

from qsquared.language.spacy_parser import SpacyParser
from qsquared.method.question_generation import generate
from tests.method.question_generation.test_question_rules import span_in

# (sentence, span, the question that comes first)
FRONTED = (
    # A preposition goes to the front where a phrase follows it.
    ("You can save your text in the history for half a year.", "the history",
     "In what can you save your text for half a year?"),
    # The phrase around the span goes with it.
    ("You may return the coat within 45 days of delivery.", "delivery",
     "Within 45 days of what may you return the coat?"),
    # Of a subject only the phrase goes to the front.
    ("A night in the garage costs another €14.", "the garage",
     "In what does a night cost another €14?"),
    # "Whom" after a preposition.
    ("You get a photo of her sister by post.", "her sister",
     "Of whom do you get a photo by post?"),
)  # fmt: skip
SHARES = (
    ("You get back a quarter of the fare.", "a quarter", "How much of the fare do you get back?"),
    ("Half of the tickets are sold online.", "Half", "How many of the tickets are sold online?"),
    ("The surviving part of her herbarium is in Oslo.", "The surviving part",
     "Which part of her herbarium is in Oslo?"),
)  # fmt: skip
WH_WORDS = (
    ("You will get a new code by email.", "email", "How will you get a new code?"),
    ("The shop pays a fee of $3 per person.", "person", "Per what does the shop pay a fee of $3?"),
    (
        "The hall opens at 17:30 on the night.",
        "17:30",
        "At what time does the hall open?",
    ),
    ("Ask your doctor first.", "first", "When should you ask your doctor?"),
    ("The ice is 5 mm thick.", "5", "How many mm thick is the ice?"),
)
COMMANDS = (
    ("For two loaves, mix the flour with water.", "the flour",
     "What should you mix with water for two loaves?"),
    ("Don't clean the seals with a brush.", "the seals", "What shouldn't you clean with a brush?"),
)  # fmt: skip
LEFT_OUT = (
    ("Not yet, four weeks must have passed since the injection.", "four weeks",
     "How long must have passed since the injection?"),
    ("You can return it, even if you opened the box.", "the box", "What did you open?"),
)  # fmt: skip
SUPPLIED = (
    ("It lets you send 9 euros without any delay.", "any delay",
     "Without what can you send 9 euros?"),
    ("She mapped what grows on alpine rocks.", "alpine rocks", "What does it grow on?"),
    ("The price stays, but what you pay could change.", "you", "Who pays what?"),
    ("Free without heating.", "heating", "What is it free without?"),
    ("One spray into each nostril.", "each nostril", "Into what is there one spray?"),
)  # fmt: skip

ODD = (
    ("Half is refunded.", "Half", "How much is refunded?"),
    ("Most of them came by train.", "Most", "How many of them came by train?"),
    ("Never open the lid.", "the lid", "What should you never open?"),
    ("Let's meet at the gate.", "the gate", "What should we meet at?"),
    ("Let the dough rest for an hour.", "an hour", "How long should the dough rest?"),
    ("Not more than two bags per person are allowed.", "two bags",
     "How many bags per person are allowed?"),
)  # fmt: skip
FIRST = {
    "a phrase goes to the front with its wh-word": FRONTED,
    "a share is asked for with its whole": SHARES,
    "the wh-word fits the span": WH_WORDS,
    "a command is a duty, what precedes it follows": COMMANDS,
    "answers before the statement are left out": LEFT_OUT,
    "adverbs, proposals and shares read as English": ODD,
}
"""Behaviour → sentences with a span and the question that comes first."""


@pytest.fixture(scope="module")
def parser() -> SpacyParser:
    """The shared pipeline."""
    return SpacyParser()


def questions(parser: SpacyParser, sentence: str, span: str) -> list[str]:
    """Questions on the clause of a span."""
    parsed = parser.parse([sentence])[0]
    made = generate(parsed, span_in(parsed, span), own_clause=True)
    return [question.question for question in made]


@pytest.mark.parametrize(
    ("sentence", "span", "expected"),
    [
        pytest.param(*case, id=f"{behaviour}: {case[2]}")
        for behaviour, cases in FIRST.items()
        for case in cases
    ],
)
def test_the_first_question_is_worded_as_a_person_would_ask(
    parser: SpacyParser, sentence: str, span: str, expected: str
) -> None:
    """Each behaviour has sentences of its own."""
    assert questions(parser, sentence, span)[0] == expected


@pytest.mark.parametrize(("sentence", "span", "expected"), SUPPLIED)
def test_a_fragment_is_supplied_with_what_it_lacks(
    parser: SpacyParser, sentence: str, span: str, expected: str
) -> None:
    """Subject, verb or auxiliary of a fragment or an infinitive are supplied."""
    assert expected in questions(parser, sentence, span)


def test_a_part_of_a_coordination_is_asked_for_behind_the_others(parser: SpacyParser) -> None:
    """The other parts stay in the question, so that it asks for one."""
    made = questions(parser, "Copying is reserved for owners and admins.", "admins")
    assert "Owners and what else is copying reserved for?" in made


def test_a_prepositional_phrase_of_a_subject_follows_its_verb(parser: SpacyParser) -> None:
    """It does not part the wh-word from the verb."""
    made = questions(parser, "The cable for old sockets costs $9.", "The cable")
    assert "What costs $9 for old sockets?" in made


@pytest.mark.parametrize(
    ("sentence", "span"),
    [("The price includes breakfast, but not parking or taxes.", "breakfast"),
     ("Is it $5 or $7?", "$7"), ("Neither Ann nor Bob came.", "Bob")],
)  # fmt: skip
def test_nothing_else_is_asked_for_beside_what_is_excepted(
    parser: SpacyParser, sentence: str, span: str
) -> None:
    """Parts that all hold are needed for "what else": no "but not", no alternative, no "nor"."""
    assert not any(" else " in question for question in questions(parser, sentence, span))
