"""Measure how far dresses move scores: ``python -m lab.benchmarks.dresses FOLDER [--score]``.

A dressed reply whose claims read the same as the plain reply's has the same score, so that only the
others are scored; without ``--score`` their share is all that is told.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from rich.console import Console

from lab.benchmarks.dresses.corpus import PLAIN, DressedReply, corpus
from lab.benchmarks.dresses.dresses import DRESSES
from lab.benchmarks.tables import print_table
from qsquared.method.plain.claims import text_of_claims
from qsquared.method.plain.reply import CLAIMS
from qsquared.method.statistics.roc_auc import roc_auc

_FAR = 0.25


def claims(reply: str) -> str:
    """Return the plain text of a reply's claims."""
    return text_of_claims(reply, CLAIMS)


def scores_of(replies: Sequence[DressedReply], profile: str, column: str) -> list[float | None]:
    """Return a score of each reply."""
    import qsquared

    found = qsquared.score(
        [one.response for one in replies], [one.knowledge for one in replies], profile=profile
    )
    return list(found[column])


def main(argv: Sequence[str] | None = None) -> None:
    """Print a row for each dress."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.dresses", description=__doc__)
    parser.add_argument("folder", type=Path, help="holds the sets that the replies are drawn from")
    parser.add_argument(
        "--number", type=int, default=200, help="faithful replies, and unfaithful ones"
    )
    parser.add_argument(
        "--score", action="store_true", help="score the replies that read otherwise"
    )
    parser.add_argument("--profile", default="compact")
    parser.add_argument("--column", default="support", help="support or q2")
    arguments = parser.parse_args(argv)
    replies = list(corpus(arguments.folder, arguments.number))
    read = [claims(one.response) for one in replies]
    first = {one.number: place for place, one in enumerate(replies) if one.dress == PLAIN}
    plain = [first[one.number] for one in replies]
    same = [read[place] == read[other] for place, other in enumerate(plain)]
    scores: dict[int, float | None] = {}
    if arguments.score:
        asked = [place for place, other in enumerate(plain) if place == other or not same[place]]
        found = scores_of([replies[i] for i in asked], arguments.profile, arguments.column)
        scores = dict(zip(asked, found, strict=True))
        scores |= {place: scores[plain[place]] for place, one in enumerate(same) if one}
    rows = [("dress", "reads the same", "mean move", "moved far", "ROC-AUC")]
    for dress in (PLAIN, *DRESSES):
        places = [place for place, one in enumerate(replies) if one.dress == dress]
        share = fmean(same[place] for place in places)
        rows.append((dress, f"{share:.1%}", *_moves(replies, scores, places, plain)))
    print_table(Console(), rows)


def _moves(
    replies: Sequence[DressedReply],
    scores: dict[int, float | None],
    places: Sequence[int],
    plain: Sequence[int],
) -> tuple[str, str, str]:
    """Return the mean move of the scores, the share that moved far, and ROC-AUC."""
    known = [(i, value) for i in places if (value := scores.get(i)) is not None]
    moves = [abs(one - base) for i, one in known if (base := scores[plain[i]]) is not None]
    if not moves:
        return "", "", ""
    labels, values = np.array([(float(replies[i].faithful), one) for i, one in known]).T
    far = fmean(move > _FAR for move in moves)
    return f"{fmean(moves):.3f}", f"{far:.1%}", f"{roc_auc(labels, values):.3f}"


if __name__ == "__main__":
    main()
