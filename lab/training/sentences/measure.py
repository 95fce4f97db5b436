"""``python -m lab.training.sentences.measure FILE``: judge the sentences that were kept apart from training."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.training.mixture.reading import read_table
from lab.training.sentences.corpus import KEPT_APART, claims_like_talk
from qsquared.method.plain.sentence_kinds import CLAIM, kind_of
from qsquared.method.plain.sentence_network import Network, unpacked

OF_REPLIES = ("wizard", "example log")
"""Sources of sentences from replies; the others were written to be hard."""


def apart() -> dict[str, list[tuple[str, str]]]:
    """Return the sentences kept apart by the list that they stand in, with their labels."""
    first, *others = KEPT_APART
    found: dict[str, list[tuple[str, str]]] = {"by hand": [], "of replies": []}
    for row in read_table(first):
        origin = "of replies" if row["source"] in OF_REPLIES else "by hand"
        found[origin].append((row["sentence"], row["kind"]))
    found["like talk"] = [(claim, CLAIM) for claim in claims_like_talk()]
    for path in others:
        found[path.stem] = [(row["sentence"], row["kind"]) for row in read_table(path)]
    return found


def figures(judge: Network, labelled: Sequence[tuple[str, str]]) -> Mapping[str, float]:
    """Return the share of the claims that are left out, and of the talk that is scored as a claim."""
    read = [(label, kind_of(text, network=judge).name == CLAIM) for text, label in labelled]
    claims = [scored for label, scored in read if label == CLAIM]
    talk = [scored for label, scored in read if label != CLAIM]
    return {
        "claims": len(claims),
        "claims left out": 1 - sum(claims) / len(claims),
        "talk": len(talk),
        "talk scored as a claim": sum(talk) / max(len(talk), 1),
    }


def main() -> None:
    """Print the figures of a network on the sentences that were kept apart."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.sentences.measure", description=main.__doc__
    )
    parser.add_argument("weights", type=Path, help="the file model.safetensors of a training")
    judge = unpacked(parser.parse_args().weights.read_bytes())
    print(json.dumps({name: figures(judge, found) for name, found in apart().items()}, indent=2))


if __name__ == "__main__":
    main()
