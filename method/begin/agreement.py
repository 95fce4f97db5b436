"""Majority labels of several annotators."""

from collections import Counter
from collections.abc import Iterable


def majority_label(labels: Iterable[str]) -> str | None:
    """Return the label that most annotators gave; ``None`` if two labels share the first place."""
    ranked = Counter(labels).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]
