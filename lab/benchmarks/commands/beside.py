"""``python -m lab.benchmarks.commands.beside LOG CHECKOUT``: `q2 score` of this version beside another checkout's.

Each scores the log into a store of its own, in turn, so that both meet the same machine; a worktree of
the other commit is enough, as its packages are imported from there.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from lab.benchmarks.commands.checkouts import HERE, layout, run_there

_SCORE = """
try:
    from qsquared.cli.entry import main
except ImportError:  # an earlier commit
    from qsquared.cli.app import main
main()
"""


def score_once(packages: Path, log: Path, store: Path) -> tuple[float, float]:
    """Score a log into a new store; return wall seconds and the processor's.

    Raises:
        subprocess.CalledProcessError: the run failed.
    """
    before, started = os.times(), time.perf_counter()
    run_there(packages, _SCORE, ["score", str(log), "--store", str(store)])
    seconds, after = time.perf_counter() - started, os.times()
    worked = after.children_user + after.children_system
    return seconds, worked - before.children_user - before.children_system


def main(argv: Sequence[str] | None = None) -> None:
    """Score the log with both checkouts in turn, and print medians and their ratio."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.commands.beside", description=__doc__
    )
    parser.add_argument("log", type=Path, help="a log of distinct replies")
    parser.add_argument("checkout", type=Path, help="the other checkout")
    parser.add_argument("--times", type=int, default=3, help="runs of each (default: 3)")
    arguments = parser.parse_args(argv)
    checkouts = {"this": HERE, "other": arguments.checkout.resolve()}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in checkouts}
    with tempfile.TemporaryDirectory(prefix="q2-beside-") as held:
        folder = Path(held)
        packages = {name: layout(path, folder / name) for name, path in checkouts.items()}
        for turn in range(arguments.times):
            for name in checkouts:
                store = folder / f"{name}-{turn}"
                found[name].append(score_once(packages[name], arguments.log.resolve(), store))
    table = Table("checkout", "seconds", "processor seconds", title=str(arguments.log))
    for name, runs in found.items():
        table.add_row(name, *(f"{median(run[part] for run in runs):.1f}" for part in (0, 1)))
    ratios = [
        median(other[part] / this[part] for this, other in zip(*found.values(), strict=True))
        for part in (0, 1)
    ]
    table.add_row("times as fast", *(f"{ratio:.2f}" for ratio in ratios))
    Console().print(table)


if __name__ == "__main__":
    main()
