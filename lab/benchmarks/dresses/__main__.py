"""Measure how far dresses move scores: ``python -m lab.benchmarks.dresses FOLDER [--score]``.

A dressed reply whose claims read the same as the plain reply's has the same score, so that only the
others are scored; without ``--score`` their share is all that is told.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from rich.console import Console
from rich.table import Table

from lab.benchmarks.dresses.corpus import PLAIN, DressedReply, corpus
from qsquared.method.plain.claims import text_of_claims
from qsquared.method.plain.reply import CLAIMS
from qsquared.method.statistics.roc_auc import roc_auc

_FAR = 0.25


def claims(reply: str) -> str:
    """Return the plain text of a reply's claims."""
    return text_of_claims(reply, CLAIMS)


def scores_of(
    replies: Sequence[DressedReply], profile: str, column: str
) -> dict[int, float | None]:
    """Return a score of each plain reply, and of each dressed one whose claims read otherwise.

    The key is the position in ``replies``; the others have the score of their plain reply.
    """
    import qsquared

    plain = {one.number: claims(one.response) for one in replies if one.dress == PLAIN}
    first = {one.number: place for place, one in enumerate(replies) if one.dress == PLAIN}
    asked = [
        place
        for place, one in enumerate(replies)
        if one.dress == PLAIN or claims(one.response) != plain[one.number]
    ]
    found = qsquared.score(
        [replies[place].response for place in asked],
        [replies[place].knowledge for place in asked],
        profile=profile,
    )
    values = dict(zip(asked, found[column], strict=True))
    return {
        place: values.get(place, values[first[one.number]]) for place, one in enumerate(replies)
    }


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
    plain = {one.number: claims(one.response) for one in replies if one.dress == PLAIN}
    scores = scores_of(replies, arguments.profile, arguments.column) if arguments.score else {}
    by_dress: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(replies):
        by_dress[one.dress].append(place)
    base = {replies[place].number: scores.get(place) for place in by_dress[PLAIN]}
    table = Table("dress", "reads the same", "mean move", "moved far", "ROC-AUC")
    for dress, places in by_dress.items():
        same = fmean(claims(replies[i].response) == plain[replies[i].number] for i in places)
        row = [dress, f"{same:.1%}", "", "", ""]
        both = [(i, scores.get(i), base[replies[i].number]) for i in places]
        moves = [abs(a - b) for _, a, b in both if a is not None and b is not None]
        if moves:
            known = [(float(replies[i].faithful), a) for i, a, _ in both if a is not None]
            labels, values = np.array(known).T
            row[2:] = [
                f"{fmean(moves):.3f}",
                f"{fmean(move > _FAR for move in moves):.1%}",
                f"{roc_auc(labels, values):.3f}",
            ]
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
