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
# "The sun" is no Sunday, so that a short name has to stand in a span.
_ITEM = rf"({_DAY}){_TO}({_DAY})|({_FULL})|(weekday|weekend)s?\b|(?:every day|daily|seven days a week)\b"
_ITEMS = re.compile(_ITEM)
_BEFORE = r"(?:(?:only|on|from|every(?! day)|each|the)\s+)*"
_BETWEEN = r"\s*(?:,\s*(?:and|or)\b|,|&|/|\band\b|\bor\b)\s*(?:on\s+|from\s+)?"
_LIST = re.compile(rf"{_BEFORE}(?:{_ITEM})(?:{_BETWEEN}{_BEFORE}(?:{_ITEM}))*")


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
    if not _LIST.fullmatch(text):
        return None
    return frozenset(day for item in _ITEMS.finditer(text) for day in _days(item))


def _days(item: re.Match[str]) -> range | list[int]:
    first, last, one, group = (part or "" for part in item.groups())
    if not (first or one):
        return _GROUPS[group]
    begin, end = _NAMES.index((first or one)[:3]), _NAMES.index((last or one)[:3])
    return [(begin + step) % 7 for step in range((end - begin) % 7 + 1)]
