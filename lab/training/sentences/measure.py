"""``python -m lab.training.sentences.measure FILE``: judge the sentences that were kept apart from training."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.training.sentences.corpus import APART, rows
from lab.training.sentences.kinds import kind_of
from lab.training.sentences.network import Network, network
from qsquared.method.plain.kinds import CLAIM

OF_REPLIES = ("wizard", "example log")
"""Sources of sentences from replies; the others were written to be hard."""


def apart() -> dict[str, list[tuple[str, str]]]:
    """Return the kept-apart sentences with their labels, `by hand` and `of replies`."""
    found: dict[str, list[tuple[str, str]]] = {"by hand": [], "of replies": []}
    for row in rows(APART):
        origin = "of replies" if row["source"] in OF_REPLIES else "by hand"
        found[origin].append((row["sentence"], row["kind"]))
    return found


def figures(judge: Network, labelled: Sequence[tuple[str, str]]) -> Mapping[str, float]:
    """Return the share of the claims that are left out, and of the talk that is scored as a claim."""
    read = [(label == CLAIM, kind_of(judge, text).name == CLAIM) for text, label in labelled]
    claims = [scored for claim, scored in read if claim]
    talk = [scored for claim, scored in read if not claim]
    return {
        "claims": len(claims),
        "claims left out": 1 - sum(claims) / len(claims),
        "talk": len(talk),
        "talk scored as a claim": sum(talk) / len(talk),
    }


def main() -> None:
    """Print the figures of a network on the sentences that were kept apart."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.sentences.measure", description=main.__doc__
    )
    parser.add_argument("weights", type=Path, help="the file network.npz of a training")
    judge = network(parser.parse_args().weights)
    print(json.dumps({name: figures(judge, found) for name, found in apart().items()}, indent=2))


if __name__ == "__main__":
    main()
