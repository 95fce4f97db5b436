"""Shapes of the report's charts, in units of their own view box."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qsquared.storage.outputs.explanations import Record

_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_DATES = 7


@dataclass(frozen=True, slots=True)
class Frame:
    """The plotting area within a view box of ``width`` by ``height``."""

    width: int = 720
    height: int = 240
    left: int = 58
    right: int = 12
    top: int = 12
    bottom: int = 32

    def x(self, share: float) -> float:
        """Return the place of a share of the plotting area's width, from the left."""
        return round(self.left + share * (self.width - self.left - self.right), 1)

    def y(self, share: float) -> float:
        """Return the place of a share of the plotting area's height, from the bottom."""
        return round(self.height - self.bottom - share * (self.height - self.top - self.bottom), 1)


@dataclass(frozen=True, slots=True)
class Trend:
    """The rate by day: lines through days that follow each other, and a band of their intervals."""

    frame: Frame
    lines: list[str]
    bands: list[str]
    points: list[tuple[float, float, float, float, Record]]
    ticks: list[tuple[float, str]]
    dates: list[tuple[float, str, str]]


def trend(days: list[Record]) -> Trend:
    """Return the chart of the days that have a rate; a day without one interrupts the line."""
    frame = Frame()
    rated = [day for day in days if day["rate"] is not None]
    highest = max((day["rate_high"] for day in rated), default=1.0)
    step = next((s for s in _STEPS if highest / s <= 5), _STEPS[-1])
    top = min(1.0, math.ceil(highest / step - 1e-9) * step)
    first = days[0]["day"] if days else None
    length = max((days[-1]["day"] - first).days, 1) if days and first else 1

    def place(day: Record) -> float:
        share = (day["day"] - first).days / length
        return frame.x(0.02 + 0.96 * share if len(days) > 1 else 0.5)

    stretches: list[list[Record]] = [[]]
    for day in days:
        if day["rate"] is None:
            stretches.append([])
        else:
            stretches[-1].append(day)
    lines, bands = [], []
    for stretch in stretches:
        if len(stretch) < 2:
            continue
        upper = [f"{place(d)},{frame.y(d['rate_high'] / top)}" for d in stretch]
        lower = [f"{place(d)},{frame.y(d['rate_low'] / top)}" for d in reversed(stretch)]
        bands.append(" ".join(upper + lower))
        lines.append(" ".join(f"{place(d)},{frame.y(d['rate'] / top)}" for d in stretch))
    points = [
        (
            place(day),
            frame.y(day["rate"] / top),
            frame.y(day["rate_low"] / top),
            frame.y(day["rate_high"] / top),
            day,
        )
        for day in rated
    ]
    every = max(1, math.ceil(len(days) / _DATES))
    shown = days[::every]
    return Trend(
        frame,
        lines,
        bands,
        points,
        [(frame.y(i * step / top), f"{i * step:.0%}") for i in range(round(top / step) + 1)],
        [(place(day), f"{day['day']:%-d %b}", _anchor(day, days)) for day in shown],
    )


def _anchor(day: Record, days: list[Record]) -> str:
    """Return the anchor of a day's label, which points inwards at both ends."""
    if len(days) == 1:
        return "middle"
    return "start" if day is days[0] else "end" if day is days[-1] else "middle"


@dataclass(frozen=True, slots=True)
class Bar:
    """One range of the distribution."""

    x: float
    y: float
    width: float
    height: float
    low: float
    high: float
    turns: int
    inconsistent: bool


@dataclass(frozen=True, slots=True)
class Histogram:
    """The distribution of scores."""

    frame: Frame
    bars: list[Bar]
    ticks: list[tuple[float, str]]
    scores: list[tuple[float, str]]
    threshold: float


def histogram(bins: list[int], threshold: float) -> Histogram:
    """Return the chart of counts in equal ranges of the score from 0 to 1."""
    frame = Frame(height=220)
    step = _step(max([*bins, 1]))
    top = math.ceil(max([*bins, 1]) / step) * step
    wide = 1 / len(bins)
    bars = []
    for i, number in enumerate(bins):
        left, right = frame.x(i * wide) + 1, frame.x((i + 1) * wide) - 1
        high = frame.y(number / top)
        bars.append(
            Bar(
                left,
                high,
                round(right - left, 1),
                round(frame.y(0) - high, 1),
                i * wide,
                (i + 1) * wide,
                number,
                # The middle of a range decides, since ranges may not end at the threshold.
                (i + 0.5) * wide < threshold,
            )
        )
    return Histogram(
        frame,
        bars,
        [(frame.y(value / top), f"{value:,}") for value in range(0, top + 1, step)],
        [(frame.x(score), f"{score:g}") for score in (0, 0.25, 0.5, 0.75, 1)],
        frame.x(threshold),
    )


def _step(most: int) -> int:
    """Return a round distance that puts about four lines up to a number."""
    scale = 1
    while True:
        for factor in (1, 2, 5):
            if most / (factor * scale) <= 5:
                return factor * scale
        scale *= 10
