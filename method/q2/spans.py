"""Informative spans of a response: named entities and noun chunks (Q², section 2)."""

# ruff: noqa: SIM905  # a word list reads better as running text

import re
import unicodedata

from qsquared.method.values.answer import content_words
from qsquared.records import ParsedText, Span

UNITS_VERSION = 1
"""Raised whenever the spans of claims (``with_units``) would be others."""

ENTITY = "entity"
"""The kind of a span that is a named entity; the other kind is `noun_chunk`."""


_EMPTY = frozenset(
    """you me him us them who whom what which anything everything nothing something one first case effect
    end example thing way time part fact lot kind""".split()
)
"""Empty words, besides the function words that `content_words` drops."""

_TELLS_NOTHING = 3
"""The rank of pronouns and empty words, the last."""

_PER = re.compile(r"/[^\W\d_]+\b")
_NUMBERS = frozenset({"MONEY", "PERCENT", "QUANTITY", "DATE", "TIME", "CARDINAL", "ORDINAL"})


def telling(text: str, label: str | None) -> tuple[int, int]:
    """Return the rank of a span among those of its sentence, the most telling first.

    Numbers and dates come before names, these before other phrases, and pronouns and empty words
    (also "one" and "the first") last; of phrases those with the most letters come first, because
    rare words are long (Zipf 1935).
    """
    words = content_words(text) - _EMPTY
    if any(character.isdigit() for character in text):
        return 0, 0
    if not words:
        return _TELLS_NOTHING, 0
    if label:
        return (0 if label in _NUMBERS else 1), 0
    return 2, -sum(map(len, words))


def is_empty(text: str) -> bool:
    """Whether a span has only pronouns and empty words."""
    return telling(text, "")[0] == _TELLS_NOTHING


def is_currency(character: str) -> bool:
    """Whether a character is a sign of money, such as € or $."""
    return unicodedata.category(character) == "Sc"


def currency_before(text: str, start: int) -> int:
    """Return the length of the sign of money before an offset, with its space; 0 without one."""
    sign = text[max(0, start - 2) : start]
    length = len(sign) if sign[1:].isspace() else min(1, len(sign))
    return length if length and is_currency(text[start - length]) else 0


def extract_spans(parsed: ParsedText, *, with_units: bool = False) -> list[Span]:
    """Return all entities, then the noun chunks whose text no entity has; "I" is left out.

    Texts count as equal regardless of case, and the first of equal ones stays.
    The parser leaves the sign of money out of an amount ("7.95" of "€7.95"), and what follows a slash
    ("50 km" of "50 km/h").
    Beyond the paper, with ``with_units`` any span, also a name, takes the sign of money before it,
    and a number entity the "/unit" behind it, so that €4.95 and £4.95 are two answers.
    (The published code does not compare entities with each other, so it asks twice about one that is
    named twice.)
    Offsets are trimmed of surrounding white space, so ``text`` is always ``response[start:end]``.
    """
    spans: list[Span] = []
    seen = {"", "i"}
    for kind, chunks in ((ENTITY, parsed.entities), ("noun_chunk", parsed.noun_chunks)):
        for chunk in chunks:
            raw = parsed.text[chunk.start : chunk.end]
            start = chunk.start + len(raw) - len(raw.lstrip())
            end = chunk.end
            if with_units:
                start -= currency_before(parsed.text, start)
                per = _PER.match(parsed.text, end) if chunk.label in _NUMBERS else None
                end = per.end() if per else end
            text = parsed.text[start:end].rstrip()
            if text.lower() in seen:
                continue
            seen.add(text.lower())
            spans.append(Span(start, start + len(text), text, kind, chunk.label))
    return spans
