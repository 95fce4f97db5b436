"""Generate questions by rules over a dependency parse, in place of a neural generator."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Protocol

from qsquared.language.neural.batches import chunked
from qsquared.method.question_generation import RULES_VERSION, generate
from qsquared.protocols import ParseText
from qsquared.records import GeneratedQuestion, ParsedText, QuestionRequest, Span, Token

SENTENCE_TOKENS = 200
"""Longest sentence that the rules see whole.

A question repeats its sentence, so a sentence of a megabyte would make megabytes of every span.
"""

_CHUNK_CHARACTERS = 1_000_000
"""Characters whose parses are held at a time."""

FEWEST_WORDS = 3
"""A question of fewer words ("Who too?", "Who should?") asks nothing; QAGS leaves such out, too."""

_HANDLING = 2
"""Raised whenever other parts of a text are shown to the rules, or other questions are left out."""


class _IdentifiedParser(ParseText, Protocol):
    """A parser with an identity."""

    @property
    def identity(self) -> str: ...


@dataclass(eq=False)
class RuleQuestions:
    """A question generator that applies rules to the sentence that holds the span.

    Of a sentence above ``SENTENCE_TOKENS`` the rules see half as many tokens before the span and
    after it, so a question on it repeats only these.

    Args:
        parser: parses each distinct context once a call.
        limit: most questions for one span.
    """

    parser: _IdentifiedParser
    limit: int = 5
    name: ClassVar = "rules"

    @property
    def identity(self) -> str:
        """Version of the rules and identity of the parser; with ``limit`` they decide the questions."""
        return f"rules/{RULES_VERSION}.{_HANDLING}+{self.parser.identity}"

    def generate(self, requests: Sequence[QuestionRequest]) -> list[list[GeneratedQuestion]]:
        """Return at most ``limit`` distinct questions for each request, most natural first.

        A span of a very short sentence may have none (``FEWEST_WORDS``).
        """
        generated: dict[str, dict[QuestionRequest, list[GeneratedQuestion]]] = {}
        for request in requests:
            generated.setdefault(request.context, {})[request] = []
        for contexts in chunked(generated, len, _CHUNK_CHARACTERS):
            for context, parsed in zip(contexts, self.parser.parse(contexts), strict=True):
                places = _Places(parsed)
                for request in generated[context]:
                    near = places.near(request.span)
                    generated[context][request] = generate(
                        near, request.span, self.limit, own_clause=request.own_clause
                    )
        return [
            [q for q in generated[r.context][r] if len(q.question.split()) >= FEWEST_WORDS]
            for r in requests
        ]


@dataclass(frozen=True)
class _Places:
    """An index that finds the sentence of a span without a walk through the whole text."""

    parsed: ParsedText

    @cached_property
    def _token_starts(self) -> list[int]:
        return [token.start for token in self.parsed.tokens]

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [first for first, _ in self.parsed.sentences]

    def near(self, span: Span) -> ParsedText:
        """Return the parse of the sentences that share a token with the span; offsets stay the text's."""
        parsed = self.parsed
        if len(parsed.tokens) <= SENTENCE_TOKENS:
            return parsed
        low = max(0, bisect_right(self._token_starts, span.start) - 1)
        high = max(low + 1, bisect_left(self._token_starts, span.end))
        first, last = self._sentences(low, high)
        if last - first > SENTENCE_TOKENS:
            first = max(first, low - SENTENCE_TOKENS // 2)
            last = min(last, high + SENTENCE_TOKENS // 2)
        tokens = tuple(
            _within(token, index, first, last)
            for index, token in enumerate(parsed.tokens[first:last], first)
        )
        bounds = parsed.sentences[
            max(0, bisect_right(self._sentence_starts, first) - 1) : bisect_left(
                self._sentence_starts, last
            )
        ]
        sentences = tuple((max(a, first) - first, min(b, last) - first) for a, b in bounds)
        return ParsedText(parsed.text, tokens, sentences, (), ())

    def _sentences(self, low: int, high: int) -> tuple[int, int]:
        """Return the bounds of the sentences that hold the tokens ``low`` to ``high`` (exclusive)."""
        sentences = self.parsed.sentences
        first = max(0, bisect_right(self._sentence_starts, low) - 1)
        last = max(0, bisect_right(self._sentence_starts, high - 1) - 1)
        return sentences[first][0], sentences[last][1]


def _within(token: Token, index: int, first: int, last: int) -> Token:
    """Return the token in a text that begins at ``first``; a head outside of it makes the token a root."""
    head = token.head if first <= token.head < last else index
    return replace(token, head=head - first)
