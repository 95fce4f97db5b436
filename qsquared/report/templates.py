"""Templates of pages: explanations, the report and `q2 serve`, in which every logged word is escaped."""

import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined

from qsquared.display import BY_SENTENCE, IN_KNOWLEDGE, RELATIONS, STATUSES, VERDICTS, visible
from qsquared.method.q2.explaining.explanation import Explanation
from qsquared.method.q2.explaining.parts import Segment, shorten
from qsquared.storage.outputs.explanations import Record

GOOD_COVERAGE, POOR_COVERAGE = 0.95, 0.8
"""From the first on a coverage is good; below the second the rate is about too few of the turns."""
LOW_RATE, HIGH_RATE = 0.05, 0.2
"""Below the first a share of inconsistent replies is in green; from the second on in red."""
LONG_REPLY = 1500
"""The characters from which on a reply is shown only around its marks, as passages always are."""

_AROUND = 300
_GRADE_WORDS = {
    "good": "",
    "fair": "; the others may be better or worse",
    "poor": "; too few to speak for the others",
}
_VERDICT_WORDS = {name: verdict.words for name, verdict in VERDICTS.items()} | {
    # Whoever is sent the page may not know the term.
    "contradicted": "the knowledge says otherwise"
}


def environment(*more: BaseLoader) -> Environment:
    """Return the templates of the report, and those of ``more`` loaders, with the words of the pages."""
    templates = Environment(
        loader=ChoiceLoader([PackageLoader("qsquared.report", "parts"), *more]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # No logged text brings a control character to the page.
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    templates.filters |= {
        "brief": brief,
        "percent": lambda value: "unknown" if value is None else f"{value:.1%}",
        "number": lambda value: "—" if value is None else f"{value:,}",
        "score": lambda value: "—" if value is None else f"{value:.2f}",
        "signed": _signed,
        "grade": grade,
        "rate_grade": rate_grade,
    }
    templates.globals |= {
        "verdicts": VERDICTS,
        "verdict_words": _VERDICT_WORDS,
        "status_words": STATUSES,
        "relation_words": RELATIONS,
        "in_knowledge": IN_KNOWLEDGE,
        "by_sentence": BY_SENTENCE,
        "grade_words": _GRADE_WORDS,
        "scored_statuses": ("scored", "fallback_nli"),
        "long_reply": LONG_REPLY,
    }
    return templates


def part(name: str) -> str:
    """Return the text of a file of the report: its style or its script."""
    return files("qsquared.report").joinpath("parts", name).read_text(encoding="utf-8")


@cache
def _notebook() -> Any:
    return environment().get_template("notebook.html")


def to_html(explanation: Explanation) -> str:
    """Return an explanation for a notebook, without scripts or addresses."""
    return str(_notebook().render(explanation=explanation))


def brief(segments: list[Segment], least: int = 0) -> list[Segment]:
    """Return a text that is longer than so many characters only around its marks."""
    whole = sum(len(segment.text) for segment in segments)
    return shorten(segments, _AROUND) if whole > least else segments


def grade(coverage: float | None) -> str:
    """Return the trust in a rate by its coverage, 0 to 1: `good`, `fair` or `poor`."""
    if coverage is None or coverage < POOR_COVERAGE:
        return "poor"
    return "fair" if coverage < GOOD_COVERAGE else "good"


def rate_grade(rate: float) -> str:
    """Return the colour of a share of inconsistent replies: `good`, `fair` or `poor`."""
    if rate < LOW_RATE:
        return "good"
    return "fair" if rate < HIGH_RATE else "poor"


def _signed(value: float | None) -> str:
    if value is None:
        return "—"
    # What rounds to nothing has no sign.
    return f"{value:+.1f}".replace("-", "\N{MINUS SIGN}") if abs(value) >= 0.05 else "0.0"


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
