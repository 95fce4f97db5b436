"""Findings of the gates on a rise: the watch over all groups, and a sentence for each."""

from collections.abc import Iterator
from datetime import date, timedelta

import numpy as np

from qsquared.display import percent
from qsquared.gates.findings import (
    BROKEN,
    NOT_JUDGED,
    PASSED,
    DateCounts,
    Finding,
    GroupCounts,
    finding,
    label_of,
    too_few,
    without_support,
)
from qsquared.gates.rules import GateRules, NoClaim, Rise
from qsquared.gates.sequential_test import ALL, GAP, Counts, Night, Tally, watch


def rises(rules: GateRules, gate: Rise | NoClaim, counted: DateCounts) -> Iterator[Finding]:
    """Watch all groups of the date together; those without history are not judged."""
    nothing = isinstance(gate, NoClaim)
    noun = "turns" if nothing else "scored turns"
    reason = "" if nothing else without_support(rules, counted)
    words = f"{noun} claim nothing" if nothing else f"{noun} {rules.low(counted.lead)}"
    tonight = []
    for counts in counted.of_date(gate.group):
        if _tally(gate, counts).total:
            tonight.append(counts)
        else:
            yield too_few(gate, label_of(gate.group, counts.group), 0, noun, reason)
    if not tonight:
        return
    low, total = _table(gate, counted, [counts.group for counts in tonight])
    night, last = watch(low, total, gate)[-1], len(low) - 1
    alarm = night.alarm
    since = None if alarm is None else str(counted.date - timedelta(days=last - alarm.since))
    for column, counts in enumerate(tonight):
        label, before = label_of(gate.group, counts.group), night.before[column]
        days = _days(gate, night, column, counted.date, last)
        described = words + counts.kinds_left_out * nothing
        if not night.judged[column]:
            yield _without_history(counted, gate, counts.group, before.total, days, noun)
        elif alarm is not None and alarm.group == column:
            yield _compared(gate, label, night, described, alarm.after, alarm.before, since=since)
        else:
            yield _compared(gate, label, night, described, _tally(gate, counts), before, days)
    if alarm is not None and alarm.group == ALL:
        label = f"all of {gate.group}"
        yield _compared(gate, label, night, words, alarm.after, alarm.before, since=since)


def _tally(gate: Rise | NoClaim, counts: GroupCounts) -> Tally:
    nothing = isinstance(gate, NoClaim)
    return Tally(counts.no_claim, counts.turns) if nothing else counts.tally


def _table(
    gate: Rise | NoClaim, counted: DateCounts, names: list[str | None]
) -> tuple[Counts, Counts]:
    """Return the low and all turns of each night, the last one the date, and each group."""
    of_groups = [counts for counts in counted.counts[gate.group] if counts.group in names]
    first = min(counts.day for counts in of_groups)
    low, total = np.zeros((2, (counted.date - first).days + 1, len(names)), dtype=np.int64)
    for counts in of_groups:
        cell = (counts.day - first).days, names.index(counts.group)
        low[cell], total[cell] = _tally(gate, counts).low, _tally(gate, counts).total
    return low, total


def _days(gate: Rise | NoClaim, night: Night, column: int, day: date, last: int) -> str:
    """Return the days that a group is compared with, in words; ``last`` is the number of the night."""
    origin, gap = int(night.origin[column]), GAP if night.settled[column] else 0
    nights = last - origin
    before = "up to a week ago" if gap else "before"
    days = f"{night.days[column]:,} of the "
    if not origin or nights >= gate.days + gap:
        return f"{days}{gate.days:,} days {before}"
    days += f"{nights - gap:,} days since the rise of {day - timedelta(days=nights)}"
    return f"{days} {before}" if gap else days


def _compared(
    gate: Rise | NoClaim,
    label: str,
    night: Night,
    words: str,
    after: Tally,
    before: Tally,
    days: str = "the days before",
    since: str | None = None,
) -> Finding:
    """Return the finding of a group: a rise ``since`` a day, or none against the ``days`` before.

    An alarm comes once, and then the new level is the old one.
    The sentence has the evidence of all groups, and how often it is a false alarm.
    """
    alarms = "alarm" if gate.false_alarms == 1 else "alarms"
    sentence = (
        f"{percent(after.share)} of {after.total:,} {words}{f' since {since}' if since else ''}, and "
        f"{percent(before.share)} of {before.total:,} on {days}: {'a' if since else 'no'} rise "
        f"(evidence {_number(night.evidence)}, an alarm at {gate.evidence_of_alarm:.3g}: at most "
        f"{gate.false_alarms:g} false {alarms} a year expected over all groups; least rise "
        f"{percent(gate.least_rise)})."
    )
    return finding(
        gate,
        label,
        BROKEN if since else PASSED,
        sentence,
        value=after.share - before.share,
        limit=gate.least_rise,
        numerator=after.low,
        denominator=after.total,
        evidence=night.evidence,
        since=since,
    )


def _number(evidence: float) -> str:
    """Return evidence in two digits, or as a whole number up to a million."""
    if evidence < 10:
        return f"{evidence:.2g}"
    return f"{evidence:,.0f}" if evidence <= 1e6 else "above 1,000,000"


def _without_history(
    counted: DateCounts, gate: Rise | NoClaim, group: str | None, turns: int, days: str, noun: str
) -> Finding:
    """Return the finding of a group that has not turns enough to be compared with."""
    sentence = (
        f"{days} have {noun}, {turns:,} together; it takes {gate.least_days:,} days and "
        f"{gate.minimum:,} turns to judge a rise."
    )
    first = counted.date - timedelta(days=gate.days)
    older = [
        counts
        for counts in counted.counts[gate.group]
        if first <= counts.day < counted.date and counts.group == group and counts.outdated
    ]
    outdated = sum(counts.outdated for counts in older)
    if outdated:
        sentence += (
            f" {outdated:,} turns of these days have scores of another version only, which cannot be "
            f"compared; score them anew: q2 rescore --since {min(counts.day for counts in older)}"
        )
    label = label_of(gate.group, group)
    return finding(gate, label, NOT_JUDGED, sentence, outdated=outdated)
