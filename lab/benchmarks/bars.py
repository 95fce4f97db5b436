"""Bars: the speed and memory that have to be reached, beside the measured figures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

Runs = Sequence[Mapping[str, Any]]

ENGINES = {"fp32": ("1.6×", "2.5×"), "bf16": ("3.5×", "5×"), "int8": ("7×", "11×")}
_LARGE = 100_000
_POWERS = {10**5: "10⁵", 10**6: "10⁶", 10**7: "10⁷"}


@dataclass(frozen=True, slots=True)
class Bar:
    """One row; ``figure`` is the measured value with its spread or size."""

    name: str
    bar: str
    aim: str
    figure: str


def bars(figures: Mapping[str, Runs]) -> Iterator[Bar]:
    """Make all rows; ``figures`` are the runs of each part by its name."""
    yield from _paper(figures.get("paper", ()))
    yield from _replies(figures.get("growth", ()))
    yield from _overhead(figures.get("growth", ()))
    yield from _large(figures.get("growth", ()))
    yield from _commands(figures.get("commands", ()))


def spread(values: Sequence[float], form: str = "{:.2f}") -> str:
    """Return the median with the least and the greatest of several, as a text."""
    middle = form.format(median(values))
    if len(values) == 1:
        return middle
    return (
        f"{middle} ({form.format(min(values))} to {form.format(max(values))}, {len(values)} runs)"
    )


def agreement(runs: Runs, engine: str) -> Iterator[tuple[str, int, int]]:
    """Count (role, items, equal) over all runs of an engine."""
    for role in runs[0]["agreement"][engine]:
        counts = [run["agreement"][engine][role] for run in runs]
        yield role, sum(c["items"] for c in counts), sum(c["equal"] for c in counts)


def _paper(runs: Runs) -> Iterator[Bar]:
    for engine, (bar, aim) in ENGINES.items():
        having = [run for run in runs if engine in run["seconds"]]
        ratios, worked = (
            [run[kind]["loop"] / run[kind][engine] for run in having]
            for kind in ("seconds", "processor_seconds")
        )
        name = f"paper's architectures against the published loop, {engine}"
        if not ratios:
            yield Bar(name, bar, aim, "not measured")
            continue
        counted = list(agreement(having, engine))
        items, equal = sum(c[1] for c in counted), sum(c[2] for c in counted)
        figure = (
            f"{spread(ratios)}×, in processor time {spread(worked)}×; "
            f"{equal / items:.1%} of {items:,} decisions equal"
        )
        yield Bar(name, bar, aim, figure)


def _cold(runs: Runs, models: str) -> list[Mapping[str, Any]]:
    return sorted((r for r in runs if r["models"] == models), key=lambda run: run["turns"])


def _replies(runs: Runs) -> Iterator[Bar]:
    profiles = dict.fromkeys(run["profile"] for run in _cold(runs, "real"))
    for profile in profiles or ["compact"]:
        of_profile = [run for run in _cold(runs, "real") if run["profile"] == profile]
        figure = "not measured"
        if of_profile:
            run = of_profile[-1]
            cold = run["runs"]["cold"]
            figure = (
                f"{run['turns'] / cold['seconds']:.1f} replies/s with the start of all "
                f"({run['pairs'] / cold['seconds']:.1f} distinct), {run['turns']:,} turns"
            )
        yield Bar(f"profile {profile}, whole pipeline, cold store", "15/s", "40/s", figure)


def _overhead(runs: Runs) -> Iterator[Bar]:
    name = "everything but model time, compact, 10⁵ turns"
    real = [run for run in _cold(runs, "real") if run["profile"] == "compact"]
    free = [run for run in _cold(runs, "free") if run["turns"] == _LARGE]
    if not real:
        yield Bar(name, "10 %", "3 %", "not measured")
        return
    cold = real[-1]["runs"]["cold"]
    share = 1 - cold["model_seconds"] / cold["seconds"]
    figure = f"{share:.1%} at {real[-1]['turns']:,} turns, the start of all included"
    if free:
        run = free[-1]["runs"]["cold"]
        larger = free[-1]["pairs"] / real[-1]["pairs"]
        around = run["seconds"] - sum(run["stages"].values())
        within = (sum(cold["stages"].values()) - cold["model_seconds"]) * larger
        whole = around + sum(cold["stages"].values()) * larger
        figure += (
            f"; {(around + within) / whole:.1%} reckoned for {_LARGE:,}: {around:.0f} s around the "
            f"stages as measured with free models, {within:.0f} s within them from the smaller run"
        )
    yield Bar(name, "10 %", "3 %", figure)


def _large(runs: Runs) -> Iterator[Bar]:
    free = {run["turns"]: run["runs"] for run in _cold(runs, "free")}
    for turns in (10**6, 10**7):
        figure = f"{free[turns]['cached']['seconds']:.0f} s" if turns in free else "not measured"
        yield Bar(
            f"rerun of {_POWERS[turns]} turns, all cached, to the summary", "60 s", "15 s", figure
        )
    for step, less, more in (
        ("cold", 10**5, 10**6),
        ("cold", 10**6, 10**7),
        ("cached", 10**6, 10**7),
    ):
        figure = "not measured"
        if all(step in free.get(turns, {}) for turns in (less, more)):
            peaks = [free[turns][step]["peak_megabytes"] for turns in (less, more)]
            figure = f"{peaks[1] / peaks[0]:.2f}× ({peaks[0]:.0f} to {peaks[1]:.0f} MB)"
        name = f"peak memory, {_POWERS[less]} to {_POWERS[more]} turns, {step} (free models)"
        yield Bar(name, "1.2×", "flat", figure)


def _commands(runs: Runs) -> Iterator[Bar]:
    for command, bar, aim in (
        ("q2 --help", "0.5 s", "0.2 s"),
        ("q2 sql", "1 s", "0.4 s"),
    ):
        waited, worked = (
            [value for run in runs for value in run[kind][command]]
            for kind in ("seconds", "processor_seconds")
        )
        figure = "not measured"
        if waited:
            figure = f"{spread(waited)} s, in processor time {spread(worked)} s"
        yield Bar(f"`{command}`", bar, aim, figure)
