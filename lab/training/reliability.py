"""The reliability of support: predicted probabilities beside the shares that turned out supported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

EDGES = (0.2, 0.4, 0.6, 0.8)
_SIDE, _MARGIN = 240, 50


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions of a range: their mean, the share of them that were right, and their number."""

    predicted: float
    supported: float
    number: int


def reliability(predicted: np.ndarray, supported: np.ndarray) -> list[Bin]:
    """Return the bins of some predictions, those without any left out.

    Args:
        predicted: probabilities of support.
        supported: 1 for what is supported, else 0.
    """
    places = np.digitize(predicted, EDGES)
    within = (places == each for each in range(len(EDGES) + 1))
    return [
        Bin(float(predicted[own].mean()), float(supported[own].mean()), int(own.sum()))
        for own in within
        if own.any()
    ]


def in_words(bins: Sequence[Bin]) -> str:
    """Return one line for people."""
    return ", ".join(f"{b.predicted:.2f} → {b.supported:.2f} ({b.number})" for b in bins)


def diagram(panels: Mapping[str, Sequence[Bin]]) -> str:
    """Draw a reliability diagram as SVG, one square for each panel; a dot's area is the number of its bin."""
    drawn = []
    for place, (title, bins) in enumerate(panels.items()):
        left, most = _MARGIN + place * (_SIDE + _MARGIN), max(one.number for one in bins)
        dots = "".join(
            f'<circle cx="{left + _SIDE * one.predicted:.1f}" cy="{_MARGIN + _SIDE * (1 - one.supported):.1f}" '
            f'r="{3 + 9 * (one.number / most) ** 0.5:.1f}"><title>{one.number}</title></circle>'
            for one in bins
        )
        drawn.append(
            f'<rect x="{left}" y="{_MARGIN}" width="{_SIDE}" height="{_SIDE}"/>'
            f'<path d="M{left} {_MARGIN + _SIDE}l{_SIDE} {-_SIDE}"/>{dots}'
            f'<text x="{left}" y="{_MARGIN - 12}">{title}</text>'
            f'<text x="{left}" y="{_MARGIN + _SIDE + 20}">0: predicted</text>'
            f'<text x="{left + _SIDE}" y="{_MARGIN + _SIDE + 20}" text-anchor="end">1</text>'
            f'<text transform="translate({left - 8} {_MARGIN + _SIDE})rotate(-90)">supported</text>'
        )
    width = _MARGIN + len(panels) * (_SIDE + _MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_SIDE + 2 * _MARGIN}" role="img" '
        'aria-label="Predicted support beside the share that is supported">'
        "<style>text{font:12px sans-serif;fill:#444}rect{fill:#fff;stroke:#999}"
        "path{stroke:#999;stroke-dasharray:4}circle{fill:#2563a8;fill-opacity:.7}</style>"
        f"{''.join(drawn)}</svg>\n"
    )
