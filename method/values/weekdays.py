"""Days of the week in two answers: "Mondays" against "Tuesday to Sunday", "weekdays", "every day".

Opening hours are full of them, and a small judge calls one day another.
"""

import re

from qsquared.method.values.compare import COMPATIBLE, DIFFERENT, EQUAL, WITHIN

_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_ALL = frozenset(range(7))
_GROUPS = {"weekday": frozenset(range(5)), "weekend": frozenset({5, 6})}
_FULL = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
_DAY = r"(?:mon|tues?|wed(?:nes|s)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\b\.?"
# "The sun" is no Sunday, so that a short name has to stand in a span.
_SPAN = re.compile(
    rf"(?P<first>{_DAY})\s*(?:to|through|thru|until|till|-|\u2013)\s*(?P<last>{_DAY})"
)
_ITEM = re.compile(
    rf"(?P<one>{_FULL})|"
    r"(?P<group>weekday|weekend)s?\b|(?P<all>every day|daily|seven days a week)\b"
)
_BEFORE = re.compile(r"(?:(?:only|on|from|every(?! day)|each|the)\s+)*")
_BETWEEN = re.compile(r"\s*(?:,\s*(?:and|or)\b|,|&|/|\band\b|\bor\b)\s*(?:on\s+|from\s+)?")


def relate_weekdays(claim: str, known: str) -> str | None:
    """Return the relation of two answers that name days of the week and nothing else.

    Args:
        claim: the reply's answer.
        known: the knowledge's answer; another single day leaves the relation unsure, since it may be
            the one that the reader took of many.

    Returns:
        One of the relations of `qsquared.method.values.compare`; None where it is not sure.
    """
    ours, theirs = weekdays(claim), weekdays(known)
    if not ours or not theirs:
        return None
    if ours == theirs:
        return EQUAL
    if len(theirs) < 2:
        return None
    if ours < theirs:
        return WITHIN
    return COMPATIBLE if ours & theirs else DIFFERENT


def weekdays(answer: str) -> frozenset[int] | None:
    """Return the days that an answer names, Monday as 0; None if it says anything else."""
    text = answer.lower().strip().rstrip(".!")
    found: set[int] = set()
    place = 0
    while True:
        before = _BEFORE.match(text, place)
        begin = before.end() if before else place
        item = _SPAN.match(text, begin) or _ITEM.match(text, begin)
        if item is None:
            return None
        found |= _days(item)
        place = item.end()
        if place == len(text):
            return frozenset(found)
        between = _BETWEEN.match(text, place)
        if between is None or between.end() == place:
            return None
        place = between.end()


def _days(item: re.Match[str]) -> frozenset[int]:
    found = item.groupdict()
    if found.get("all"):
        return _ALL
    if found.get("group"):
        return _GROUPS[found["group"]]
    one = found.get("one", "")
    first = _NAMES.index(found.get("first", one)[:3])
    last = _NAMES.index(found.get("last", one)[:3])
    return frozenset((first + step) % 7 for step in range((last - first) % 7 + 1))
