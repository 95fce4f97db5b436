"""Days of the week in two answers: "Mondays" against "Tuesday to Sunday", "weekdays", "every day".

Opening hours are full of them, and a small judge calls one day another.
"""

import re

from qsquared.method.values.compare import COMPATIBLE, DIFFERENT, EQUAL, WITHIN

_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_GROUPS = {"weekday": range(5), "weekend": range(5, 7), "": range(7)}
_FULL = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
_DAY = r"(?:mon|tues?|wed(?:nes|s)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\b\.?"
_TO = r"\s*(?:to|through|thru|until|till|-|\u2013)\s*"
_BEFORE = r"(?:(?:only|on|from|every(?! day)|each|the)\s+)*"
# A list of days is one of these two, again and again with a third between them (`weekdays`).
_RANGE = re.compile(rf"{_BEFORE}({_DAY}){_TO}({_DAY})")
# "The sun" is no Sunday, so that a short name has to stand in a range.
_NAMED = re.compile(
    rf"{_BEFORE}(?:({_FULL})|(weekday|weekend)s?\b|(?:every day|daily|seven days a week)\b)"
)
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
    days: set[int] = set()
    position = 0
    while True:
        if item := _RANGE.match(text, position):
            days.update(_days_between(*item.groups()))
        elif item := _NAMED.match(text, position):
            day, group = item.groups()
            days.update(_days_between(day, day) if day else _GROUPS[group or ""])
        else:
            return None
        if item.end() == len(text):
            return frozenset(days)
        between = _BETWEEN.match(text, item.end())
        if between is None:
            return None
        position = between.end()


def _days_between(first: str, last: str) -> list[int]:
    begin, end = _NAMES.index(first[:3]), _NAMES.index(last[:3])
    return [(begin + step) % 7 for step in range((end - begin) % 7 + 1)]
