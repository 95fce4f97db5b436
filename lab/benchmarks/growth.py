"""``python -m lab.benchmarks.growth``: time whole runs of ``q2 score`` over growing logs.

Each run is a process of its own, from the start of Python to the summary.
A log is scored into a new store, then again as it is, then with 1 % of new turns beside it, and then
by a profile with another NLI model.
"""

import argparse
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.benchmarks.corpus import REPEATED, write_log
from lab.benchmarks.scoring import run_score
from lab.benchmarks.tables import add_run

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
STEPS = ("cold", "cached", "1 % new", "new NLI")


def other_judge(folder: Path) -> Path:
    """Copy the shipped judge as another model by its files, and as fast."""
    nli = folder / "nli"
    shutil.copytree(_NLI, nli, ignore=shutil.ignore_patterns("SHA256SUMS"))
    config = json.loads((nli / "config.json").read_text(encoding="utf-8"))
    changed = json.dumps(config | {"classifier_dropout": 0.3})
    (nli / "config.json").write_text(changed, encoding="utf-8")
    return nli


def grow(
    turns: int, models: str, shard_size: int, steps: Sequence[str], repeated: float
) -> dict[str, Any]:
    """Run all steps over a log of so many turns."""
    with TemporaryDirectory(prefix="q2-growth-") as name:
        folder = Path(name)
        log, more = folder / "log.jsonl", folder / "more.jsonl"
        pairs = write_log(log, turns, repeated=repeated)
        write_log(more, max(1, turns // 100), first=pairs, seed=1)
        profiles = folder / "profiles.toml"
        profiles.write_text(_PROFILES.format(shard_size=shard_size, nli=other_judge(folder)))
        runs = {}
        for step in steps:
            logs = [log, more] if step == "1 % new" else [log]
            named = "other-nli" if step == "new NLI" else "measured"
            run = run_score(models, logs, folder / "store", named, profiles)
            runs[step] = asdict(run)
            print(
                f"{turns:,} turns, {step}: {run.seconds:.1f} s, {run.model_seconds:.1f} s in models, "
                f"{run.peak_megabytes:.0f} MB",
                flush=True,
            )
        stored = sum(path.stat().st_size for path in (folder / "store").rglob("*.parquet"))
    return {
        "turns": turns,
        "pairs": pairs,
        "models": models,
        "profile": "compact",
        "shard_size": shard_size,
        "store_megabytes": stored / 2**20,
        "runs": runs,
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Measure each size and add the figures to the file."""
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
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the figures there")
    arguments = parser.parse_args(argv)
    for turns in arguments.turns:
        grown = grow(
            turns, arguments.models, arguments.shard_size, arguments.steps, arguments.repeated
        )
        if arguments.json:
            add_run(arguments.json, grown)


if __name__ == "__main__":
    main()
