"""Pairs of answers made from known values, with the verdict that these give.

A pair is written from numbers, dates and times, never by reading a text, so the verdicts do not
depend on what is measured.
"""

# ruff: noqa: RUF001, SIM905  # dashes that people write; word lists read better as running text

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HOLDS = "holds"
DIFFERS = "differs"
UNSURE = "unsure"
"""Neither holds nor differs for certain, so that the judge or half a point has to decide."""

PAIRS = 300


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """The reply's and the knowledge's answer to a question, with the right verdict.

    ``units_differ`` tells pairs whose units are not the same.
    """

    kind: str
    question: str
    claim: str
    known: str
    verdict: str
    units_differ: bool = False


Draw = random.Random

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()
_THINGS = ("members", "songs", "rooms", "students", "stations", "species")
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_NAMES = ("apples", "pears", "plums", "figs", "Anna", "Bruno", "Chile", "Peru", "tennis", "chess")


def made_pairs(number: int = PAIRS, seed: int = 16) -> list[AnswerPair]:
    """Return pairs of all kinds in turn; the same number and seed give the same pairs."""
    return list(_made(number, random.Random(seed)))


def _made(number: int, draw: Draw) -> Iterator[AnswerPair]:
    for index in range(number):
        yield _MAKERS[index % len(_MAKERS)](draw)


def _written(draw: Draw, number: int) -> str:
    """Write a whole number in one of the ways that people have."""
    forms = [f"{number:,}", str(number)]
    if number < len(_SMALL):
        forms += [_SMALL[number]] * 2
    if number >= 1_000_000 and number % 100_000 == 0:
        forms += [f"{number / 1e6:g} million"] * 2
    if 1_000 <= number < 1_000_000 and number % 1_000 == 0:
        forms.append(f"{number // 1000} thousand")
    return draw.choice(forms)


def _another(draw: Draw, number: int) -> int:
    """Return a number that is no rounding of another one."""
    return number + draw.choice([-1, 1]) * max(1, round(number * draw.uniform(0.3, 0.8)))


def _counts(draw: Draw) -> AnswerPair:
    number = draw.choice(
        [draw.randint(2, 12), draw.randint(13, 990), draw.randint(10, 99) * 100_000]
    )
    same = draw.random() < 0.5
    other = number if same else _another(draw, number)
    things = draw.choice(_THINGS)
    ends = draw.choice([("", ""), (f" {things}", f" {things}"), (f" {things}", "")])
    return AnswerPair(
        "number",
        f"How many {things} are there?",
        _written(draw, number) + ends[0],
        _written(draw, other) + ends[1],
        HOLDS if same else DIFFERS,
    )


def _money(draw: Draw) -> AnswerPair:
    amount = draw.choice(
        [draw.randint(2, 900), draw.randint(2, 90) + 0.5, draw.randint(2, 40) * 100]
    )
    forms = {
        "eur": ("€{:,.2f}", "{:,.2f} euros", "EUR {:,.2f}", "{:.2f} €"),
        "usd": ("US${:,.2f}", "{:,.2f} US dollars", "USD {:,.2f}"),
        "gbp": ("£{:,.2f}", "{:,.2f} GBP"),
    }
    code = draw.choice(sorted(forms))
    case = draw.choice(["same", "other amount", "other currency"])
    other = _another(draw, int(amount)) if case == "other amount" else amount
    others = draw.choice(sorted(forms.keys() - {code})) if case == "other currency" else code
    claim, known = (
        draw.choice(forms[of]).format(value).replace(".00", "")
        for of, value in ((code, amount), (others, other))
    )
    verdict = HOLDS if case == "same" else DIFFERS
    return AnswerPair("money", "How much is it?", claim, known, verdict, others != code)


def _percentages(draw: Draw) -> AnswerPair:
    share = draw.choice([draw.randint(1, 99), draw.randint(10, 900) / 10])
    case = draw.choice(["same", "other", "about", "ten times", "points"])
    claim, known = f"{share:g} %", f"{share:g} percent"
    verdict = HOLDS
    if case == "other":
        known, verdict = f"{share * 1.5:g}%", DIFFERS
    elif case == "about":
        claim = f"{draw.choice(['about', 'around', 'approximately'])} {share:g}%"
    elif case == "ten times":
        known, verdict = f"{share * 10:g} %", DIFFERS
    elif case == "points":
        known, verdict = f"{share:g} percentage points", UNSURE
    return AnswerPair("percentage", "What share is it?", claim, known, verdict, case == "points")


def _dates(draw: Draw) -> AnswerPair:
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


def _periods(draw: Draw) -> AnswerPair:
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


def _times(draw: Draw) -> AnswerPair:
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


_CONVERSIONS = (
    ("hour", "minutes", 60), ("day", "hours", 24), ("week", "days", 7), ("minute", "seconds", 60),
    ("year", "months", 12), ("decade", "years", 10),
)  # fmt: skip


def _durations(draw: Draw) -> AnswerPair:
    large, small, factor = draw.choice(_CONVERSIONS)
    number = draw.randint(2, 9)
    case = draw.choice(["same", "other", "unit", "mixed", "same number", "business days"])
    claim, known, verdict = (
        f"{_written(draw, number)} {large}s",
        f"{number * factor} {small}",
        HOLDS,
    )
    if case == "other":
        known, verdict = f"{_another(draw, number) * factor} {small}", DIFFERS
    elif case == "unit":
        known = f"{number} {large}s"
    elif case == "mixed":
        claim, known = f"{number} hours and 30 minutes", f"{number * 60 + 30} minutes"
    elif case == "same number":
        known, verdict = f"{number} {small}", DIFFERS
    elif case == "business days":
        claim, known, verdict = f"{number} days", f"{number} business days", UNSURE
    return AnswerPair("duration", "How long does it take?", claim, known, verdict, case != "unit")


