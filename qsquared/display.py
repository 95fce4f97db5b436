"""Texts for terminals and pages: logged texts made harmless, numbers with nouns, words of verdicts, passages' names."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_KEPT = {"\n", "\t"}
_BIDI = {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"}


def visible(text: str) -> str:
    """Replace control and direction characters by a placeholder of the same length.

    Offsets into the text stay right.
    """
    return "".join(
        "\ufffd" if (unicodedata.category(c) == "Cc" and c not in _KEPT) or c in _BIDI else c
        for c in text
    )


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: blanks, and characters that have no width."""
    return all(c.isspace() or unicodedata.category(c) == "Cf" for c in text)


def shorten(text: str, width: int) -> str:
    """Return the text on one line, cut with an ellipsis."""
    line = " ".join(visible(text).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size(number: int) -> str:
    """Return a number of bytes in kB, MB or GB."""
    if number < 100_000:
        return f"{number / 1e3:.1f} kB"
    return f"{number / 1e6:.1f} MB" if number < 100_000_000 else f"{number / 1e9:.1f} GB"


def percent(share: float) -> str:
    """Return a share as a percentage."""
    return f"{share:.1%}".replace("%", " %")


def duration(seconds: float) -> str:
    """Return a time in words: 40 s, 12 min, 1 h 5 min."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours:,} h {minutes} min" if hours else f"{minutes} min"


def p_value(value: float) -> str:
    """Return a p-value as words; no test of ours is exact enough for one below .0001."""
    return f"p = {value:.2g}" if value >= 0.0001 else "p < 0.0001"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The words of a verdict, its style on a terminal, and its colour on a light or dark page."""

    words: str
    style: str
    colour: str


VERDICTS = {
    "contradicted": Verdict("contradicted", "red", "#d0312d"),
    "no_answer": Verdict("no answer to a question about it", "magenta", "#a050c8"),
    "partial": Verdict("partly supported", "yellow", "#b8860b"),
    "supported": Verdict("supported", "green", "#2e8b57"),
}
"""The verdicts on spans and questions, gravest first."""

IN_KNOWLEDGE = "its words stand in the knowledge"
"""The words beside `no_answer` where the question only missed them."""

BY_SENTENCE = "by its sentence as a whole"
"""The words beside a verdict that the judge of the whole sentence gave."""

RELATIONS = {
    "equal": "same value",
    "within": "true by its value",
    "members": "same members",
    "compatible": "more exact than the knowledge",
    "some_members": "some of its members only",
    "different": "another value",
}
"""The relations of two answers by their values (``method/values/compare.py``)."""

STATUSES = {
    "scored": "scored by questions",
    "fallback_nli": "scored by the NLI fallback (no valid question)",
    "no_claim": "not scored: the reply claims nothing",
    "other_language": "not scored: the reply is not in English",
    "empty_response": "not scored: empty response",
    "no_knowledge": "not scored: no knowledge",
    "error": "not scored: a model failed",
    "pending": "not scored yet with this profile",
}
"""The statuses of turns."""


def passage_name(source: Mapping[str, Any]) -> str:
    """Return a passage's name: its id, title, source or address, else its first field."""
    names = [source[key] for key in ("id", "title", "source", "url") if key in source]
    return str((names or list(source.values()))[0])
