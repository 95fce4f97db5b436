"""Templates of pages: explanations, the report and `q2 serve`, in which every logged word is escaped."""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined

from qsquared.method.q2.explaining.explanation import Explanation
from qsquared.method.q2.explaining.segments import Segment, shorten
from qsquared.text import visible
from qsquared.words import BY_SENTENCE, IN_KNOWLEDGE, RELATIONS, STATUSES, VERDICTS

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
