"""``python -m lab.training.claims.leaks``: how far a claim's label can be told without reading its passage.

It prints the figures of the claims as they were written and as they are drawn, and exits with 1 if
what is drawn leaks: the claim alone may tell the label 5 points better than the most frequent label
does, and overlap has an AUC between .45 and .55.
"""

import sys

from lab.training.claims.balance import BLIND_MARGIN, Drawn, balanced, leaks
from lab.training.claims.passages import read_passages

OVERLAP = (0.45, 0.55)
SEED = 20261123


def main() -> int:
    """Print both figures of all claims, and of those that are drawn by one seed."""
    rows = [Drawn(passage, claim) for passage in read_passages() for claim in passage.claims]
    for name, drawn in (("as written", rows), ("as drawn", balanced(rows, SEED))):
        found = leaks(drawn)
        print(
            f"{name}: {found['claims']} claims, the claim alone {found['blind accuracy']:.3f} "
            f"(most frequent label {found['majority']:.3f}), overlap {found['overlap']:.3f}"
        )
    closed = (
        found["blind accuracy"] <= found["majority"] + BLIND_MARGIN
        and OVERLAP[0] <= found["overlap"] <= OVERLAP[1]
    )
    return 0 if closed else 1


if __name__ == "__main__":
    sys.exit(main())
