"""Judge the gates of one date by counts of its turns; each verdict is a sentence with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from qsquared.gates.rises import Tally, adjusted, pooled, rise_p_value, wilson_interval
from qsquared.gates.rules import Coverage, Freshness, GateRules, Inconsistency, Rejects, Rise

PASSED = "passed"
BROKEN = "broken"
NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """The turns of one group on one day: all, those with a score, and those scored below the threshold.

    ``group`` is None where the log does not have the field.
    """

    day: date
    group: str | None
    turns: int
    scored: int
    low: int


@dataclass(frozen=True, slots=True)
class Night:
    """What is known of a date: ``counts`` by field of grouping, of it and of the days before.

    ``rows`` are those of the date's logs, ``rejects`` those of them that are no turns.
    ``newest`` says that the date is the last that there is, so that a later one may be overdue.
    """

    date: date
    rows: int
    rejects: int
    counts: Mapping[str, Sequence[GroupCounts]]
    newest: bool = False

    def of_date(self, field: str) -> list[GroupCounts]:
        """The counts of the date itself, by group."""
        return [counts for counts in self.counts[field] if counts.day == self.date]

    def before(self, field: str, group: str | None, days: int) -> list[Tally]:
        """The days before on which the group has scored turns."""
        first = self.date - timedelta(days=days)
        return [
            Tally(counts.low, counts.scored)
            for counts in self.counts[field]
            if first <= counts.day < self.date and counts.group == group and counts.scored
        ]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one gate says of one group; shares are of 1, and None where there is none.

    ``p_value`` is adjusted for the groups that the gate tested with this one.
    """

    gate: str
    kind: str
    group: str
    outcome: str
    sentence: str
    value: float | None = None
    limit: float | None = None
    numerator: int | None = None
    denominator: int | None = None
    p_value: float | None = None

    def to_json(self) -> dict[str, Any]:
        """As a plain JSON object."""
        return asdict(self)


def judge(rules: GateRules, night: Night, now: datetime) -> list[Finding]:
    """What each gate says of a date; ``now``, with a time zone, matters for freshness only."""
    found: list[Finding] = []
    for gate in rules.gate:
        match gate:
            case Inconsistency():
                found += [
                    _inconsistency(rules, gate, counts) for counts in night.of_date(gate.group)
                ]
            case Rise():
                found += _rises(rules, gate, night)
            case Coverage():
                found += [_coverage(gate, counts) for counts in night.of_date(gate.group)]
            case Rejects():
                found.append(_rejects(gate, night))
            case Freshness():
                found.append(_freshness(rules, gate, night, now))
    return found


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def _label(field: str, group: str | None) -> str:
    return f"{field} {'(none)' if group is None else group}" if field else ""


def _told(label: str, sentence: str) -> str:
    return f"{label}: {sentence}" if label else sentence


def _too_few(gate: Inconsistency | Rise | Coverage, label: str, number: int, noun: str) -> Finding:
    sentence = f"{number:,} {noun} are too few to judge; it takes {gate.minimum:,}."
    return Finding(gate.title, gate.kind, label, NOT_JUDGED, _told(label, sentence))


def _inconsistency(rules: GateRules, gate: Inconsistency, counts: GroupCounts) -> Finding:
    label = _label(gate.group, counts.group)
    if counts.scored < gate.minimum:
        return _too_few(gate, label, counts.scored, "scored turns")
    tally = Tally(counts.low, counts.scored)
    low, high = wilson_interval(tally)
    sentence = (
        f"{tally.low:,} of {tally.total:,} scored turns ({_percent(tally.share)}; 95 % interval "
        f"{_percent(low)} to {_percent(high)}) have {rules.score} below {rules.threshold:g}; the "
        f"limit is {_percent(gate.limit)}."
    )
    return Finding(
        gate.title,
        gate.kind,
        label,
        BROKEN if tally.share > gate.limit else PASSED,
        _told(label, sentence),
        tally.share,
        gate.limit,
        tally.low,
        tally.total,
    )


