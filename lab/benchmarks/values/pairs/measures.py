"""Pairs of durations, measures and temperatures, in one unit or two."""

from __future__ import annotations

from lab.benchmarks.values.pairs.pair import (
    DIFFERS,
    HOLDS,
    UNSURE,
    AnswerPair,
    Draw,
    another,
    written,
)

_CONVERSIONS = (
    ("hour", "minutes", 60), ("day", "hours", 24), ("week", "days", 7), ("minute", "seconds", 60),
    ("year", "months", 12), ("decade", "years", 10),
)  # fmt: skip


def durations(draw: Draw) -> AnswerPair:
    """Make a pair of durations, in one unit or two."""
    large, small, factor = draw.choice(_CONVERSIONS)
    number = draw.randint(2, 9)
    case = draw.choice(["same", "other", "unit", "mixed", "same number", "business days"])
    claim, known, verdict = (
        f"{written(draw, number)} {large}s",
        f"{number * factor} {small}",
        HOLDS,
    )
    if case == "other":
        known, verdict = f"{another(draw, number) * factor} {small}", DIFFERS
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


def measures(draw: Draw) -> AnswerPair:
    """Make a pair of measures, in one unit or two."""
    one, other, factor = draw.choice(_MEASURES)
    number = draw.randint(20, 900)
    case = draw.choice(["same", "converted", "same number", "other", "unlike"])
    claim, known, verdict = f"{number} {one}", f"{number:,} {one}", HOLDS
    if case == "converted":
        known = f"{number * factor:,.1f} {other}"
    elif case == "same number":
        known, verdict = f"{number} {other}", DIFFERS
    elif case == "other":
        known, verdict = f"{another(draw, number):,} {one}", DIFFERS
    elif case == "unlike":
        known, verdict = f"{number} {draw.choice(['watts', 'GB', 'volts'])}", UNSURE
    differ = case in {"converted", "same number", "unlike"}
    return AnswerPair("measure", "How much is it?", claim, known, verdict, differ)


def temperatures(draw: Draw) -> AnswerPair:
    """Make a pair of temperatures."""
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
