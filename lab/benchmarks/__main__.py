"""``python -m lab.benchmarks``: the plain loop, the last release, growing logs."""

import argparse
from collections.abc import Sequence

from lab.benchmarks import growth, loop, release

_FREE = ("--models", "free", "--steps", "cold", "cached")


def main(argv: Sequence[str] | None = None) -> int:
    """Run all parts; return 1 if the stages decided anything otherwise than the loop."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks", description=__doc__)
    parser.add_argument("--small", action="store_true", help="only that all runs and agrees")
    parser.add_argument("--large", action="store_true", help="up to 10⁷ turns: hours")
    arguments = parser.parse_args(argv)
    alike = loop.main(["--quick"] if arguments.small else [])
    if arguments.small:
        growth.main([*_FREE, "--turns", "60", "--shard-size", "16"])
        return alike
    release.main([])
    growth.main([])
    free = [*_FREE, "--shard-size", "4096"]
    growth.main([*free, "--turns", "10000", "100000"])
    nights, pairs = ("365", "10000") if arguments.large else ("12", "2000")
    growth.main(["--models", "free", "--turns", pairs, "--nights", nights])
    if arguments.large:
        growth.main([*free, "--turns", "1000000", "10000000", "--repeated", "0.9"])
    return alike


if __name__ == "__main__":
    raise SystemExit(main())
