"""The values that an answer may name: quantities, dates, times of day and places in an order."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as the answer names it.

    ``factors`` has, for each kind of measure that the word may stand for, its size in the base unit
    of that kind: a pound is a mass or money, and which of the two only the other answer can tell.
    """

    word: str
    factors: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, or a range of numbers, with its unit.

    ``step`` is the place of the last digit that was stated: 0.1 for "4.1", 100,000 for "8.4 million".
    ``bound`` is empty, ``about``, ``more`` (more than), ``less``, ``least`` (at least) or ``most``;
    ``either`` tells that a thousand times as much may be meant, as by "1.000".
    """

    low: float
    high: float
    step: float
    unit: Unit | None = None
    bound: str = ""
    either: bool = False

    @property
    def is_range(self) -> bool:
        """Whether it names two ends."""
        return self.low != self.high


@dataclass(frozen=True, slots=True)
class Date:
    """A date with the parts that were stated; years before Christ are negative.

    ``last`` is the last year of a range or period, of which ``year`` is the first, or None.
    ``period`` tells a decade or century, within which a date lies, from a range between two years.
    ``swapped`` is the other reading of a date such as 04/05/2020.
    ``bound`` is empty, ``about``, ``before``, ``after``, ``since`` or ``until``; ``part`` is
    ``early``, ``mid`` or ``late``, or empty.
    ``bare`` tells a number of four digits, which may be no year.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    last: int | None = None
    period: bool = False
    swapped: "Date | None" = None
    bound: str = ""
    part: str = ""
    bare: bool = False

    @property
    def parts(self) -> dict[str, int]:
        """The stated parts by their names."""
        names = ("year", "month", "day", "weekday")
        return {name: part for name in names if (part := getattr(self, name)) is not None}


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day: all minutes since midnight that it may stand for, and its time zone or nothing."""

    minutes: frozenset[int]
    zone: str = ""
    bound: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in an order, as "second" or "21st", with a bound such as "after" or nothing."""

    number: int
    bound: str = ""


Value = Quantity | Date | Clock | Place


@dataclass(frozen=True, slots=True)
class Reading:
    """The values of an answer, in order, and its other words that carry meaning."""

    values: tuple[Value, ...]
    rest: frozenset[str]
