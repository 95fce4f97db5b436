"""The GLUE proxy indicators of a turn and their combination (Nedelchev et al. 2021, section 4).

Each task of GLUE looks at a reply from one side: CoLA and SST-2 at the reply alone, the others at
the reply beside the turn before it and beside the fact.
The combination is a linear regression on the indicators, rescaled to 0 to 1.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SINGLE = ("cola", "sst2")
"""Tasks of one sentence: is it acceptable English, is it positive?"""

PAIRED = ("mrpc", "qqp", "stsb", "qnli", "rte")
"""Tasks of two texts: the same meaning (mrpc, qqp), how alike, does it answer, does it follow?"""

TASKS = (*SINGLE, *PAIRED)

KINDS = {
    "single": SINGLE,
    "context": tuple(f"context_{task}" for task in PAIRED),
    "fact": tuple(f"fact_{task}" for task in PAIRED),
}
"""The paper's three kinds of indicators: a single sentence, and pairs with context and with fact."""

INDICATORS = tuple(name for names in KINDS.values() for name in names)

BOUNDS = {name: (0.0, 5.0 if name.endswith("stsb") else 1.0) for name in INDICATORS}
"""The range of each indicator by its nature: probabilities, and STS-B's scale of 0 to 5."""


@dataclass(frozen=True, slots=True)
class Regression:
    """Coefficients of the rescaled indicators; the prediction is the rescaled rating."""

    coefficients: Mapping[str, float]
    intercept: float

    def missing(self, rescaled: Mapping[str, float | None]) -> list[str]:
        """Return the indicators that the regression needs and the turn lacks."""
        return [name for name in self.coefficients if rescaled.get(name) is None]

    def predict(self, rescaled: Mapping[str, float | None]) -> float | None:
        """Return the combination; ``None`` if an indicator that it needs is missing."""
        total = self.intercept
        for name, weight in self.coefficients.items():
            value = rescaled.get(name)
            if value is None:
                return None
            total += weight * value
        return total


@dataclass(frozen=True, slots=True)
class Range:
    """The bounds of each indicator, and a regression if there is one: the same for each night."""

    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    regression: Regression | None = None

    def bounds_of(self, name: str) -> tuple[float, float]:
        """Return an indicator's own range, or its natural one."""
        return self.bounds.get(name, BOUNDS[name])


def read_range(content: Mapping[str, Any]) -> Range:
    """Read a range from its JSON object, of which other keys than its two are left unread.

    Raises:
        ValueError: a part of it is missing, names no indicator or is no number.
    """
    try:
        bounds = {n: (float(low), float(high)) for n, (low, high) in content["bounds"].items()}
        regression = None
        if (given := content.get("regression")) is not None:
            weights = {name: float(value) for name, value in given["coefficients"].items()}
            regression = Regression(weights, float(given["intercept"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError("a part of it is missing or of another kind") from error
    numbers = [value for pair in bounds.values() for value in pair]
    named = set(bounds)
    if regression is not None:
        numbers += [regression.intercept, *regression.coefficients.values()]
        named |= regression.coefficients.keys()
    if not named <= set(INDICATORS) or not all(map(math.isfinite, numbers)):
        raise ValueError("it names an unknown indicator or a number that is not finite")
    return Range(bounds, regression)


def rescale(value: float, bounds: tuple[float, float]) -> float:
    """Rescale a value within its bounds to 0 to 1; a value beyond them goes to the nearer end.

    The paper takes the least and the greatest value of the corpus, so that none is beyond.
    Bounds that are equal give 0.
    """
    low, high = bounds
    if high <= low:
        return 0.0
    return min(1.0, max(0.0, (value - low) / (high - low)))
