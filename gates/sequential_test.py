"""Sequential test of a rise: evidence that grows night by night, with a promise on false alarms.

Each night brings e-values: how much likelier its inconsistent turns are after a rise than without
one, given the days before.
An e-detector (Shin, Ramdas and Rinaldo 2024, in the form of Shiryaev and Roberts) adds up the
evidence of all nights on which the rise may have begun, R ← e · (R + 1), and an alarm is raised where
it reaches a limit.
Where nothing has risen, E[e | the nights before] is at most 1, so that R less the number of nights is
a supermartingale and the expected number of nights until an alarm is at least the limit, however often
one looks: a limit of 365 is at most one false alarm a year.
The mean of several detectors is one, too. So all groups share one limit: half of the weight is on each
group alone, half on all groups together, and in each on three sizes of a rise, so that neither groups
nor sizes need a correction of their own.

Turns of one day are no independent draws, and days differ.
So a night's count is beta-binomial about the share of the days before: its variance has in it the spread
of the days among each other, estimated by moments (DerSimonian & Laird, Controlled Clinical Trials 7,
1986, equation 8), and what the days before leave open of their own share.
The days to compare with end a week before, so that a rise that has just begun is no part of them; their
error is then that of many nights in a row, and so their share is taken a quarter of a standard error too high.
That the share and the spread are estimated, and not known, is the one step without a proof;
docs/results/gates-simulation.md has the alarms of simulated years, and
`tests/gates/test_sequential_test.py` counts some.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaln

from qsquared.gates.rules import Trailing

Counts = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]

SIZES = (1, 2, 4)
"""A rise is looked for in these multiples of the least one."""

PRIOR_DAYS = 7
PRIOR_SPREAD = 0.005
"""The spread of the days is mixed with so many of this share of p(1 - p): few quiet days prove no calm."""

GAP = 7
"""The nights before tonight that are no yardstick, where the days before them suffice."""

CAUTION = 0.25
"""The share of the days before is taken so many standard errors too high."""

ALL = -1
"""The place of all groups together."""


@dataclass(frozen=True, slots=True)
class Tally:
    """A number of ``low`` turns among ``total``."""

    low: int
    total: int

    @property
    def share(self) -> float:
        """The share of low turns; 0 without any turn."""
        return self.low / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Alarm:
    """A rise: the group (`ALL` for all together), its first night, and the shares since and before."""

    group: int
    since: int
    after: Tally
    before: Tally


@dataclass(frozen=True, slots=True)
class Night:
    """The evidence after a night, whether each group could be judged, and the alarm if there is one.

    Each group was compared with the turns ``before`` on so many ``days``, which are `GAP` nights ago or
    more if it is ``settled``, since its ``origin``: the night of its last rise, or the first.
    """

    evidence: float
    judged: npt.NDArray[np.bool_]
    origin: npt.NDArray[np.intp]
    before: tuple[Tally, ...]
    days: npt.NDArray[np.int64]
    settled: npt.NDArray[np.bool_]
    alarm: Alarm | None = None


def watch(low: Counts, total: Counts, gate: Trailing) -> list[Night]:
    """Watch nights, oldest first; after an alarm the groups that rose are compared with since then.

    Args:
        low: inconsistent turns, a row for each night and a column for each group.
        total: scored turns, in the same form.
        gate: the days to compare with, the least rise, and the false alarms that are borne.
    """
    number, groups = low.shape
    weights = np.array([0.5 / groups] * groups + [0.5])
    shape = (len(weights), len(SIZES))
    evidence, recent, since = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.intp)
    origin = np.zeros(groups, dtype=np.intp)
    watched = []
    for night in range(number):
        first = max(0, night - GAP - gate.days)
        nights = np.arange(first, night)[:, None]
        since_origin = nights >= origin
        early = since_origin & (nights < night - GAP)
        settled = (early & (total[first:night] > 0)).sum(axis=0) >= gate.least_days
        compared_with = np.where(settled, early, since_origin & (nights >= night - gate.days))
        past_low, past_total = low[first:night] * compared_with, total[first:night] * compared_with
        days = (past_total > 0).sum(axis=0)
        judged = (days >= gate.least_days) & (past_total.sum(axis=0) >= gate.minimum)
        judged &= total[night] > 0
        gain = np.zeros(shape)
        if judged.any():
            tonight = total[night, judged]
            gain[np.r_[np.flatnonzero(judged), ALL]] = _gains(
                _with_all(low[night, judged]),
                _with_all(tonight),
                *_expected(past_low[:, judged], past_total[:, judged], tonight),
                gate.least_rise,
            )
        looked = gain != 0
        evidence = np.where(looked, np.exp(gain) * (1 + evidence), evidence)
        since = np.where(recent <= 0, night, since)
        recent = np.maximum(recent, 0) + gain
        parts = evidence.mean(axis=1)
        value, alarm = float(weights @ parts), None
        if value >= gate.evidence_of_alarm:
            leader = int(parts.argmax())
            start = int(since[leader, evidence[leader].argmax()])
            risen = np.arange(groups) == leader if leader < groups else judged
            after = _tally(low[start : night + 1, risen], total[start : night + 1, risen])
            until = max(first, start)
            earlier = since_origin[: until - first, risen]
            before = _tally(low[first:until, risen] * earlier, total[first:until, risen] * earlier)
            if before.total and after.share - before.share >= gate.least_rise:
                alarm = Alarm(leader if leader < groups else ALL, start, after, before)
        compared = zip(past_low.sum(axis=0), past_total.sum(axis=0), strict=True)
        tallies = tuple(Tally(int(low_turns), int(turns)) for low_turns, turns in compared)
        watched.append(Night(value, judged, origin.copy(), tallies, days, settled, alarm))
        if alarm is not None:
            evidence, recent = np.zeros(shape), np.zeros(shape)
            origin[risen] = alarm.since
    return watched


def spread_between_days(low: Counts, total: Counts) -> Array:
    """Return the variance of the days' true shares in each column, by moments; 0 if chance explains all.

    DerSimonian & Laird (1986), equation 8, with the days as studies.
    """
    whole = low.sum(axis=0) / np.maximum(1, total.sum(axis=0))
    chance = whole * (1 - whole)
    weights = np.divide(total, chance, out=np.zeros(total.shape), where=chance > 0)
    shares = low / np.maximum(1, total)
    excess = (weights * (shares - whole) ** 2).sum(axis=0) - ((total > 0).sum(axis=0) - 1)
    every = weights.sum(axis=0)
    below = every - np.divide(
        (weights**2).sum(axis=0), every, out=np.ones_like(every), where=every > 0
    )
    spread: Array = np.divide(
        np.maximum(0, excess), below, out=np.zeros_like(every), where=below > 0
    )
    return spread


def _expected(low: Counts, total: Counts, tonight: Counts) -> tuple[Array, Array]:
    """Return the share that the days before let expect of each group, and its variance.

    The last one is of all groups together, each with its turns of tonight.
    """
    turns, part = total.sum(axis=0), tonight / tonight.sum()
    shares = (low.sum(axis=0) + 0.5) / (turns + 1)
    share = np.append(shares, part @ shares)
    chance = shares * (1 - shares) / turns
    low, total = _with_all(low), _with_all(total)
    spread = _spread(low, total, share)
    unrest = spread * (total**2).sum(axis=0) / total.sum(axis=0) ** 2
    unrest = unrest + np.append(chance, part**2 @ chance)
    # The error of the estimate is that of many nights in a row.
    raised = np.minimum(share + CAUTION * np.sqrt(unrest), (1 + share) / 2)
    return raised, spread + unrest


def _with_all(counts: Counts) -> Counts:
    """Return counts of groups with their sum behind them."""
    return np.append(counts, counts.sum(axis=-1, keepdims=True), axis=-1)


def _spread(low: Counts, total: Counts, share: Array) -> Array:
    days = (total > 0).sum(axis=0)
    prior = PRIOR_DAYS * PRIOR_SPREAD * share * (1 - share)
    mixed: Array = (days * spread_between_days(low, total) + prior) / (days + PRIOR_DAYS)
    return mixed


def _gains(low: Counts, total: Counts, share: Array, variance: Array, least: float) -> Array:
    """Return the logarithm of the e-value of each column for each size of a rise."""
    precision = np.clip(share * (1 - share) / variance - 1, 1.0, 1e5)[:, None]
    share, low, total = share[:, None], low[:, None], total[:, None]
    risen = np.minimum(share + least * np.array(SIZES), (1 + share) / 2)

    def likelihood(mean: Array) -> Array:
        yes, no = mean * precision, (1 - mean) * precision
        value: Array = betaln(low + yes, total - low + no) - betaln(yes, no)
        return value

    return likelihood(risen) - likelihood(share)


def _tally(low: Counts, total: Counts) -> Tally:
    return Tally(int(low.sum()), int(total.sum()))
