"""A text that knows for each of its characters the logged characters that it came from."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Edit = tuple[int, int, str]
"""Replace the characters from the first to before the second by a text."""


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
        position = self.ends[-1] if self.ends else 0
        positions = array("i", [position]) * len(text)
        return Mapped(text, positions, positions)

    def edited(self, edits: Iterable[Edit]) -> Mapped:
        """Return the text with these edits, less those that begin within another one.

        Each character of a replacement came from all characters that it replaces.
        """
        parts: list[Mapped] = []
        done = 0
        for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
            if start < done:
                continue
            first = last = self.ends[start - 1] if start else 0
            if end > start:
                first, last = self.starts[start], self.ends[end - 1]
            bounds = array("i", [first]) * len(new), array("i", [last]) * len(new)
            parts += (self.part(done, start), Mapped(new, *bounds))
            done = end
        return Mapped.joined([*parts, self.part(done, len(self.text))]) if parts else self

    def replaced(
        self, pattern: re.Pattern[str], new: str | Callable[[re.Match[str]], str] = ""
    ) -> Mapped:
        """Return the text with another one in place of each match, or with what a function gives."""
        return self.edited(
            (*match.span(), new if isinstance(new, str) else new(match))
            for match in pattern.finditer(self.text)
        )

    def stripped(self) -> Mapped:
        """Return the text without white space at its ends."""
        left = len(self.text) - len(self.text.lstrip())
        return self.part(left, max(left, len(self.text.rstrip())))

    def logged(self, start: int, end: int) -> tuple[int, int]:
        """Return the logged range of the characters from ``start`` to before ``end``.

        Added characters at the ends of the range do not count; where all were added, the range is
        empty.
        """
        from_log = [
            number for number in range(start, end) if self.starts[number] < self.ends[number]
        ]
        if from_log:
            return self.starts[from_log[0]], self.ends[from_log[-1]]
        position = self.ends[end - 1] if end else 0
        return position, position

    def runs(self) -> list[int]:
        """Return the map as runs of four numbers, one after another.

        They are the run's first character in this text, its first logged character, and its length
        here and in the log.
        Where the lengths are equal, characters stand for each other one by one; where they differ,
        all for all.
        Added characters are in no run.
        """
        runs: list[int] = []
        for position, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            if start == end:
                continue
            first, logged, length, size = runs[-4:] or (-1, 0, 0, 0)
            next_to = first + length == position
            if next_to and length == size and (start, end) == (logged + size, logged + size + 1):
                runs[-2:] = [length + 1, length + 1]
            # Of equal lengths characters would stand for each other one by one.
            elif next_to and (start, end) == (logged, logged + size) and length + 1 != size:
                runs[-2] = length + 1
            else:
                runs += [position, start, 1, end - start]
        return runs


def from_runs(text: str, runs: Sequence[int]) -> Mapped:
    """Return a text with the map that `Mapped.runs` gave."""
    starts, ends = array("i"), array("i")
    last = 0
    fours = [*zip(*[iter(runs)] * 4, strict=True), (len(text), 0, 0, 0)]
    for position, logged, length, logged_length in fours:
        added = array("i", [last]) * (position - len(starts))
        starts.extend(added)
        ends.extend(added)
        last = logged + logged_length
        if length == logged_length:
            starts.extend(range(logged, last))
            ends.extend(range(logged + 1, last + 1))
        else:
            starts.extend(array("i", [logged]) * length)
            ends.extend(array("i", [last]) * length)
    return Mapped(text, starts, ends)
