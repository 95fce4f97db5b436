"""Questions from rules over a dependency parse, in place of a neural question generator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from qsquared.method.question_rules import RULES_VERSION, generate
from qsquared.protocols import ParseText
from qsquared.records import GeneratedQuestion, QuestionRequest


class _IdentifiedParser(ParseText, Protocol):
    """A parser that says what decides its parses."""

    @property
    def identity(self) -> str: ...


class RuleQuestions:
    """Generate questions by rules on the sentence that holds the span.

    Args:
        parser: parses each distinct context once a call.
        limit: most questions for one span.
    """

    def __init__(self, parser: _IdentifiedParser, limit: int = 5) -> None:
        self.parser = parser
        self.limit = limit

    @property
    def identity(self) -> str:
        """Version of the rules and identity of the parser; with ``limit`` they decide the questions."""
        return f"rules/{RULES_VERSION}+{self.parser.identity}"

    def generate(self, requests: Sequence[QuestionRequest]) -> list[list[GeneratedQuestion]]:
        """At most ``limit`` distinct questions for each request, most natural first."""
        contexts = list(dict.fromkeys(request.context for request in requests))
        parses = dict(zip(contexts, self.parser.parse(contexts), strict=True))
        return [generate(parses[r.context], r.span, self.limit) for r in requests]
