"""``python -m benchmarks.commands.cold_start``: from nothing to the score of one reply, and where it goes.

Each repeat is a fresh interpreter, so imports count; the figures are medians in seconds.
No flow is started: this is what the models and libraries take by themselves.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from statistics import median

from rich.console import Console
from rich.table import Table

KNOWLEDGE = (
    "The Skarholm Tide Museum is open from 10:00 to 17:00. It was founded in 1911 by Anna Vik."
)
RESPONSE = "The museum was founded in 1911, and it is open until 17:00."

_REPORT = "cold-start:"


def child(profile: str) -> dict[str, float]:
    """Score one reply in this process; seconds by part."""
    parts: dict[str, float] = {}
    clock = time.perf_counter()

    def lap(name: str) -> None:
        nonlocal clock
        now = time.perf_counter()
        parts[name] = now - clock
        clock = now

    import torch  # noqa: F401

    lap("import torch")
    import transformers  # noqa: F401
    from transformers import (  # noqa: F401
        AutoModelForQuestionAnswering,
        AutoModelForSequenceClassification,
        AutoTokenizer,
    )

    lap("import transformers")
    import spacy  # noqa: F401

    lap("import spaCy")
    from benchmarks.paper.staged import run_stages
    from qsquared.language.models import build_models
    from qsquared.profiles.loading import get_profile
    from qsquared.profiles.profile import ROLES

    models = build_models(get_profile(profile))
    lap("import the pipeline")
    for role in ROLES:
        models.load(role)
        lap(f"load {role.replace('_', ' ')}")
    pairs = [{"pair_id": "p", "response": RESPONSE, "knowledge": [KNOWLEDGE]}]
    tables, _ = run_stages(pairs, models, {})
    lap("score one reply")
    if tables["scores"][0]["status"] != "scored":
        raise SystemExit(f"the reply was not scored: {tables['scores'][0]}")
    return parts


def main() -> None:
    """Print where the time goes."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.commands.cold_start", description=__doc__
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--profile", default="compact")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(_REPORT + json.dumps(child(arguments.profile)))
        return
    command = [sys.executable, "-m", "benchmarks.commands.cold_start", "--child"]
    runs, walls = [], []
    for _ in range(arguments.repeats):
        started = time.perf_counter()
        done = subprocess.run(
            [*command, "--profile", arguments.profile], check=True, capture_output=True, text=True
        )
        walls.append(time.perf_counter() - started)
        (line,) = [row for row in done.stdout.splitlines() if row.startswith(_REPORT)]
        runs.append(json.loads(line.removeprefix(_REPORT)))
    table = Table("part", "seconds")
    for name in runs[0]:
        table.add_row(name, f"{median(run[name] for run in runs):.2f}")
    table.add_row("whole process", f"{median(walls):.2f}")
    Console(width=80).print(table)


if __name__ == "__main__":
    main()
