"""``python -m lab.benchmarks``: every part of the benchmark, one after the other, and the table of all.

Each part is a command of its own as well, with its sizes as options, so that parts can be run at
different times and added to the same folder.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from lab.benchmarks import page
from lab.benchmarks.commands import measure as commands
from lab.benchmarks.growth import measure as growth
from lab.benchmarks.growth import peak
from lab.benchmarks.paper import loop
from lab.benchmarks.paper import measure as paper

_FOLDER = Path("build") / "bench"
_FREE = ("--shard-size", "4096", "--steps", "cold", "cached")


def main(argv: Sequence[str] | None = None) -> int:
    """Run all parts; return 1 if the pipeline decided anything otherwise than the loop."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks", description=__doc__)
    parser.add_argument("--folder", type=Path, default=_FOLDER, help="where the figures go")
    parser.add_argument("--small", action="store_true", help="only that all runs and agrees")
    parser.add_argument(
        "--large", action="store_true", help="up to 10⁵ turns by real and 10⁷ by free models: hours"
    )
    arguments = parser.parse_args(argv)
    folder: Path = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)

    def file(part: str) -> str:
        return str(folder / f"{part}.json")

    def grow(models: str, *turns: int, options: Sequence[str] = ()) -> None:
        sizes = [str(size) for size in turns]
        growth.main(["--models", models, "--turns", *sizes, *options, "--json", file("growth")])

    alike = loop.main(["--json", file("loop"), *(["--quick"] if arguments.small else [])])
    if arguments.small:
        alike |= paper.main(
            ["--tiny", "--pairs", "2", "--engines", "fp32", "--json", file("paper")]
        )
        grow("free", 60, options=["--shard-size", "16", "--steps", "cold", "cached"])
    else:
        for seed in range(3):
            alike |= paper.main(["--pairs", "3", "--seed", str(seed), "--json", file("paper")])
        grow("real", *([1000, 10_000, 100_000] if arguments.large else [1000]))
        grow("free", 10_000, 100_000, options=_FREE)
        if arguments.large:
            grow("free", 10**6, 10**7, options=[*_FREE, "--repeated", "0.9"])
        peak.main(["--json", file("peak")])
        commands.main(["--json", file("commands")])
    page.show(Console(), page.read_figures(folder))
    return alike


if __name__ == "__main__":
    raise SystemExit(main())
