"""Compare two dates or two times of day by the parts that both state, and the days of the week in two answers.

Opening hours are full of "Mondays", "Tuesday to Sunday" and "every day", and a small judge calls one day another.
"""

# ruff: noqa: PLR0911  # each case has its return

import re
from dataclasses import replace

from qsquared.method.values.value import Clock, Date

_FEW_YEARS = 10
"""Beyond so many years "around" a year fails."""

_ON = frozenset({"", "since", "until"})
"""Bounds that include their date."""


def compare_dates(claim: Date, known: Date) -> str | None:
    """Return the relation of a claimed date to a known one; None where it is not sure."""
    if claim.swapped or known.swapped:
        return _best_reading(claim, known)
    if claim.last is not None or known.last is not None:
        return _with_years(claim, known)
    relation = _by_parts(claim, known)
    if claim.bound or known.bound:
        return _with_bound(relation, claim, known)
    return _with_part(relation, claim, known)


def _best_reading(claim: Date, known: Date) -> str | None:
    """Return the relation of the two readings of dates such as 04/05/2020 that agree best."""
    relations = {
        compare_dates(replace(reading, swapped=None), replace(other, swapped=None))
        for reading in (claim, claim.swapped)
        for other in (known, known.swapped)
        if reading and other
    }
    best_first = ("equal", "within", "compatible", None)
    return next((relation for relation in best_first if relation in relations), "different")


def _by_parts(claim: Date, known: Date) -> str | None:
    ours, theirs = claim.parts, known.parts
    shared = ours.keys() & theirs.keys()
    if any(ours[part] != theirs[part] for part in shared):
        return "different"
    if not shared or ours.keys() == theirs.keys():
        return "equal" if shared else None
    # A weekday adds nothing to a full date.
    more = ours.keys() - theirs.keys() - ({"weekday"} if {"day", "month"} <= shared else set())
    if not more:
        return "within"
    return "compatible" if not theirs.keys() - ours.keys() else None


def _with_part(relation: str | None, claim: Date, known: Date) -> str | None:
    """Weaken a relation by "early", "mid" and "late"."""
    if relation == "different" or claim.part == known.part:
        return relation
    if claim.part:
        return "different" if known.part and relation == "equal" else None
    return "within" if relation == "equal" else relation


def _with_bound(relation: str | None, claim: Date, known: Date) -> str | None:
    bounds = {claim.bound, known.bound}
    years = [date.year for date in (claim, known) if date.year is not None]
    far = len(years) == 2 and abs(years[0] - years[1]) > _FEW_YEARS
    if "about" in bounds:
        if relation == "different":
            return "different" if far else None
        return "within" if len(bounds) == 2 and relation == "equal" else relation
    if len(bounds) == 1:
        return relation
    if relation in {"equal", "within"} and bounds <= _ON:
        return "different" if bounds == {"since", "until"} else relation
    if len(years) < 2 or relation != "different" or (claim.bound and known.bound):
        return None
    bounded, point = (claim, known) if claim.bound else (known, claim)
    later = _order(point) > _order(bounded)
    if later != (bounded.bound in {"after", "since"}):
        return "different"
    if bounded.bound in _ON or far:
        return None
    return "within" if claim.bound else "compatible"


def _order(date: Date) -> tuple[int, int, int]:
    return date.year or 0, date.month or 0, date.day or 0


def _with_years(claim: Date, known: Date) -> str | None:
    """Return the relation where one or both are a decade, a century or a range of years."""
    if claim.year is None or known.year is None:
        return None
    if claim.bound or known.bound:
        return "equal" if claim == known else None
    first, last = claim.year, claim.year if claim.last is None else claim.last
    begin, end = known.year, known.year if known.last is None else known.last
    if last < begin or end < first:
        return "different"
    if (first, last) == (begin, end):
        return _with_part("equal", claim, known)
    if claim.part or known.part:
        return None
    if claim.period and first <= begin and end <= last:
        return "within"
    if known.period and begin <= first and last <= end:
        return "compatible"
    # Two ranges that share a part are different ranges; of periods that is not sure.
    ranges = None not in {claim.last, known.last} and not (claim.period or known.period)
    return "different" if ranges else None


def compare_clocks(claim: Clock, known: Clock) -> str | None:
    """Return the relation of a claimed time of day to a known one; None where it is not sure."""
    if claim.zone != known.zone and claim.zone and known.zone:
        return None
    shared = claim.minutes & known.minutes
    if not shared:
        return None if claim.bound or known.bound else "different"
    if claim.bound != known.bound and not {claim.bound, known.bound} <= {"", "since", "until"}:
        return None
    if claim.minutes == known.minutes:
        return "equal" if claim.zone == known.zone or not claim.zone else "compatible"
    # "9:00" is rather nine in the morning than nine in the evening.
    morning = claim.minutes == {min(known.minutes)}
    return "within" if known.minutes < claim.minutes or morning else "compatible"


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
        return "equal"
    if len(theirs) < 2:
        return None
    if ours < theirs:
        return "within"
    return "compatible" if ours & theirs else "different"


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
