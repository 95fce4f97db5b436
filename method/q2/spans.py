"""Informative spans of a response: named entities and noun chunks (Q², section 2)."""

from qsquared.records import ParsedText, Span

ENTITY = "entity"
"""The kind of a span that is a named entity; the other kind is `noun_chunk`."""


def extract_spans(parsed: ParsedText) -> list[Span]:
    """Return all entities, then the noun chunks whose text no entity has; "I" is left out.

    Texts count as equal regardless of case, and the first of equal ones stays.
    (The published code does not compare entities with each other, so it asks the questions of an
    entity that is named twice twice.)
    Offsets are trimmed of surrounding white space, so ``text`` is always ``response[start:end]``.
    """
    found: list[Span] = []
    seen = {"", "i"}
    for kind, chunks in ((ENTITY, parsed.entities), ("noun_chunk", parsed.noun_chunks)):
        for chunk in chunks:
            raw = parsed.text[chunk.start : chunk.end]
            text = raw.strip()
            if text.lower() in seen:
                continue
            seen.add(text.lower())
            start = chunk.start + len(raw) - len(raw.lstrip())
            found.append(Span(start, start + len(text), text, kind, chunk.label))
    return found
