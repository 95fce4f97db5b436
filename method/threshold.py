"""The threshold at or below which a score calls a reply inconsistent.

Q², section 5.1: "Responses with a score of 0.5 or below are classified as inconsistent and vice
versa."
"""

from typing import overload

import numpy as np
import numpy.typing as npt

THRESHOLD = 0.5
"""The paper's threshold, which it calls arbitrary; reports and gates may ask for another."""


@overload
def is_inconsistent(score: float, threshold: float = ...) -> bool: ...
@overload
def is_inconsistent(
    score: npt.NDArray[np.float64], threshold: float = ...
) -> npt.NDArray[np.bool_]: ...
def is_inconsistent(
    score: float | npt.NDArray[np.float64], threshold: float = THRESHOLD
) -> bool | npt.NDArray[np.bool_]:
    """Whether a score, or each of an array of scores, is at or below the threshold."""
    return score <= threshold


def inconsistent_sql(score: str, threshold: float | str = THRESHOLD) -> str:
    """Return the SQL condition that a score is at or below the threshold; NULL for no score.

    Args:
        score: an SQL expression.
        threshold: a number, or the name of a parameter such as ``$threshold`` or ``?``.
    """
    return f"({score} <= {threshold})"
