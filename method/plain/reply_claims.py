"""The plain text of a reply's claims, which questions are asked about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from qsquared.method.plain.markup.offset_mapping import Mapped, from_runs
from qsquared.method.plain.reply import read_reply
from qsquared.method.plain.sentence_kinds import CLAIMED, WHOLE

Row = Mapping[str, Any]
_ENDS = (".", "!", "?", "…", ":", ";", ",", '"', "”", "'", "’", ")")


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a reply as one text, with its map to the logged reply.

    ``places`` has the number of each claim's sentence and its bounds in the text.
    ``spelled`` is the text with the first letters of claims as they were logged.
    ``as_logged`` tells that the text is the whole reply, as the papers read it.
    """

    text: Mapped
    places: tuple[tuple[int, int, int], ...]
    spelled: str
    as_logged: bool = False

    def sentence_at(self, offset: int) -> int:
        """Return the number of the sentence that has the character at an offset."""
        return max((number for number, start, _ in self.places if start <= offset), default=0)

    def logged(self, start: int, end: int) -> tuple[int, int]:
        """Return the logged range of characters of the text."""
        return self.text.logged(start, end)


def claims_of(rows: Sequence[Row]) -> Claims:
    """Join the claims of a reply by spaces, with a full stop behind each that has none.

    Args:
        rows: the rows of the table `sentences` of one reply, in order.
    """
    claims = [row for row in rows if row["kind"] in CLAIMED and row["error"] is None]
    parts: list[Mapped] = []
    places: list[tuple[int, int, int]] = []
    spelled: list[str] = []
    length = 0
    for number, row in enumerate(claims):
        logged = from_runs(row["text"], row["runs"]).part(row["claim_start"], row["claim_end"])
        part = _capitalised(logged) if row["claim_start"] else logged
        places.append((row["sentence"], length, length + len(part.text)))
        stop = "" if part.text.endswith(_ENDS) or row["kind"] == WHOLE else "."
        added = part.added(stop if number == len(claims) - 1 else f"{stop} ")
        parts += (part, added)
        spelled += (logged.text, added.text)
        length += len(part.text) + len(added.text)
    as_logged = any(row["kind"] == WHOLE for row in claims)
    return Claims(Mapped.joined(parts), tuple(places), "".join(spelled), as_logged)


def text_of_claims(logged: str, reading: str | None) -> str:
    """Return the claims of a logged reply as one text; empty where it claims nothing.

    Raises:
        ValueError: ``reading`` is not one of ``READINGS``.
    """
    rows = [
        {**asdict(sentence), "sentence": number, "error": None}
        for number, sentence in enumerate(read_reply(logged, reading))
    ]
    return claims_of(rows).text.text


def claims_by_pair(rows: Iterable[Row]) -> dict[str, Claims]:
    """Return the claims of each reply; of one without any, an empty text.

    Args:
        rows: rows of the table `sentences`, those of a pair together and in order.
    """
    return {
        pair: claims_of(list(of_pair))
        for pair, of_pair in groupby(rows, key=lambda row: row["pair_id"])
    }


def plain_bounds(span: Row) -> tuple[int, int]:
    """Return a span's place in the plain text of the claims.

    Tables that were written before there were sentences have the place in the reply, which is the
    same for a reply that is read as logged.
    """
    if span["plain_start"] is None:
        return span["start"], span["end"]
    return span["plain_start"], span["plain_end"]


def _capitalised(claim: Mapped) -> Mapped:
    """Return a claim with a capital letter; behind "According to our help article," it has none."""
    first, second = claim.text[:1], claim.text[1:2]
    if first.islower() and not second.isupper() and len(first.upper()) == 1:
        return Mapped(first.upper() + claim.text[1:], claim.starts, claim.ends)
    return claim
