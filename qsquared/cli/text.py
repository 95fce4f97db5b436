"""Show logged text on a terminal without letting it command the terminal."""

from __future__ import annotations

from qsquared.visible import visible

__all__ = ["count", "shorten", "visible"]


def shorten(text: str, width: int) -> str:
    """The text on one line, cut with an ellipsis."""
    line = " ".join(visible(text).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def count(number: int, noun: str) -> str:
    """A number with its noun, in the plural where it belongs."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
