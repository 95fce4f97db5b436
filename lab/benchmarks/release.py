"""``python -m lab.benchmarks.release``: `q2 score` of this tree beside that of the last release.

The release is checked out under `build/`, with the same environment.
Both score the same logs into new stores, in turns; times are ratios within a round, and processor time
is the fairer one where other work goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rich.console import Console

from lab.benchmarks.corpus import write_log
from lab.benchmarks.machine import describe_machine, lacking, print_table, run_timed
from lab.training.passages import read_passages
from qsquared.errors import ModelError
from qsquared.language.models import build_models
from qsquared.profiles.loading import get_profile

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
_MAIN = """
try:
    from qsquared.cli.process import main
except ImportError:  # 0.2.0 and before
    from qsquared.cli.entry import main
main()
"""
_REPLY_WORDS, _KNOWLEDGE_WORDS = 90, 120
_BARS = {"short replies": "2×", "long replies": "4×", "a few": "5 s"}
"""The times as fast as 0.1.0 that a release is to reach on a processor that multiplies int8, or seconds."""


@dataclass(frozen=True, slots=True)
class Took:
    """The seconds of a command, by the clock and of the processor."""

    seconds: float
    processor_seconds: float


def write_long_log(path: Path, turns: int) -> None:
    """Write replies of some 90 words, each beside the passage of 150 words or so that they are about."""
    with path.open("w") as log:
        for passage in read_passages():
            if turns and sum(len(text.split()) for text in passage.knowledge) >= _KNOWLEDGE_WORDS:
                said: list[str] = []
                for claim in passage.claims:
                    if sum(len(text.split()) for text in said) < _REPLY_WORDS:
                        said.append(claim.text)
                reply = {"response": " ".join(said), "knowledge": passage.knowledge}
                log.write(json.dumps(reply) + "\n")
                turns -= 1


def release_tree(commit: str) -> tuple[Path, str]:
    """Check a commit out below `build/` and return its folder for imports, and its name.

    Raises:
        CalledProcessError: git does not know it.
    """
    name = _git("rev-parse", "--short", commit)
    tree = ROOT / "build" / "release" / name
    if not tree.exists():
        _git("worktree", "add", "--detach", str(tree), commit)
    _run("make", "--silent", "build/layout/qsquared", folder=tree)
    return tree, name


def last_release() -> str:
    """Return the commit that cut the last release."""
    return _git("log", "-1", "--grep", "^Cut version", "--format=%H")


def time_command(tree: Path, folder: Path, *arguments: str) -> Took:
    """Run ``q2`` with these arguments by the code of a tree, in a folder.

    Raises:
        RuntimeError: the command failed; with its last messages.
    """
    path = os.pathsep.join([str(tree / "build" / "layout"), str(tree)])
    command = [sys.executable, "-P", "-c", _MAIN, *arguments]
    seconds, processor_seconds, _ = run_timed(
        command, env=os.environ | {"PYTHONPATH": path}, cwd=folder
    )
    return Took(seconds, processor_seconds)


def score(tree: Path, log: Path, store: Path) -> Took:
    """Score a log by the code of a tree."""
    return time_command(tree, store.parent, "score", str(log), "--store", str(store))


def time_rest(log: Path, folder: Path) -> list[list[str]]:
    """Return the rows of what is compared with nothing before: one explanation, and the larger judge."""
    said = ("--response", "It opens at nine.", "--knowledge", "The museum opens at ten.")
    explained = time_command(ROOT, folder, "explain", *said)
    by = {
        profile: time_command(
            ROOT, folder, "score", str(log), "--profile", profile, "--store", str(folder / profile)
        )
        for profile in ("compact", "base")
    }
    ratio = by["base"].seconds / by["compact"].seconds
    more = f"{ratio:.1f} times as long"
    return [
        ["explain one reply", f"{explained.seconds:.1f}", "", "", "2.5 s"],
        ["long replies by base, beside compact", f"{by['base'].seconds:.1f}", more, "", "3×"],
    ]


def compare(trees: Sequence[Path], log: Path, rounds: int) -> list[list[Took]]:
    """Score a log by each tree in turns; return the times of each round."""
    found = []
    for number in range(rounds):
        with TemporaryDirectory(prefix="q2-release-") as name:
            order = trees if number % 2 == 0 else trees[::-1]
            took = {tree: score(tree, log, Path(name) / f"store-{tree.name}") for tree in order}
            found.append([took[tree] for tree in trees])
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Compare on short replies, long ones and a few, and print the table with the machine."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.release", description=__doc__)
    parser.add_argument("--against", help="a commit (default: the last release)")
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    parser.add_argument("--turns", type=int, nargs=3, default=[1000, 200, 10], metavar="N",
                        help="short replies, long replies, a few (default: 1000 200 10)")  # fmt: skip
    arguments = parser.parse_args(argv)
    tree, name = release_tree(arguments.against or last_release())
    short, long, few = arguments.turns
    console = Console()
    rows = [["", "seconds", "times as fast", "in processor time", "bar"]]
    with TemporaryDirectory(prefix="q2-release-logs-") as folder:
        for title, turns in (("short replies", short), ("long replies", long), ("a few", few)):
            log = Path(folder) / "log.jsonl"
            if title == "long replies":
                write_long_log(log, turns)
            else:
                write_log(log, turns, repeated=0.0)
            took = compare([tree, ROOT], log, arguments.rounds)
            clock = [then.seconds / now.seconds for then, now in took]
            work = [then.processor_seconds / now.processor_seconds for then, now in took]
            now = statistics.median(now.seconds for _, now in took)
            rows.append(
                [f"{turns:,} {title}", f"{now:.1f}", _ratio(clock), _ratio(work), _BARS[title]]
            )
        try:
            build_models(get_profile("base")).identity("entailment")
        except ModelError as missing:
            console.print(f"{missing.message} So base is not timed: q2 models pull base")
        else:
            write_long_log(log, long)
            rows += time_rest(log, Path(folder))
    print_table(console, rows, title=f"q2 score against {name}, {arguments.rounds} rounds")
    machine = describe_machine()
    console.print(f"{machine['processor']}, {machine['cores']} cores.", *lacking())


def _ratio(found: Sequence[float]) -> str:
    return f"{statistics.median(found):.2f} ({min(found):.2f} to {max(found):.2f})"


def _git(*arguments: str) -> str:
    return _run("git", *arguments)


def _run(program: str, *arguments: str, folder: Path = ROOT) -> str:
    command = [shutil.which(program) or program, *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    main()