_MEASURES = (
    ("km", "miles", 0.621371), ("kg", "pounds", 2.204623), ("metres", "feet", 3.28084),
    ("litres", "ml", 1000), ("kilometres", "metres", 1000), ("tonnes", "kg", 1000),
    ("cm", "inches", 0.393701), ("hectares", "acres", 2.471054),
)  # fmt: skip


def _measures(draw: Draw) -> AnswerPair:
    one, other, factor = draw.choice(_MEASURES)
    number = draw.randint(20, 900)
    case = draw.choice(["same", "converted", "same number", "other", "unlike"])
    claim, known, verdict = f"{number} {one}", f"{number:,} {one}", HOLDS
    if case == "converted":
        known = f"{number * factor:,.1f} {other}"
    elif case == "same number":
        known, verdict = f"{number} {other}", DIFFERS
    elif case == "other":
        known, verdict = f"{_another(draw, number):,} {one}", DIFFERS
    elif case == "unlike":
        known, verdict = f"{number} {draw.choice(['watts', 'GB', 'volts'])}", UNSURE
    differ = case in {"converted", "same number", "unlike"}
    return AnswerPair("measure", "How much is it?", claim, known, verdict, differ)


def _temperatures(draw: Draw) -> AnswerPair:
    degrees = draw.randint(5, 60)
    case = draw.choice(["converted", "same number", "same", "other"])
    claim, known, verdict = f"{degrees} °C", f"{degrees * 9 / 5 + 32:g} °F", HOLDS
    if case == "same number":
        known, verdict = f"{degrees} degrees Fahrenheit", DIFFERS
    elif case == "same":
        known = f"{degrees} degrees Celsius"
    elif case == "other":
        known, verdict = f"{degrees + 20} °C", DIFFERS
    differ = case in {"converted", "same number"}
    return AnswerPair("measure", "How warm is it?", claim, known, verdict, differ)


def _bounds(draw: Draw) -> AnswerPair:
    number = draw.randint(300, 900)
    near = number + draw.randint(1, 20)
    cases = (
        (f"more than {number}", str(near), HOLDS),
        (f"over {number}", str(near), HOLDS),
        (f"fewer than {near}", str(number), HOLDS),
        (f"more than {near}", str(number), DIFFERS),
        (f"less than {number}", str(near), DIFFERS),
        (f"under {number // 2}", str(near), DIFFERS),
        (f"at least {number}", str(number), HOLDS),
        (f"up to {number}", str(number), HOLDS),
        (f"at least {number}", f"up to {number}", DIFFERS),
        (f"at least {number}", str(number * 2), UNSURE),
        (f"up to {number}", f"up to {number // 2}", UNSURE),
        (f"at least {number}", str(number // 2), DIFFERS),
        (f"about {number}", str(number + 2), HOLDS),
        (f"about {number}", str(number * 3), DIFFERS),
        (str(near), f"more than {number}", UNSURE),
        (f"{number} or more", f"at least {number}", HOLDS),
        (f"{number} to {near}", f"between {number} and {near}", HOLDS),
        (f"{number}-{near}", str(near + 400), DIFFERS),
    )
    claim, known, verdict = draw.choice(cases)
    return AnswerPair("bound", "How many people came?", claim, known, verdict)


def _rounded(draw: Draw) -> AnswerPair:
    exact = draw.randint(1_100_000, 9_800_000)
    coarse = f"{exact / 1e6:.1f} million"
    case = draw.choice(["rounded", "too exact", "other"])
    claim, known, verdict = coarse, f"{exact:,}", HOLDS
    if case == "too exact":
        claim, known, verdict = known, coarse, UNSURE
    elif case == "other":
        claim, verdict = f"{exact / 1e6 + 1.2:.1f} million", DIFFERS
    if case == "rounded" and abs(float(coarse.split(maxsplit=1)[0]) * 1e6 / exact - 1) > 0.02:
        verdict = UNSURE
    return AnswerPair("rounded number", "How many people live there?", claim, known, verdict)


def _lists(draw: Draw) -> AnswerPair:
    names = draw.sample(_NAMES, 4)
    turned = names[:3][::-1]
    case = draw.choice(["same", "fewer", "another", "pair"])
    claim, known, verdict = _listed(draw, names[:3]), _listed(draw, turned), HOLDS
    if case == "fewer":
        claim = _listed(draw, names[:2])
    elif case == "another":
        claim, verdict = _listed(draw, [names[0], names[3]]), UNSURE
    elif case == "pair":
        claim, known = _listed(draw, names[:2]), _listed(draw, names[1::-1])
    return AnswerPair("list", "What is on the list?", claim, known, verdict)


def _listed(draw: Draw, names: list[str]) -> str:
    last = draw.choice([" and ", ", and "]) if len(names) > 2 else " and "
    return ", ".join(names[:-1]) + last + names[-1]


def _places(draw: Draw) -> AnswerPair:
    words = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
    place = draw.randint(1, 10)
    other = place if draw.random() < 0.5 else place % 10 + 1
    ending = {1: "st", 2: "nd", 3: "rd"}.get(other, "th")
    verdict = HOLDS if place == other else DIFFERS
    return AnswerPair(
        "place", "In which place did they finish?", words[place - 1], f"{other}{ending}", verdict
    )


_MAKERS = (
    _counts, _money, _percentages, _dates, _periods, _times, _durations, _measures,
    _temperatures, _bounds, _rounded, _lists, _places, _dates, _bounds, _money, _durations, _measures,
)  # fmt: skip
