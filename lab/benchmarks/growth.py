"""``python -m lab.benchmarks.growth``: time whole runs of ``q2 score`` over growing logs.

Each run is a process of its own, from the start of Python to the summary.
A log is scored into a new store, then again as it is, then with 1 % of new turns beside it, and then
by a profile with another NLI model.
With ``--nights`` logs of as many new pairs each are scored one after another into one store, so that the
last night can be compared with the second.
"""

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from lab.benchmarks.corpus import REPEATED, write_log
from lab.benchmarks.scoring import run_score

_PROFILES = """
[measured]
like = "compact"
description = "compact, in shards of another size"
shard_size = {shard_size}

[other-nli]
like = "compact"
description = "the same with another NLI model"
shard_size = {shard_size}
entailment = {{ checkpoint = "{nli}" }}
"""

_NLI = Path(__file__).resolve().parents[2] / "models" / "compact-nli"
FEWEST_NIGHTS = 7
"""In fewer nights the three around night 2 are not others than the last three."""
STEPS = ("cold", "cached", "1 % new", "new NLI")


def other_judge(folder: Path) -> Path:
    """Copy the shipped judge as another model by its files, and as fast."""
    nli = folder / "nli"
    shutil.copytree(_NLI, nli, ignore=shutil.ignore_patterns("SHA256SUMS"))
    config = json.loads((nli / "config.json").read_text(encoding="utf-8"))
    changed = json.dumps(config | {"classifier_dropout": 0.3})
    (nli / "config.json").write_text(changed, encoding="utf-8")
    return nli


def grow(turns: int, models: str, shard_size: int, steps: Sequence[str], repeated: float) -> None:
    """Run all steps over a log of so many turns, and print the figures of each."""
    with TemporaryDirectory(prefix="q2-growth-") as name:
        folder = Path(name)
        log, more = folder / "log.jsonl", folder / "more.jsonl"
        pairs = write_log(log, turns, repeated=repeated)
        write_log(more, max(1, turns // 100), first=pairs, seed=1)
        profiles = folder / "profiles.toml"
        profiles.write_text(_PROFILES.format(shard_size=shard_size, nli=other_judge(folder)))
        for step in steps:
            logs = [log, more] if step == "1 % new" else [log]
            named = "other-nli" if step == "new NLI" else "measured"
            run = run_score(models, logs, folder / "store", named, profiles)
            print(
                f"{turns:,} turns, {step}: {run.seconds:.1f} s, {run.model_seconds:.1f} s in models, "
                f"{run.peak_megabytes:.0f} MB",
                flush=True,
            )
        stored = sum(path.stat().st_size for path in (folder / "store").rglob("*.parquet"))
    print(f"{turns:,} turns, {pairs:,} pairs: {stored / 2**20:.1f} MB in the store", flush=True)


def pass_nights(nights: int, pairs: int, models: str, shard_size: int) -> None:
    """Score as many nights of new pairs into one store, and print the seconds of each night.

    Night 2 and the last night are each the middle of three runs: of nights 2 to 4, and of the last three.
    """
    seconds: list[float] = []
    with TemporaryDirectory(prefix="q2-nights-") as name:
        folder = Path(name)
        log, profiles = folder / "night.jsonl", folder / "profiles.toml"
        profiles.write_text(_PROFILES.format(shard_size=shard_size, nli=other_judge(folder)))
        for night in range(nights):
            write_log(log, pairs, first=night * pairs, seed=night, repeated=0)
            run = run_score(models, [log], folder / "store", "measured", profiles)
            seconds.append(run.seconds)
            print(f"night {night + 1} of {pairs:,} new pairs: {run.seconds:.1f} s", flush=True)
    second, last = median(seconds[1:4]), median(seconds[-3:])
    print(f"night {nights} takes {last / second:.2f} times as long as night 2")


def main(argv: Sequence[str] | None = None) -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.growth", description=__doc__)
    parser.add_argument("--turns", type=int, nargs="+", default=[1000], help="default: 1000")
    parser.add_argument("--models", choices=["real", "free"], default="real")
    parser.add_argument("--shard-size", type=int, default=256, help="pairs (default: 256)")
    parser.add_argument(
        "--repeated",
        type=float,
        default=REPEATED,
        metavar="SHARE",
        help=f"turns whose pair was logged before (default: {REPEATED})",
    )
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS))
    parser.add_argument("--nights", type=int, help="score as many nights of --turns new pairs")
    arguments = parser.parse_args(argv)
    if arguments.nights is not None and arguments.nights < FEWEST_NIGHTS:
        parser.error(f"--nights takes {FEWEST_NIGHTS} or more")
    for turns in arguments.turns:
        models, size = arguments.models, arguments.shard_size
        if arguments.nights:
            pass_nights(arguments.nights, turns, models, size)
        else:
            grow(turns, models, size, arguments.steps, arguments.repeated)


if __name__ == "__main__":
    main()
