"""Segments of a text between the edges of its marks, to show it with them."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from qsquared.method.q2.explaining.attribution import worst

UNCHECKED = "unchecked"
"""The mark of a span without a valid question; every verdict hides it."""

Mark = tuple[int, int, str]
"""First character, character after the last, and verdict of a marked part of a text."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a text and the verdict that marks it, which is empty where there is no mark."""

    text: str
    verdict: str = ""


def cut(text: str, marks: Iterable[Mark]) -> list[Segment]:
    """Cut a text at its marks; where they overlap, the gravest verdict counts."""
    kept = [mark for mark in marks if 0 <= mark[0] < mark[1] <= len(text)]
    edges = sorted({0, len(text), *(edge for start, end, _ in kept for edge in (start, end))})
    segments: list[Segment] = []
    for start, end in itertools.pairwise(edges):
        over = {verdict for first, last, verdict in kept if first <= start and end <= last}
        gravest = worst(over) or (UNCHECKED if UNCHECKED in over else "")
        if segments and segments[-1].verdict == gravest:
            segments[-1] = Segment(segments[-1].text + text[start:end], gravest)
        else:
            segments.append(Segment(text[start:end], gravest))
    return segments


def shorten(segments: list[Segment], around: int) -> list[Segment]:
    """Cut long unmarked parts to so many characters beside the marks, with `…` for the rest."""
    short = []
    for number, segment in enumerate(segments):
        head = 0 if number == 0 else around
        tail = 0 if number == len(segments) - 1 else around
        if len(segments) == 1:
            head = around
        if segment.verdict or len(segment.text) <= head + tail + 1:
            short.append(segment)
            continue
        short.append(Segment(segment.text[:head] + " … " + (segment.text[-tail:] if tail else "")))
    return short
