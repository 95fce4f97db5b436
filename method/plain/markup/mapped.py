"""A text that knows for each of its characters the logged characters that it came from."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Edit = tuple[int, int, str]
"""Replace the characters from the first to before the second by a text."""

_RUN = 4


@dataclass(frozen=True, slots=True)
class Mapped:
    """A text with the range of logged characters, end exclusive, of each of its characters.

    A character that was added has an empty range, at the end of the character before it.
    """

    text: str
    starts: array[int]
    ends: array[int]

    @classmethod
    def of(cls, logged: str) -> Mapped:
        """Return the logged text itself."""
        size = len(logged)
        return cls(logged, array("i", range(size)), array("i", range(1, size + 1)))

    @classmethod
    def joined(cls, parts: Iterable[Mapped]) -> Mapped:
        """Return several texts one after another."""
        texts: list[str] = []
        starts, ends = array("i"), array("i")
        for part in parts:
            texts.append(part.text)
            starts.extend(part.starts)
            ends.extend(part.ends)
        return cls("".join(texts), starts, ends)

    def part(self, start: int, end: int) -> Mapped:
        """Return the characters from ``start`` to before ``end``."""
        return Mapped(self.text[start:end], self.starts[start:end], self.ends[start:end])

    def added(self, text: str) -> Mapped:
        """Return a text that stands nowhere in the log, to be put after this one."""
        place = self.ends[-1] if self.ends else 0
        places = array("i", [place]) * len(text)
        return Mapped(text, places, places)

    def edited(self, edits: Sequence[Edit]) -> Mapped:
        """Return the text with these edits, which are in order and do not overlap.

        Each character of a replacement came from all characters that it replaces.
        """
        parts: list[Mapped] = []
        done = 0
        for start, end, new in edits:
            first = last = self.ends[start - 1] if start else 0
            if end > start:
                first, last = self.starts[start], self.ends[end - 1]
            size = len(new)
            parts += (
                self.part(done, start),
                Mapped(new, array("i", [first]) * size, array("i", [last]) * size),
            )
            done = end
        return Mapped.joined([*parts, self.part(done, len(self.text))]) if edits else self

    def without(self, pattern: re.Pattern[str], instead: str = "") -> Mapped:
        """Return the text with another one in place of each match."""
        return self.edited([(*match.span(), instead) for match in pattern.finditer(self.text)])

    def stripped(self) -> Mapped:
        """Return the text without white space at its ends."""
        left = len(self.text) - len(self.text.lstrip())
        return self.part(left, max(left, len(self.text.rstrip())))

    def logged(self, start: int, end: int) -> tuple[int, int]:
        """Return the logged range of the characters from ``start`` to before ``end``.

        Added characters at the ends of the range do not count; where all were added, the range is
        empty.
        """
        while start < end and self.starts[start] == self.ends[start]:
            start += 1
        while start < end and self.starts[end - 1] == self.ends[end - 1]:
            end -= 1
        if start >= end:
            place = self.ends[start - 1] if start else 0
            return place, place
        return self.starts[start], self.ends[end - 1]

    def runs(self) -> list[int]:
        """Return the map as runs of four numbers, one after another.

        They are the run's first character in this text, its first logged character, and its length
        here and in the log.
        Where the lengths are equal, characters stand for each other one by one; where they differ,
        all for all.
        Added characters are in no run.
        """
        runs: list[int] = []
        for place, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            if start == end:
                continue
            single = end == start + 1
            if runs:
                first, logged, length, logged_length = runs[-_RUN:]
                next_to = first + length == place
                if next_to and single and length == logged_length and logged + length == start:
                    runs[-2:] = [length + 1, length + 1]
                    continue
                # Of equal lengths characters would stand for each other one by one.
                apart = length + 1 == logged_length
                if next_to and (start, end) == (logged, logged + logged_length) and not apart:
                    runs[-2] = length + 1
                    continue
            runs += [place, start, 1, end - start]
        return runs


def from_runs(text: str, runs: Sequence[int]) -> Mapped:
    """Return a text with the map that `Mapped.runs` gave."""
    starts, ends = array("i"), array("i")
    last = 0

    def add(number: int) -> None:
        starts.extend(array("i", [last]) * number)
        ends.extend(array("i", [last]) * number)

    for i in range(0, len(runs), _RUN):
        place, logged, length, logged_length = runs[i : i + _RUN]
        add(place - len(starts))
        if length == logged_length:
            starts.extend(array("i", range(logged, logged + length)))
            ends.extend(array("i", range(logged + 1, logged + length + 1)))
        else:
            starts.extend(array("i", [logged]) * length)
            ends.extend(array("i", [logged + logged_length]) * length)
        last = logged + logged_length
    add(len(text) - len(starts))
    return Mapped(text, starts, ends)


def without_overlaps(edits: Iterable[Edit]) -> list[Edit]:
    """Return edits in order, each that begins within the one before it left out."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: edit[:2]):
        if not kept or edit[0] >= kept[-1][1]:
            kept.append(edit)
    return kept
