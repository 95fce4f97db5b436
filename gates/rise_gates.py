"""Findings of the gates on a rise: the watch over all groups, and a sentence for each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import numpy as np

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
)
from qsquared.gates.rises import ALL, GAP, Counts, Night, Tally, Watch, watch
from qsquared.gates.rules import GateRules, NoClaim, Rise
from qsquared.text import percent


def rises(rules: GateRules, gate: Rise | NoClaim, counted: DateCounts) -> Iterator[Finding]:
    """Watch all groups of the date together; those without history are not judged."""
    nothing = isinstance(gate, NoClaim)
    noun = "turns" if nothing else "scored turns"
    tonight = [one for one in counted.of_date(gate.group) if _tally(gate, one).total]
    for counts in counted.of_date(gate.group):
        if counts not in tonight:
            yield too_few(gate, label_of(gate.group, counts.group), 0, noun)
    if not tonight:
        return
    low, total = _table(gate, counted, [one.group for one in tonight])
    limit = 365 / gate.false_alarms
    settings = Watch(gate.least_rise, limit, gate.days, gate.least_days, gate.minimum)
    night = watch(low, total, settings)[-1]
    for place, counts in enumerate(tonight):
        before, days = night.before[place], f"{night.days[place]:,} of the "
        nights = len(low) - 1 - int(night.origin[place])
        gap = GAP if night.settled[place] else 0
        if 0 < nights < gate.days + gap and night.origin[place]:
            days += (
                f"{nights - gap:,} days since the rise of {counted.date - timedelta(days=nights)}"
            )
            days += " up to a week ago" if gap else ""
        else:
            days += f"{gate.days:,} days " + ("up to a week ago" if gap else "before")
        words = f"{noun} claim nothing{counts.kinds_left_out}" if nothing else f"{noun} {rules.low}"
        label = label_of(gate.group, counts.group)
        if not night.judged[place]:
            yield _without_history(counted, gate, counts.group, before.total, days, noun)
        elif night.rise is not None and night.rise.group == place:
            yield _risen(gate, label, words, night, counted.date, len(low))
        else:
            today = _tally(gate, counts)
            sentence = (
                f"{percent(today.share)} of {today.total:,} {words}, and {percent(before.share)} of "
                f"{before.total:,} on {days}: "
                f"no rise ({_promise(gate, night)})."
            )
            yield finding(
                gate,
                label,
                PASSED,
                sentence,
                value=today.share - before.share,
                limit=gate.least_rise,
                numerator=today.low,
                denominator=today.total,
                evidence=night.evidence,
            )
    if night.rise is not None and night.rise.group == ALL:
        words = f"{noun} claim nothing" if nothing else f"{noun} {rules.low}"
        yield _risen(gate, f"all of {gate.group}", words, night, counted.date, len(low))


def _tally(gate: Rise | NoClaim, counts: GroupCounts) -> Tally:
    return counts.no_claim_tally if isinstance(gate, NoClaim) else counts.tally


def _table(
    gate: Rise | NoClaim, counted: DateCounts, names: list[str | None]
) -> tuple[Counts, Counts]:
    """Return the low and all turns of each night, the last one the date, and each group."""
    found = [one for one in counted.counts[gate.group] if one.group in names]
    first = min(one.day for one in found)
    low, total = np.zeros((2, (counted.date - first).days + 1, len(names)), dtype=np.int64)
    for one in found:
        place = (one.day - first).days, names.index(one.group)
        low[place], total[place] = _tally(gate, one).low, _tally(gate, one).total
    return low, total


def _risen(
    gate: Rise | NoClaim, label: str, words: str, night: Night, day: date, nights: int
) -> Finding:
    """Return the finding of a rise; an alarm comes once, and then the new level is the old one."""
    assert night.rise is not None
    after, before = night.rise.after, night.rise.before
    since = (day - timedelta(days=nights - 1 - night.rise.since)).isoformat()
    sentence = (
        f"{percent(after.share)} of {after.total:,} {words} since {since}, and {percent(before.share)} "
        f"of {before.total:,} on the days before: a rise ({_promise(gate, night)})."
    )
    return finding(
        gate,
        label,
        BROKEN,
        sentence,
        value=after.share - before.share,
        limit=gate.least_rise,
        numerator=after.low,
        denominator=after.total,
        evidence=night.evidence,
        since=since,
    )


def _promise(gate: Rise | NoClaim, night: Night) -> str:
    """Return the evidence of all groups in words, and how often it is a false alarm."""
    alarms = "alarm" if gate.false_alarms == 1 else "alarms"
    return (
        f"evidence {_number(night.evidence)}, an alarm at {365 / gate.false_alarms:.3g}: at most "
        f"{gate.false_alarms:g} false {alarms} a year expected over all groups; least rise "
        f"{percent(gate.least_rise)}"
    )


def _number(evidence: float) -> str:
    """Return evidence in two digits, or as a whole number up to a million."""
    if evidence < 10:
        return f"{evidence:.2g}"
    return f"{evidence:,.0f}" if evidence <= 1e6 else "above 1,000,000"


def _without_history(
    counted: DateCounts,
    gate: Rise | NoClaim,
    group: str | None,
    turns: int,
    days: str,
    noun: str,
) -> Finding:
    """Return the finding of a group that has not turns enough to be compared with."""
    sentence = (
        f"{days} have {noun}, {turns:,} together; it takes {gate.least_days:,} days and "
        f"{gate.minimum:,} turns to judge a rise."
    )
    first = counted.date - timedelta(days=gate.days)
    older = [
        one
        for one in counted.counts[gate.group]
        if first <= one.day < counted.date and one.group == group and one.outdated
    ]
    outdated = sum(one.outdated for one in older)
    if outdated:
        sentence += (
            f" {outdated:,} turns of these days have scores of another version only, which cannot be "
            f"compared; score them anew: q2 rescore --since {min(one.day for one in older)}"
        )
    label = label_of(gate.group, group)
    return finding(gate, label, NOT_JUDGED, sentence, outdated=outdated)
