"""The rule-based question generator behind its protocol."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from qsquared.language.rule_questions import RuleQuestions
from qsquared.language.spacy_parser import SpacyParser
from qsquared.method.question_generation import RULES_VERSION
from qsquared.records import ParsedText, QuestionRequest, Span

CONTEXT = "The club was founded in 1971."
YEAR = Span(24, 28, "1971", "entity", "DATE")
CLUB = Span(0, 8, "The club", "noun_chunk")


class CountingParser:
    """Parses with spaCy and remembers what it was asked."""

    identity = "counting"

    def __init__(self) -> None:
        self.inner = SpacyParser()
        self.asked: list[list[str]] = []

    def parse(self, texts: Sequence[str]) -> list[ParsedText]:
        """Parse and remember."""
        self.asked.append(list(texts))
        return self.inner.parse(texts)


@pytest.fixture(scope="module")
def parser() -> CountingParser:
    """The shared parser."""
    return CountingParser()


def test_answers_stand_in_the_order_of_the_requests(parser: CountingParser) -> None:
    """Each request gets the questions on its own span."""
    requests = [QuestionRequest(CONTEXT, YEAR), QuestionRequest(CONTEXT, CLUB)]
    made = RuleQuestions(parser).generate(requests)
    assert [m[0].question for m in made] == [
        "In what year was the club founded?",
        "What was founded in 1971?",
    ]


def test_a_context_is_parsed_once(parser: CountingParser) -> None:
    """Requests that share a context share its parse."""
    parser.asked.clear()
    other = "It rains in Oslo."
    span = Span(12, 16, "Oslo", "entity", "GPE")
    RuleQuestions(parser).generate(
        [
            QuestionRequest(CONTEXT, YEAR),
            QuestionRequest(other, span),
            QuestionRequest(CONTEXT, CLUB),
        ]
    )
    assert parser.asked == [[CONTEXT, other]]


def test_limit_is_kept(parser: CountingParser) -> None:
    """No span gets more questions than the limit."""
    made = RuleQuestions(parser, limit=2).generate([QuestionRequest(CONTEXT, YEAR)])
    assert [len(m) for m in made] == [2]


def test_nothing_asked_gives_nothing(parser: CountingParser) -> None:
    """An empty list of requests has an empty list of answers."""
    assert RuleQuestions(parser).generate([]) == []


def test_identity_names_rules_and_parser(parser: CountingParser) -> None:
    """The identity holds the version of the rules and the parser's identity."""
    assert re.fullmatch(rf"rules/{RULES_VERSION}\.\d\+counting", RuleQuestions(parser).identity)


def test_a_question_of_two_words_is_left_out():
    """ "Who too?" asks nothing that any text could answer."""
    texts = ["Me too!", "Anna painted the old mill."]
    requests = [
        QuestionRequest(texts[0], Span(0, 2, "Me", "noun_chunk")),
        QuestionRequest(texts[1], Span(0, 4, "Anna", "entity", "PERSON")),
    ]
    none, some = RuleQuestions(SpacyParser()).generate(requests)
    assert none == []
    assert some[0].question == "Who painted the old mill?"
