"""Compare two quantities, with their units, bounds and the places to which they are rounded."""

# ruff: noqa: PLR0911  # each case has its return

from dataclasses import replace

from qsquared.method.values.quantities import DAYS, MONEY, TEMPERATURES, words_of
from qsquared.method.values.value import Quantity, Unit

_NEAR = 0.05
"""Relative distance within which "about" holds."""
_FAR = 0.2
"""Relative distance beyond which "about" fails."""
_ROUNDED = 0.02
"""Relative distance up to which a rounded number stands for an exact one."""
_LOOSE = 0.1
"""Relative distance up to which a number may be a rounded one."""
_MANY = 1e5
"""Numbers that are stated in as many at least, as in millions, are rounded more freely."""
_MUCH_MORE = 1.25
"""Up to so many times the bound, "more than" is said of a number."""
_CONVERTED = 0.02, 0.1
"""Relative distances within which converted numbers are equal, and beyond which they differ."""

_LOWER = frozenset({"more", "least"})
_LIMITS = frozenset({"more", "least", "less", "most"})
_AT_THE_BOUND = {
    ("least", ""): "within",
    ("most", ""): "within",
    ("", "more"): "compatible",
    ("", "less"): "compatible",
}
"""Bounds of a claimed and a known quantity with the same number → their relation, where it is sure."""


def compare_quantities(claim: Quantity, known: Quantity, asked: frozenset[str]) -> str | None:
    """Return the relation of a claimed quantity to a known one; None where it is not sure.

    Args:
        claim: the reply's.
        known: the knowledge's.
        asked: the words of the question, which may hold the unit that one answer leaves out.
    """
    relation = _in_shared_unit(claim, known, asked)
    # "1.000" is a thousand, or one with three decimals.
    return None if relation == "different" and (claim.either or known.either) else relation


def _in_shared_unit(claim: Quantity, known: Quantity, asked: frozenset[str]) -> str | None:
    ours, theirs = claim.unit, known.unit
    if ours is None or theirs is None:
        unit = ours or theirs
        stated = unit is None or asked.intersection(words_of(unit))
        return _compare(claim, known, converted=False) if stated else None
    money = ours.factors.keys() <= MONEY and theirs.factors.keys() <= MONEY
    shared = sorted(ours.factors.keys() & theirs.factors.keys())
    if shared:
        if money and ours.factors.keys() != theirs.factors.keys():
            return None  # five dollars, of which country?
        first, second = ours.factors[shared[0]], theirs.factors[shared[0]]
        return _compare(_in(claim, first), _in(known, second), converted=first != second)
    if ours.factors.keys() <= TEMPERATURES.keys() and theirs.factors.keys() <= TEMPERATURES.keys():
        claim, known = (
            _in(quantity, *TEMPERATURES[next(iter(unit.factors))])
            for quantity, unit in ((claim, ours), (known, theirs))
        )
        return _compare(claim, known, converted=True)
    if money:
        # Other numbers may be the same amount, exchanged.
        same = (claim.low, claim.high, claim.bound) == (known.low, known.high, known.bound)
        return "different" if same and not claim.bound else None
    days, other = _days(claim, ours), _days(known, theirs)
    # A month is no fixed number of days, but two months are not ten days.
    return "different" if days and other and _distance(days, other) > _FAR else None


def _in(quantity: Quantity, factor: float, summand: float = 0.0) -> Quantity:
    """Return a quantity in the unit that both sides share."""
    low, high = (value * factor + summand for value in (quantity.low, quantity.high))
    return replace(quantity, low=low, high=high, step=quantity.step * factor)


def _days(quantity: Quantity, unit: Unit) -> float | None:
    """Return an exact duration in days, about as many where it is stated in months."""
    (kind, size), *more = unit.factors.items()
    exact = not (more or quantity.bound or quantity.is_range)
    return quantity.low * size * DAYS[kind] if exact and kind in DAYS else None


