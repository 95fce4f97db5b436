"""Alarms of the watch for a rise in simulated years: ``python -m lab.benchmarks.alarms --page docs/gates.md``.

Ten groups have 200 turns a night together, of which a share is inconsistent as in the example log.
Days differ, all groups alike or each by itself, by a standard deviation; ``as in the example log`` is
that of its three days (by moments, both versions together), in each group by itself.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lab.benchmarks.tables import Rows, markdown_table, write_between
from qsquared.gates.rises import Watch, watch

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

GROUPS, TURNS, SHARE = 10, 200, 0.34
YEAR, BEFORE, AFTER = 365, 40, 120
RISES = (0.05, 0.1, 0.2)


@dataclass(frozen=True, slots=True)
class Days:
    """The standard deviation of the days' shares: of all groups alike, and of each by itself."""

    name: str
    alike: float
    apart: float


CASES = (
    Days("not at all", 0.0, 0.0),
    Days("3 points, all groups alike", 0.03, 0.0),
    Days("8.7 points, each group by itself (the example log)", 0.0, 0.087),
    Days("3 points alike and 8.7 by itself", 0.03, 0.087),
    Days("8.7 points, all groups alike", 0.087, 0.0),
)
_HEAD = (
    "days differ by", "alarms a year",
    *(f"nights to +{rise:.0%}" for rise in RISES), *(f"nights to +{rise:.0%}, one group" for rise in RISES[1:]),
)  # fmt: skip


def nights_of(days: Days, shares: Array, rng: np.random.Generator) -> tuple[Counts, Counts]:
    """Draw the low and all turns of nights with these expected shares, a row each."""
    total = rng.multinomial(TURNS, [1 / GROUPS] * GROUPS, size=len(shares))
    shares = _beta(
        np.clip(shares + _beta(np.full((len(shares), 1), 0.5), days.alike, rng) - 0.5, 0.01, 0.99),
        days.apart,
        rng,
    )
    return rng.binomial(total, shares), total


def _beta(mean: Array, deviation: float, rng: np.random.Generator) -> Array:
    if not deviation:
        return mean
    precision = np.maximum(mean * (1 - mean) / deviation**2 - 1, 0.5)
    drawn: Array = rng.beta(mean * precision, (1 - mean) * precision)
    return drawn


def alarms_a_year(days: Days, years: int) -> float:
    """Return the mean number of alarms in years without a rise, after the first history."""
    rng = np.random.default_rng(2026)
    found = 0
    for _ in range(years):
        low, total = nights_of(days, np.full((BEFORE + YEAR, GROUPS), SHARE), rng)
        found += sum(night.rise is not None for night in watch(low, total, Watch())[BEFORE:])
    return found / years


def nights_to(days: Days, rise: float, groups: int, times: int) -> tuple[float, float]:
    """Return the median and the 90th percentile of the nights until an alarm after a rise."""
    rng = np.random.default_rng(2026)
    found = []
    for _ in range(times):
        shares = np.full((BEFORE + AFTER, GROUPS), SHARE)
        shares[BEFORE:, :groups] += rise
        nights = watch(*nights_of(days, shares, rng), Watch())[BEFORE:]
        alarms = [number for number, night in enumerate(nights, start=1) if night.rise is not None]
        found.append(alarms[0] if alarms else np.inf)
    median, late = np.quantile(found, [0.5, 0.9], method="higher")
    return float(median), float(late)


def rows_of(years: int, times: int) -> Rows:
    """Return the table, a row for each kind of days."""

    def told(days: Days, rise: float, groups: int) -> str:
        median, late = nights_to(days, rise, groups, times)
        late_words = f"{late:.0f}" if np.isfinite(late) else f"more than {AFTER}"
        words = f"{median:.0f}" if np.isfinite(median) else f"more than {AFTER}"
        return f"{words} ({late_words})" if words != late_words else words

    rows: list[tuple[str, ...]] = [_HEAD]
    for days in CASES:
        whole = (told(days, rise, GROUPS) for rise in RISES)
        single = (told(days, rise, 1) for rise in RISES[1:])
        rows.append((days.name, f"{alarms_a_year(days, years):.2f}", *whole, *single))
        print(*rows[-1], sep=" | ", flush=True)
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table, and write it between the marker comments of a page."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.alarms", description=__doc__)
    parser.add_argument("--years", type=int, default=100)
    parser.add_argument("--times", type=int, default=300)
    parser.add_argument("--page", type=Path)
    asked = parser.parse_args(argv)
    rows = rows_of(asked.years, asked.times)
    if asked.page is not None:
        write_between(asked.page, "alarms", markdown_table(rows, "--:"))


if __name__ == "__main__":
    main()
