"""The judgements of several annotators on one reply."""

from collections.abc import Iterable

CONSISTENT = "consistent"
INCONSISTENT = "inconsistent"
VERDICTS = (CONSISTENT, INCONSISTENT)


def resolved(verdicts: Iterable[str]) -> float:
    """Return 1 if most call the reply inconsistent, 0 if most do not, and one half at a tie."""
    votes = [verdict == INCONSISTENT for verdict in verdicts]
    against = 2 * sum(votes)
    return 0.5 if against == len(votes) else float(against > len(votes))
