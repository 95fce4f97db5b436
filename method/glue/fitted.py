"""A fitted range: bounds of the indicators and a regression, kept so that nights are comparable."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qsquared.method.glue.indicators import BOUNDS, INDICATORS, Regression, bounds_of, fit, rescale

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Fitted:
    """The bounds of each indicator, and a regression if ratings were given.

    ``about`` says what it was fitted on, as plain values.
    """

    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    regression: Regression | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    def bounds_of(self, name: str) -> tuple[float, float]:
        """Return an indicator's fitted range, or its natural one if it has no fitted range."""
        return self.bounds.get(name, BOUNDS[name])

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object with a checksum, which ``read_fitted`` reads."""
        regression = self.regression
        body = {
            "version": _VERSION,
            "bounds": {name: list(self.bounds[name]) for name in INDICATORS if name in self.bounds},
            "regression": None
            if regression is None
            else {
                "coefficients": dict(regression.coefficients),
                "intercept": regression.intercept,
            },
            "about": dict(self.about),
        }
        return body | {"sha256": _checksum(body)}


def fit_range(
    rows: Sequence[Mapping[str, float | None]],
    ratings: Sequence[float | None] | None,
    about: Mapping[str, Any],
) -> Fitted:
    """Fit the range of a corpus, and the regression on those of its turns that have a rating.

    An indicator that no turn has gets no bounds.
    The regression is over the indicators that every rated turn has; ratings are rescaled to 0 to 1
    by their own least and greatest value, as in the paper.

    Args:
        rows: the indicators of each turn.
        ratings: people's rating of each turn, ``None`` where there is none.
        about: what the range is fitted on.

    Raises:
        ValueError: there is nothing to fit on, as a sentence.
    """
    values = {
        name: [value for row in rows if (value := row.get(name)) is not None] for name in INDICATORS
    }
    bounds = {name: bounds_of(found) for name, found in values.items() if found}
    if not bounds:
        raise ValueError("no turn has an indicator")
    if ratings is None:
        return Fitted(bounds, None, about)
    rated = [(row, r) for row, r in zip(rows, ratings, strict=True) if r is not None]
    names = [n for n in bounds if all(row.get(n) is not None for row, _ in rated)]
    if len(rated) <= len(names) + 1:
        raise ValueError(
            f"{len(rated)} rated turns are too few for a regression over {len(names)} indicators"
        )
    span = bounds_of([rating for _, rating in rated])
    if span[0] == span[1]:
        raise ValueError("all ratings are equal")
    rescaled = [{n: rescale(float(row[n] or 0.0), bounds[n]) for n in names} for row, _ in rated]
    regression = fit(rescaled, [rescale(rating, span) for _, rating in rated])
    return Fitted(bounds, regression, {**about, "rated": len(rated), "ratings": list(span)})


def read_fitted(content: Any) -> Fitted:
    """Read a fitted range from its JSON object.

    Raises:
        ValueError: it is not one, or its checksum is not that of its content.
    """
    if not isinstance(content, Mapping) or content.get("version") != _VERSION:
        raise ValueError("it is not a fitted range of this version")
    body = {name: value for name, value in content.items() if name != "sha256"}
    if content.get("sha256") != _checksum(body):
        raise ValueError("its checksum is not that of its content")
    try:
        bounds = {str(n): (float(low), float(high)) for n, (low, high) in body["bounds"].items()}
        given = body["regression"]
        regression = None
        if given is not None:
            weights = {str(n): float(value) for n, value in given["coefficients"].items()}
            regression = Regression(weights, float(given["intercept"]))
        about = dict(body["about"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError("a part of it is missing or of another kind") from error
    named = {*bounds, *(regression.coefficients if regression else ())}
    numbers = [value for pair in bounds.values() for value in pair]
    if regression is not None:
        numbers += [regression.intercept, *regression.coefficients.values()]
    if not named <= set(INDICATORS) or not all(map(math.isfinite, numbers)):
        raise ValueError("it names an unknown indicator or a number that is not finite")
    return Fitted(bounds, regression, about)


def _checksum(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
