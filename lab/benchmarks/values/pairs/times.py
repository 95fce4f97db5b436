"""Pairs of dates, periods and times of day."""

# ruff: noqa: RUF001, SIM905  # dashes that people write; word lists read better as running text

from __future__ import annotations

from datetime import date, timedelta

from lab.benchmarks.values.pairs.pair import DIFFERS, HOLDS, UNSURE, AnswerPair, Draw

_MONTHS = (
    "January February March April May June July August September October November December".split()
)


def dates(draw: Draw) -> AnswerPair:
    """Make a pair of dates that state more or fewer parts."""
    day = date(1900, 1, 1) + timedelta(days=draw.randint(0, 45_000))
    case = draw.choice(["same", "other", "less known", "more known", "year"])
    other = (
        day if case != "other" else day + timedelta(days=draw.choice([-400, -31, -1, 1, 45, 800]))
    )
    claim, known = _written_date(draw, day), _written_date(draw, other)
    verdict = DIFFERS if case == "other" else HOLDS
    if case == "less known":
        known = draw.choice([f"{_MONTHS[day.month - 1]} {day.year}", str(day.year)])
        verdict = UNSURE
    elif case == "more known":
        claim = draw.choice([f"{_MONTHS[day.month - 1]} {day.day}", f"in {day.year}"])
    elif case == "year":
        known = str(day.year + draw.choice([-3, -1, 2, 10]))
        verdict = DIFFERS
    return AnswerPair("date", "When did it open?", claim, known, verdict)


def _written_date(draw: Draw, day: date) -> str:
    name = _MONTHS[day.month - 1]
    ending = "th" if 11 <= day.day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return draw.choice(
        [
            f"{name} {day.day}, {day.year}",
            f"{day.day} {name} {day.year}",
            f"the {day.day}{ending} of {name} {day.year}",
            f"{name[:3]} {day.day}, {day.year}",
            f"{day.day}{ending} {name} {day.year}",
            day.isoformat(),
            f"{day:%A}, {name} {day.day}, {day.year}",
        ]
    )


def periods(draw: Draw) -> AnswerPair:
    """Make a pair of years, decades, centuries and ranges."""
    decade = draw.choice([180, 190]) * 10 + draw.randint(1, 9) * 10
    year = decade + draw.randint(0, 9)
    case = draw.choice(
        ["decade holds", "too exact", "other decade", "century", "range", "other range"]
    )
    claim, known, verdict = f"the {decade}s", str(year), HOLDS
    if case == "too exact":
        claim, known, verdict = str(year), f"in the {decade}s", UNSURE
    elif case == "other decade":
        known, verdict = str(year + draw.choice([-20, 30])), DIFFERS
    elif case == "century":
        claim = f"the {decade // 100 + 1}th century".replace("21th", "21st")
        known = str(decade + draw.randint(1, 9))
    elif case == "range":
        claim, known = f"{year} to {year + 6}", f"{year}-{(year + 6)}"
    elif case == "other range":
        claim, known, verdict = f"from {year} to {year + 6}", f"{year}–{year + 4}", DIFFERS
    return AnswerPair("period", "When was it?", claim, known, verdict)


def times(draw: Draw) -> AnswerPair:
    """Make a pair of times of day."""
    hour, minute = draw.randint(0, 23), draw.choice([0, 0, 15, 30, 45])
    case = draw.choice(["same", "other", "twelve hours off", "about"])
    later = {"other": 2, "twelve hours off": 12}.get(case, 0)
    half, plain = _half(hour, minute), _half((hour + later) % 24, minute)
    written = f"{(hour + later) % 24:02}:{minute:02}"
    # "11:15" may be either half of the day, "09:15" and "14:15" are one.
    known = plain if 10 <= (hour + later) % 24 <= 12 else draw.choice([written, plain])
    return AnswerPair(
        "time",
        "At what time does it open?",
        f"about {half}" if case == "about" else half,
        known,
        # "About 5 pm" for 5 pm is left open.
        {"same": HOLDS, "about": UNSURE}.get(case, DIFFERS),
    )


def _half(hour: int, minute: int) -> str:
    minutes = f":{minute:02}" if minute else ""
    return f"{(hour - 1) % 12 + 1}{minutes} {'am' if hour < 12 else 'pm'}"
