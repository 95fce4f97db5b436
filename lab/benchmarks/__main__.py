"""``python -m lab.benchmarks``: the plain loop, the last release, growing logs."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from lab.benchmarks import growth, loop, release

_FREE = ("--models", "free", "--steps", "cold", "cached")


def main(argv: Sequence[str] | None = None) -> int:
    """Run all parts; return 1 if the stages decided anything otherwise than the loop."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("build") / "bench", help="the figures")
    parser.add_argument("--small", action="store_true", help="only that all runs and agrees")
    parser.add_argument("--large", action="store_true", help="up to 10⁷ turns: hours")
    arguments = parser.parse_args(argv)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    grown = ["--json", str(arguments.folder / "growth.json")]
    alike = loop.main(
        ["--json", str(arguments.folder / "loop.json"), *(["--quick"] if arguments.small else [])]
    )
    if arguments.small:
        growth.main([*_FREE, "--turns", "60", "--shard-size", "16", *grown])
        return alike
    release.main(["--json", str(arguments.folder / "release.json")])
    growth.main(["--turns", "1000", *grown])
    free = [*_FREE, "--shard-size", "4096", *grown]
    growth.main([*free, "--turns", "10000", "100000"])
    nights, pairs = ("365", "10000") if arguments.large else ("12", "2000")
    growth.main(["--models", "free", "--turns", pairs, "--nights", nights, *grown])
    if arguments.large:
        growth.main([*free, "--turns", "1000000", "10000000", "--repeated", "0.9"])
    return alike


if __name__ == "__main__":
    raise SystemExit(main())
