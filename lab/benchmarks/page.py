"""``python -m lab.benchmarks.page``: print all figures as one table, write them to a page, draw them."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console

from lab.benchmarks.bars import ENGINES, Runs, agreement, bars
from lab.benchmarks.results import read_runs
from lab.benchmarks.tables import markdown_table, print_table, write_between

FIGURES = Path(__file__).parent / "figures"
PARTS = ("paper", "growth", "commands", "peak")
NAME = "bars"
"""Name of the figures in the marker comments of a page."""


def read_figures(folder: Path) -> dict[str, Runs]:
    """Read the runs of each part in a folder."""
    return {part: read_runs(folder / f"{part}.json") for part in PARTS}


def bar_rows(figures: Mapping[str, Runs]) -> list[tuple[str, ...]]:
    """Return the head and the rows of the table of the bars."""
    head = ("what", "bar", "aim", "measured")
    return [head, *((bar.name, bar.bar, bar.aim, bar.figure) for bar in bars(figures))]


def markdown(figures: Mapping[str, Runs]) -> str:
    """Return the table of the bars, and those of the parts behind it, as Markdown."""
    tables = [markdown_table(bar_rows(figures))]
    tables += [
        f"{title}\n\n{markdown_table(rows)}" for title, rows in _parts(figures) if len(rows) > 1
    ]
    return "\n".join(tables) + "\n" + "".join(_machines(figures))


def _parts(figures: Mapping[str, Runs]) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    yield (
        "Decisions of the random models against those of the loop, one model call each:",
        [
            ("engine", "role", "equal"),
            *(
                (engine, role.replace("_", " "), f"{equal:,} of {items:,} ({equal / items:.1%})")
                for engine in ENGINES
                if (runs := [run for run in figures["paper"] if engine in run["seconds"]])
                for role, items, equal in agreement(runs, engine)
                if items
            ),
        ],
    )
    yield (
        "Seconds in each model, of the paper's architectures, a reply:",
        [
            ("way", "question generation", "question answering", "entailment", "a reply in all"),
            *_by_role(figures["paper"]),
        ],
    )
    yield (
        "Whole runs of `q2 score`, each a process of its own:",
        [
            ("turns", "pairs", "models", "run", "seconds", "in models", "peak memory"),
            *(
                (
                    f"{run['turns']:,}",
                    f"{run['pairs']:,}",
                    run["profile"] if run["models"] == "real" else "free",
                    step,
                    f"{one['seconds']:.1f}",
                    f"{one['model_seconds']:.1f}",
                    f"{one['peak_megabytes']:.0f} MB",
                )
                for run in figures["growth"]
                for step, one in run["runs"].items()
            ),
        ],
    )
    yield (
        "Seconds of each stage in the cold runs, reading and writing of its tables included:",
        [
            ("turns", "models", *_stages(figures["growth"]), "all else"),
            *_by_stage(figures["growth"]),
        ],
    )
    yield (
        "Operations of the compact reader over what the machine multiplies at best (10⁹ a second):",
        [
            ("precision", "peak", "reached", "share"),
            *(
                (precision, f"{one['peak']:.0f}", f"{one['reached']:.0f}", f"{one['share']:.0%}")
                for run in figures["peak"][-1:]
                for precision, one in run["precisions"].items()
            ),
        ],
    )


def _by_role(runs: Runs) -> Iterator[tuple[str, ...]]:
    for way in ("loop", *ENGINES):
        having = [run for run in runs if way in run["seconds"]]
        if having:
            pairs = sum(run["pairs"] for run in having)
            seconds = [
                sum(run["by_role"][way][role] for run in having) / pairs
                for role in having[0]["by_role"][way]
            ]
            whole = sum(run["seconds"][way] for run in having) / pairs
            yield way, *(f"{value:.2f}" for value in [*seconds, whole])


def _stages(runs: Runs) -> list[str]:
    return list(runs[0]["runs"]["cold"]["stages"]) if runs else []


def _by_stage(runs: Runs) -> Iterator[tuple[str, ...]]:
    for run in runs:
        if "cold" not in run["runs"]:
            continue
        cold = run["runs"]["cold"]
        stages = [cold["stages"].get(name, 0.0) for name in _stages(runs)]
        named = run["profile"] if run["models"] == "real" else "free"
        rest = cold["seconds"] - sum(stages)
        yield f"{run['turns']:,}", named, *(f"{value:.1f}" for value in [*stages, rest])


def _machines(figures: Mapping[str, Runs]) -> Iterator[str]:
    machines = {
        "{processor}, {cores} cores, {torch_threads} torch threads, {memory_gib} GiB; Python {python}, "
        "torch {torch}, transformers {transformers}".format(**run["machine"]): None
        for runs in figures.values()
        for run in runs
    }
    for machine in machines:
        yield f"\nMachine: {machine}.\n"


def show(console: Console, figures: Mapping[str, Runs]) -> None:
    """Print the table of the bars."""
    print_table(console, bar_rows(figures), "Against the bars")


def draw(path: Path, figures: Mapping[str, Runs]) -> None:
    """Draw speed against the loop, and time against the length of the log."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "q2"  # equal figures give an equal file
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    engines = [e for e in ENGINES if any(e in run["seconds"] for run in figures["paper"])]
    speeds = [
        [
            run["seconds"]["loop"] / run["seconds"][e]
            for run in figures["paper"]
            if e in run["seconds"]
        ]
        for e in engines
    ]
    left.bar(engines, [median(values) for values in speeds], color="#4c78a8")
    for place, values in enumerate(speeds):
        left.plot([place] * len(values), values, "k.")
    for place, engine in enumerate(engines):
        bar = float(ENGINES[engine][0].rstrip("×"))
        left.hlines(bar, place - 0.4, place + 0.4, color="#e45756", linestyle="--")
    left.set_title("times as fast as the published loop")
    for label in dict.fromkeys(_label(run) for run in figures["growth"]):
        for step, style in (("cold", "o-"), ("cached", "s--")):
            points = sorted(
                (run["turns"], run["runs"][step]["seconds"])
                for run in figures["growth"]
                if _label(run) == label and step in run["runs"]
            )
            right.plot(*zip(*points, strict=True), style, label=f"{label}, {step}")
    right.set_xscale("log")
    right.set_yscale("log")
    right.set_xlabel("turns")
    right.set_title("seconds of a whole run")
    if figures["growth"]:
        right.legend(fontsize=7)
    figure.savefig(path, format="svg", metadata={"Date": None})
    plt.close(figure)


def _label(run: Mapping[str, Any]) -> str:
    return "free models" if run["models"] == "free" else str(run["profile"])


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table; write page and picture if they are named."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.page", description=__doc__)
    parser.add_argument("--figures", type=Path, default=FIGURES, help="folder of the JSON files")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="page with the markers")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="SVG to write")
    arguments = parser.parse_args(argv)
    figures = read_figures(arguments.figures)
    show(Console(), figures)
    if arguments.markdown:
        write_between(arguments.markdown, NAME, markdown(figures))
    if arguments.picture:
        draw(arguments.picture, figures)


if __name__ == "__main__":
    main()