def _compare(claim: Quantity, known: Quantity, *, converted: bool) -> str | None:
    if claim.is_range or known.is_range:
        return _with_range(claim, known, converted)
    if not (claim.bound in {"", "about"} and known.bound in {"", "about"}):
        return _with_bound(claim, known, converted)
    return _two_points(claim, known, converted)


def _two_points(claim: Quantity, known: Quantity, converted: bool) -> str | None:
    ours, theirs = claim.low, known.low
    distance = _distance(ours, theirs)
    about = "about" in {claim.bound, known.bound}
    if _same(ours, theirs, converted):
        return "within" if about and claim.bound != known.bound else "equal"
    if about:
        return "within" if distance <= _NEAR else "different" if distance > _FAR else None
    if converted:
        return "different" if distance > _CONVERTED[1] else None
    apart = abs(ours - theirs)
    coarse = max(claim.step, known.step)
    # "3 million" may be said for 3,350,000; 3 is not said for 3.35.
    if apart <= coarse / 2 and (distance <= _LOOSE or coarse >= _MANY):
        if known.step > claim.step:
            return "compatible"
        if claim.step > known.step:
            return "within" if distance <= _ROUNDED else None
    if distance <= _LOOSE and (_rounded(ours, theirs) or _rounded(theirs, ours)):
        return None
    return "different"


def _rounded(coarse: float, fine: float) -> bool:
    """Whether a number may be another one rounded, as 56,000 for 56,400."""
    if coarse != int(coarse) or coarse == 0:
        return False
    digits = str(abs(int(coarse)))
    zeros = len(digits) - len(digits.rstrip("0"))
    return zeros >= 2 and abs(coarse - fine) <= 10**zeros / 2


def _with_range(claim: Quantity, known: Quantity, converted: bool) -> str | None:
    same = _same(claim.low, known.low, converted) and _same(claim.high, known.high, converted)
    if same and claim.is_range and known.is_range:
        return "equal" if claim.bound == known.bound else None
    if claim.bound or known.bound:
        return None
    # What is rounded or converted may reach a little beyond the range.
    margin = 1 + (_CONVERTED[1] if converted else 0.0)
    if claim.low > known.high * margin or known.low > claim.high * margin:
        return "different"
    inside = known.low <= claim.low and claim.high <= known.high
    return "compatible" if inside and not claim.is_range else None


def _with_bound(claim: Quantity, known: Quantity, converted: bool) -> str | None:
    if claim.bound == known.bound:
        return "equal" if _same(claim.low, known.low, converted) else None
    limits = claim.bound in _LIMITS and known.bound in _LIMITS
    opposite = limits and (claim.bound in _LOWER) != (known.bound in _LOWER)
    if _same(claim.low, known.low, converted):
        return "different" if opposite else _AT_THE_BOUND.get((claim.bound, known.bound))
    if limits:
        lower, upper = (claim, known) if claim.bound in _LOWER else (known, claim)
        return "different" if opposite and lower.low > upper.low and not converted else None
    bounded, point = (claim, known.low) if claim.bound in _LIMITS else (known, claim.low)
    beyond = point > bounded.low if bounded.bound in _LOWER else point < bounded.low
    if not beyond:
        far = _distance(point, bounded.low) > _CONVERTED[1]
        return "different" if far or not converted else None
    # "At least" and "up to" set limits, which are wrong where the limit is another one.
    near = max(point, bounded.low) <= _MUCH_MORE * min(point, bounded.low)
    if bounded.bound in {"least", "most"} or not near:
        return None
    return "within" if bounded is claim else "compatible"


def _distance(first: float, second: float) -> float:
    largest = max(abs(first), abs(second))
    return abs(first - second) / largest if largest else 0.0


def _same(first: float, second: float, converted: bool) -> bool:
    return _distance(first, second) <= (_CONVERTED[0] if converted else 1e-9)
