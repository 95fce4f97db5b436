"""Texts for terminals and pages: logged texts made harmless, and numbers with their nouns."""

import unicodedata

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
