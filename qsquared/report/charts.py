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


def trend(days: list[Record]) -> Record:
    """Return the rate by day: lines through days that follow each other, and a band of their intervals.

    A day without a rate interrupts the line, and so does a change of the version that scored the days.
    """
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
        last = stretches[-1][-1:]
        if day["rate"] is None or (last and bool(last[0]["outdated"]) != bool(day["outdated"])):
            stretches.append([])
        if day["rate"] is not None:
            stretches[-1].append(day)
    lines, bands = [], []
    for stretch in stretches:
        if len(stretch) < 2:
            continue
        upper = [f"{place(d)},{frame.y(d['rate_high'] / top)}" for d in stretch]
        lower = [f"{place(d)},{frame.y(d['rate_low'] / top)}" for d in reversed(stretch)]
        bands.append(" ".join(upper + lower))
        lines.append(" ".join(f"{place(d)},{frame.y(d['rate'] / top)}" for d in stretch))
    heights = ("rate", "rate_low", "rate_high")
    shown = days[:: max(1, math.ceil(len(days) / _DATES))]
    return {
        "frame": frame,
        "lines": lines,
        "bands": bands,
        "points": [
            (place(day), *(frame.y(day[name] / top) for name in heights), day) for day in rated
        ],
        "ticks": [
            (frame.y(i * step / top), f"{i * step:.0%}") for i in range(round(top / step) + 1)
        ],
        "dates": [(place(day), f"{day['day']:%-d %b}", _anchor(day, days)) for day in shown],
    }


def _anchor(day: Record, days: list[Record]) -> str:
    """Return the anchor of a day's label, which points inwards at both ends."""
    if len(days) == 1:
        return "middle"
    return "start" if day is days[0] else "end" if day is days[-1] else "middle"


def histogram(bins: list[int], threshold: float) -> Record:
    """Return the bars of counts in equal ranges of the score from 0 to 1."""
    frame = Frame(height=220)
    step = _step(max([*bins, 1]))
    top = math.ceil(max([*bins, 1]) / step) * step
    wide = 1 / len(bins)
    bars = []
    for i, number in enumerate(bins):
        left, right = frame.x(i * wide) + 1, frame.x((i + 1) * wide) - 1
        high = frame.y(number / top)
        bars.append(
            {
                "x": left,
                "y": high,
                "width": round(right - left, 1),
                "height": round(frame.y(0) - high, 1),
                "low": i * wide,
                "high": (i + 1) * wide,
                "turns": number,
                # The middle of a range decides, since ranges may not end at the threshold.
                "inconsistent": (i + 0.5) * wide < threshold,
            }
        )
    return {
        "frame": frame,
        "bars": bars,
        "ticks": [(frame.y(value / top), f"{value:,}") for value in range(0, top + 1, step)],
        "scores": [(frame.x(score), f"{score:g}") for score in (0, 0.25, 0.5, 0.75, 1)],
        "threshold": frame.x(threshold),
    }


def _step(most: int) -> int:
    """Return a round distance that puts about four lines up to a number."""
    scale = 1
    while True:
        for factor in (1, 2, 5):
            if most / (factor * scale) <= 5:
                return factor * scale
        scale *= 10
