"""``python -m lab.training.robustness``: changes of a faithful reply's score with its spelling.

Takes the turns of a log whose column ``expected`` says ``faithful``, writes each in other ways that
change nothing of what it says, and scores all of them with a profile.
"""

import argparse
import json
import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from lab.training.examples.perturb import misspell
from lab.training.measure import score
from qsquared.evaluation.data.items import Item
from qsquared.tasks.jobs.options import Job

FAR = 0.25
"""A move of the score that an analyst would notice."""


def _tokenised(text: str, _rng: random.Random) -> str:
    return re.sub(r"\s+", " ", re.sub(r"([.,!?;:()\"']|n't)", r" \1 ", text)).strip()


SPELLINGS: dict[str, Callable[[str, random.Random], str]] = {
    "as logged": lambda text, _: text,
    "lower case": lambda text, _: text.lower(),
    "upper case": lambda text, _: text.upper(),
    "tokenised": _tokenised,
    "lower case, tokenised": lambda text, rng: _tokenised(text.lower(), rng),
    "one typo": misspell,
    "no full stop": lambda text, _: text.rstrip(".! "),
    "double spaces": lambda text, _: text.replace(" ", "  "),
}


def faithful_turns(logs: Iterable[Path]) -> list[dict[str, str]]:
    """Read the turns of JSONL logs that are expected to be faithful."""
    rows = []
    for path in sorted(logs):
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue  # the example log has broken rows on purpose
            if isinstance(row, dict) and row.get("expected") == "faithful":
                rows.append(row)
    return rows


def respell(turns: list[dict[str, str]], name: str, seed: int) -> list[Item]:
    """Write the turns' replies in another spelling; the knowledge stays as it is."""
    rng = random.Random(f"{seed}/{name}")
    return [
        Item(str(i), str(i), str(turn["knowledge"]), SPELLINGS[name](turn["response"], rng), 1.0)
        for i, turn in enumerate(turns)
    ]


def main() -> None:
    """Print the mean score under each spelling, and how far single scores move."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.robustness", description=main.__doc__
    )
    parser.add_argument("--logs", type=Path, default=Path("examples/logs"))
    parser.add_argument("--store", type=Path, default=Path("build/robustness"))
    parser.add_argument("--profile", default="compact")
    parser.add_argument("--seed", type=int, default=11)
    arguments = parser.parse_args()
    turns = faithful_turns(arguments.logs.glob("*.jsonl"))
    job = Job(str(arguments.store.absolute()), arguments.profile)
    table = Table("spelling", "mean Q²", "mean move", f"moved by over {FAR}")
    base: np.ndarray | None = None
    for name in SPELLINGS:
        items = respell(turns, name, arguments.seed)
        scores = score(items, job).values("q2")
        base = scores if base is None else base
        moved = np.abs(scores - base)
        table.add_row(
            name, f"{scores.mean():.3f}", f"{moved.mean():.3f}", f"{(moved > FAR).mean():.1%}"
        )
    Console(width=100).print(f"{len(turns)} faithful replies of {arguments.logs}", table)


if __name__ == "__main__":
    main()