def _coverage(gate: Coverage, counts: GroupCounts) -> Finding:
    label = _label(gate.group, counts.group)
    if counts.turns < gate.minimum:
        return _too_few(gate, label, counts.turns, "turns")
    share = counts.scored / counts.turns
    sentence = (
        f"{counts.scored:,} of {counts.turns:,} turns ({_percent(share)}) have a score; at least "
        f"{_percent(gate.limit)} should."
    )
    return Finding(
        gate.title,
        gate.kind,
        label,
        BROKEN if share < gate.limit else PASSED,
        _told(label, sentence),
        share,
        gate.limit,
        counts.scored,
        counts.turns,
    )


def _rises(rules: GateRules, gate: Rise, night: Night) -> Iterator[Finding]:
    """All groups with enough turns and history are tested together, the others told as not judged."""
    tested: list[tuple[GroupCounts, list[Tally]]] = []
    for counts in night.of_date(gate.group):
        label = _label(gate.group, counts.group)
        days = night.before(gate.group, counts.group, gate.days)
        if counts.scored < gate.minimum:
            yield _too_few(gate, label, counts.scored, "scored turns")
        elif len(days) < gate.least_days:
            sentence = (
                f"{len(days):,} of the {gate.days:,} days before have scored turns; it takes "
                f"{gate.least_days:,} to judge a rise."
            )
            yield Finding(gate.title, gate.kind, label, NOT_JUDGED, _told(label, sentence))
        else:
            tested.append((counts, days))
    p_values = adjusted(
        [rise_p_value(Tally(counts.low, counts.scored), days) for counts, days in tested]
    )
    for (counts, days), p_value in zip(tested, p_values, strict=True):
        yield _rise(rules, gate, counts, days, p_value)


def _rise(
    rules: GateRules, gate: Rise, counts: GroupCounts, days: Sequence[Tally], p_value: float
) -> Finding:
    label = _label(gate.group, counts.group)
    today, before = Tally(counts.low, counts.scored), pooled(days)
    broken = p_value <= gate.significance and today.share - before.share >= gate.least_rise
    sentence = (
        f"{_percent(today.share)} of {today.total:,} scored turns have {rules.score} below "
        f"{rules.threshold:g}, and {_percent(before.share)} of {before.total:,} on {len(days):,} of "
        f"the {gate.days:,} days before: {'a' if broken else 'no'} significant rise "
        f"(adjusted p = {p_value:.2g}, level {gate.significance:g}, least rise "
        f"{_percent(gate.least_rise)})."
    )
    return Finding(
        gate.title,
        gate.kind,
        label,
        BROKEN if broken else PASSED,
        _told(label, sentence),
        today.share - before.share,
        gate.least_rise,
        today.low,
        today.total,
        p_value,
    )


def _rejects(gate: Rejects, night: Night) -> Finding:
    share = night.rejects / night.rows if night.rows else 0.0
    sentence = (
        f"{night.rejects:,} of {night.rows:,} rows ({_percent(share)}) could not be read as turns; "
        f"the limit is {_percent(gate.limit)}."
    )
    outcome = BROKEN if share > gate.limit else PASSED
    return Finding(
        gate.title,
        gate.kind,
        "",
        outcome,
        sentence,
        share,
        gate.limit,
        night.rejects,
        night.rows,
    )


def _freshness(rules: GateRules, gate: Freshness, night: Night, now: datetime) -> Finding:
    zone = ZoneInfo(rules.timezone)
    wanted = night.date
    if night.newest:
        local = now.astimezone(zone)
        wanted = max(wanted, local.date() - timedelta(days=1 if local.time() >= gate.by else 2))
    due = datetime.combine(wanted + timedelta(days=1), gate.by, zone)
    until = f"{due:%H:%M} of {due:%Y-%m-%d} ({rules.timezone})"
    if wanted == night.date and night.rows > night.rejects:
        outcome, sentence = PASSED, f"There is a log of {wanted}."
    elif now >= due:
        outcome, sentence = (
            BROKEN,
            f"There is no turn of {wanted} in any log; by {until} there should be.",
        )
    else:
        outcome, sentence = NOT_JUDGED, f"A log of {wanted} is due by {until}."
    return Finding(gate.title, gate.kind, "", outcome, sentence)
