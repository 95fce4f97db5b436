"""Decide by value whether the knowledge's answer supports the reply's, where this is sure.

Lists are compared as sets: the order of their members carries no meaning.
"""

import re
from dataclasses import dataclass

from qsquared.method.values.answer import LONGEST, content_words, normalise, read
from qsquared.method.values.compare import COMPATIBLE, DIFFERENT, EQUAL, OPEN, WITHIN, relate
from qsquared.method.values.compare_dates import relate_weekdays

BY_VALUE = "values/5"
"""The value of the parameter ``by_value``; the number is raised whenever a rule changes."""

MEMBERS = "members"
"""Each member of the reply's list is one of the knowledge's."""
SOME_MEMBERS = "some_members"
"""Only some of them are."""

RELATIONS = (EQUAL, WITHIN, MEMBERS, COMPATIBLE, SOME_MEMBERS, DIFFERENT)
"""The relations that decide a question, from the best to the worst."""

HALF = 0.5
"""Least score of a reply that says more than the knowledge's answer, and nothing against it."""

_SHARES = {EQUAL: 1.0, WITHIN: 1.0, COMPATIBLE: HALF, DIFFERENT: 0.0, OPEN: 0.0}
_JOINED = re.compile(
    r"\s*,\s*(?:and|or|as well as|plus)\s+|\s*[,;]\s+|\s+(?:and|or|as well as|plus)\s+|\s*&\s*"
)
_LISTED, _OR = re.compile(r"\b(?:and|as well as|plus|or)\b|&"), re.compile(r"\bor\b")
_MOST = 40
"""A list with more members is no answer."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The relation of two answers by their values, and the share of the reply's that holds, 0 to 1.

    The relation ``open`` leaves the decision to the judge, even where the words are equal.
    """

    relation: str
    share: float

    @property
    def decides(self) -> bool:
        """Whether the judge need not be asked."""
        return self.relation != OPEN


def decide(claim: str, known: str, question: str = "") -> Decision | None:
    """Compare two answers by their values; None where they have none to compare.

    Args:
        claim: the reply's answer.
        known: the knowledge's answer.
        question: the question that both answer.
    """
    if claim == known:
        return None
    relation = relate_weekdays(claim, known)
    listed = None if relation else _of_lists(claim, known)
    if listed and listed.share == 1.0:
        return listed
    relation = relation or relate(claim, known, question)
    if listed and relation in {DIFFERENT, OPEN, None}:
        return listed
    return Decision(relation, _SHARES[relation]) if relation else None


def _of_lists(claim: str, known: str) -> Decision | None:
    """Decide by the share of a claimed list's members that are among the known ones.

    It is None where the two are no lists, or where no member is shared: other words may mean the same.
    """
    if _is_one_value(claim) or _is_one_value(known):
        return None
    ours, theirs = _members(claim), _members(known)
    if len(theirs) < 2 or (len(ours) < 2 and _OR.search(normalise(known))):
        return None
    share = sum(any(_agree(member, other) for other in theirs) for member in ours) / len(ours)
    return Decision(MEMBERS if share == 1.0 else SOME_MEMBERS, share) if share else None


def _is_one_value(answer: str) -> bool:
    """Whether an answer that looks like a list is a single value, as "Monday, 4 May 2020"."""
    reading = read(answer)
    return reading is None or (
        len(_members(answer)) > 1 and len(reading.values) == 1 and not reading.rest
    )


def _members(answer: str) -> list[str]:
    """Return the members of a list; an answer that is none is its only member.

    A comma alone makes no list of two: "Paris, France" is one place.
    """
    if len(answer) > LONGEST:
        return [answer]
    plain = normalise(answer)
    parts = [part for part in _JOINED.split(plain) if part.strip()]
    listed = _LISTED.search(plain) or len(parts) > 2
    return parts if listed and 1 < len(parts) <= _MOST else [plain]


def _agree(first: str, second: str) -> bool:
    """Whether two members are the same, by their words or by their values."""
    return content_words(first) == content_words(second) or relate(first, second) in {EQUAL, WITHIN}
