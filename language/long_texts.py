"""Cut texts that exceed a model's window at sentence bounds, so that every sentence is read.

Sentences end at ``.``, ``!``, ``?`` or ``…`` (with closing quotes) before white space, or at a line
break; the rule need not be perfect, because it only decides where a long text is cut.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

Bounds = tuple[int, int]

_SENTENCE_END = re.compile("(?<=[.!?\u2026])[\"'\u201d\u2019)\\]]*\\s+|\\s*\\n\\s*")


def split_sentences(text: str) -> list[Bounds]:
    """Return the character bounds of the sentences, in order, without surrounding white space."""
    cuts = [(match.start(), match.end()) for match in _SENTENCE_END.finditer(text)]
    # Closing quotes belong to the sentence that they close.
    cuts = [(start + len(text[start:end].rstrip()), end) for start, end in cuts]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return [(a, b) for a, b in zip(starts, ends, strict=True) if text[a:b].strip()]


def pack_sentences(text: str, fits: Callable[[str], bool]) -> list[Bounds]:
    """Return the fewest runs of whole sentences that each fit and cover the text; a long sentence is halved.

    Args:
        text: what to cut; a text that fits comes back whole.
        fits: whether a piece is short enough.
    """
    if fits(text):
        return [(0, len(text))]
    pieces = [
        piece for start, end in split_sentences(text) for piece in _halve(text, start, end, fits)
    ]
    packed: list[Bounds] = []
    for start, end in pieces:
        if packed and fits(text[packed[-1][0] : end]):
            packed[-1] = (packed[-1][0], end)
        else:
            packed.append((start, end))
    return packed


def read_beside(
    text: str,
    others: Sequence[str],
    fits: Callable[[str], bool],
    fit_together: Callable[[str, str], bool],
) -> list[tuple[str, list[str]]]:
    """Return the pieces of a text that fit alone, each with the runs of other texts that fit beside it.

    White space alone can fill a window and holds no sentence: it is read as nothing.

    Args:
        text: what to cut first.
        others: the other texts, whose runs come in their order.
        fits: whether a piece is short enough.
        fit_together: whether a run of another text and a piece are.
    """
    pieces = []
    for start, end in pack_sentences(text, fits) or [(0, 0)]:
        piece = text[start:end]

        def beside(run: str, piece: str = piece) -> bool:
            return fit_together(run, piece)

        runs = [
            other[a:b] for other in others for a, b in pack_sentences(other, beside) or [(0, 0)]
        ]
        pieces.append((piece, runs))
    return pieces


def context_around(text: str, start: int, end: int, fits: Callable[[str], bool]) -> Bounds | None:
    """Return the widest run of whole sentences around a span that fits, or of words in a long sentence.

    It grows by one unit at a time, first after the span, then before it.

    Args:
        text: the whole context.
        start: first character of the span.
        end: character after it.
        fits: whether a piece of the context is short enough.

    Returns:
        Bounds that contain the span, or ``None`` where not even the span alone fits.
    """
    if fits(text):
        return 0, len(text)
    for units in (_units(text, split_sentences), _units(text, _split_words)):
        bounds = units.around(start, end)
        if fits(text[slice(*bounds)]):
            return _grow(text, bounds, units, fits)
    return (start, end) if fits(text[start:end]) else None


@dataclass(frozen=True, slots=True)
class _Units:
    """An index of the sentences or words of a text."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def around(self, start: int, end: int) -> Bounds:
        """Widen the span to whole units."""
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        if first >= last:
            return start, end
        return min(start, self.starts[first]), max(end, self.ends[last - 1])


# A long text is asked about once for each of its spans.
@lru_cache(maxsize=8)
def _units(text: str, split: Callable[[str], list[Bounds]]) -> _Units:
    bounds = split(text)
    return _Units(tuple(start for start, _ in bounds), tuple(end for _, end in bounds))


def _split_words(text: str) -> list[Bounds]:
    return [match.span() for match in re.finditer(r"\S+", text)]


def _grow(text: str, bounds: Bounds, units: _Units, fits: Callable[[str], bool]) -> Bounds:
    low, high = bounds
    before: int | None = bisect_right(units.ends, low) - 1
    after: int | None = bisect_left(units.starts, high)
    while before is not None or after is not None:
        if after is not None:
            if after < len(units.ends) and fits(text[low : units.ends[after]]):
                high = units.ends[after]
                after += 1
            else:
                after = None
        if before is not None:
            if before >= 0 and fits(text[units.starts[before] : high]):
                low = units.starts[before]
                before -= 1
            else:
                before = None
    return low, high


def _halve(text: str, start: int, end: int, fits: Callable[[str], bool]) -> list[Bounds]:
    if fits(text[start:end]) or end - start <= 1:
        return [(start, end)]
    middle = (start + end) // 2
    space = text.rfind(" ", start + 1, middle)
    cut = space + 1 if space > start else middle
    return [*_halve(text, start, cut, fits), *_halve(text, cut, end, fits)]
