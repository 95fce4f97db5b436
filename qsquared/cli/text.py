"""Texts for a terminal: numbers with their nouns, and logged texts made harmless."""

from __future__ import annotations

from qsquared.visible import visible

__all__ = ["count", "shorten", "visible"]


def shorten(text: str, width: int) -> str:
    """Return the text on one line, cut with an ellipsis."""
    line = " ".join(visible(text).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
