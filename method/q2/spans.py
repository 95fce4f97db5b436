"""Informative spans of a response: named entities and noun chunks (Q², section 2)."""

import unicodedata

from qsquared.records import ParsedText, Span

ENTITY = "entity"
"""The kind of a span that is a named entity; the other kind is `noun_chunk`."""


def is_currency(character: str) -> bool:
    """Whether a character is a sign of money, such as € or $."""
    return unicodedata.category(character) == "Sc"


def currency_before(text: str, place: int) -> int:
    """Return how many characters the sign of money takes before an amount, its space included."""
    sign = text[max(0, place - 2) : place]
    length = len(sign) if sign[1:].isspace() else min(1, len(sign))
    return length if length and is_currency(text[place - length]) else 0


def extract_spans(parsed: ParsedText, *, with_currency: bool = False) -> list[Span]:
    """Return all entities, then the noun chunks whose text no entity has; "I" is left out.

    Texts count as equal regardless of case, and the first of equal ones stays.
    The parser leaves the sign of money out of an amount ("7.95" of "€7.95"); with ``with_currency`` a
    span has the sign before it, so that €4.95 and £4.95 are two answers, which goes beyond the paper.
    (The published code does not compare entities with each other, so it asks the questions of an
    entity that is named twice twice.)
    Offsets are trimmed of surrounding white space, so ``text`` is always ``response[start:end]``.
    """
    found: list[Span] = []
    seen = {"", "i"}
    for kind, chunks in ((ENTITY, parsed.entities), ("noun_chunk", parsed.noun_chunks)):
        for chunk in chunks:
            raw = parsed.text[chunk.start : chunk.end]
            start = chunk.start + len(raw) - len(raw.lstrip())
            if with_currency:
                start -= currency_before(parsed.text, start)
            text = parsed.text[start : chunk.end].rstrip()
            if text.lower() in seen:
                continue
            seen.add(text.lower())
            found.append(Span(start, start + len(text), text, kind, chunk.label))
    return found
