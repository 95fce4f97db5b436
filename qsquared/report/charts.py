"""Shapes of the report's chart, in units of its own view box."""

import math
from dataclasses import dataclass

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
