"""The plain text of a reply's claims, which questions are asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qsquared.method.plain.kinds import CLAIM
from qsquared.method.plain.mapped import Mapped, from_runs

Row = Mapping[str, Any]
_ENDS = (".", "!", "?", "…", ":", ";", ",", '"', "”", "'", "’", ")")


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a reply as one text, with its map to the logged reply.

    ``places`` has the number of each claim's sentence and its bounds in the text.
    """

    text: Mapped
    places: tuple[tuple[int, int, int], ...]

    def sentence_at(self, place: int) -> int:
        """Return the number of the sentence that a character stands in."""
        found = 0
        for number, start, _ in self.places:
            if start > place:
                break
            found = number
        return found

    def logged(self, start: int, end: int) -> tuple[int, int]:
        """Return the logged range of characters of the text."""
        return self.text.logged(start, end)


def claims_of(rows: Sequence[Row]) -> Claims:
    """Join the claims of a reply by spaces, and by full stops where a claim has none.

    Args:
        rows: the rows of the table `sentences` of one reply, in order.
    """
    claims = [row for row in rows if row["kind"] == CLAIM and row["error"] is None]
    parts: list[Mapped] = []
    places: list[tuple[int, int, int]] = []
    length = 0
    for number, row in enumerate(claims):
        part = _claim(row)
        places.append((row["sentence"], length, length + len(part.text)))
        last = number == len(claims) - 1
        cut = row["claim_end"] < len(row["text"])
        between = "" if part.text.endswith(_ENDS) or (last and not cut) else "."
        added = part.added(between if last else f"{between} ")
        parts += (part, added)
        length += len(part.text) + len(added.text)
    return Claims(Mapped.joined(parts), tuple(places))


def _claim(row: Row) -> Mapped:
    text = from_runs(row["text"], row["runs"])
    start = row["claim_start"]
    part = text.part(start, row["claim_end"])
    first = part.text[:1]
    if start and first.islower() and len(first.upper()) == 1:
        # What was said behind "According to our help article," is a sentence now.
        return Mapped(first.upper() + part.text[1:], part.starts, part.ends)
    return part
