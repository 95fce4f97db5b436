"""Findings of the gates on one date, from counts of its turns; each is a sentence with numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from qsquared.gates.rises import Tally, adjusted, pooled, rise_p_value
from qsquared.gates.rules import (
    AnyGate,
    Coverage,
    Freshness,
    GateRules,
    Inconsistency,
    NoClaim,
    Rejects,
    Rise,
)

PASSED = "passed"
BROKEN = "broken"
NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """Counts of one group's turns on one day, with the 95 % interval of the inconsistent share.

    ``group`` is None where the log does not have the field.
    ``inconsistent`` turns score at or below the threshold.
    ``lowest`` and ``highest`` are the ends of the interval of their share of the scored turns, in
    which turns of one pair count as one observation; None where no turn has a score.
    ``no_claim`` turns claim nothing, so that no score is missing; ``left_out`` has them by kind.
    ``outdated`` turns have a score of another version than the date's, which is not counted.
    """

    day: date
    group: str | None
    turns: int
    scored: int
    inconsistent: int
    lowest: float | None = None
    highest: float | None = None
    no_claim: int = 0
    left_out: Mapping[str, int] | None = None
    outdated: int = 0

    @property
    def tally(self) -> Tally:
        """The inconsistent turns of the scored ones."""
        return Tally(self.inconsistent, self.scored)

    @property
    def no_claim_tally(self) -> Tally:
        """The turns that claim nothing, of all."""
        return Tally(self.no_claim, self.turns)

    @property
    def kinds_left_out(self) -> str:
        """The turns that claim nothing, by kind, as words in brackets; empty where none is known."""
        named = (self.left_out or {}).items()
        words = ", ".join(f"{kind.replace('_', '-')} {number:,}" for kind, number in named)
        return f" ({words})" if words else ""


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """A share that judgements correct, with its interval; ``why`` tells why there is none."""

    labels: int = 0
    turns: int = 0
    share: float = 0.0
    lowest: float = 0.0
    highest: float = 0.0
    why: str = ""


@dataclass(frozen=True, slots=True)
class DateCounts:
    """Counts of a date and of the days before it, by field of grouping.

    ``rows`` are those of the date's logs, ``rejects`` the rows among them that are no turns.
    ``corrected`` has, by field and number of days, the corrected share of each group.
    ``newest`` says that the date is the store's last, so that a later one may be overdue;
    ``doubt`` why its logs may not be whole.
    """

    date: date
    rows: int
    rejects: int
    counts: Mapping[str, Sequence[GroupCounts]]
    newest: bool = False
    doubt: str = ""
    corrected: Mapping[tuple[str, int], Mapping[str, CorrectedShare]] = field(default_factory=dict)

    def of_date(self, field: str) -> list[GroupCounts]:
        """Return the counts of the date itself, by group."""
        return [counts for counts in self.counts[field] if counts.day == self.date]

    def before(
        self, field: str, group: str | None, days: int, tally: Callable[[GroupCounts], Tally]
    ) -> list[Tally]:
        """Return the tallies of the days before on which the group has turns to tally."""
        first = self.date - timedelta(days=days)
        tallies = [
            tally(counts)
            for counts in self.counts[field]
            if first <= counts.day < self.date and counts.group == group
        ]
        return [one for one in tallies if one.total]


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one gate for one group; shares are of 1, and None where there is none.

    ``p_value`` is adjusted for the groups that the gate tested with this one.
    ``outdated`` scores of another version keep the gate from being judged, until they are made anew.
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
    outdated: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a plain JSON object."""
        return asdict(self)


def judge(rules: GateRules, counted: DateCounts, now: datetime) -> list[Finding]:
    """Return the findings of all gates on a date; ``now``, with a time zone, is for freshness."""
    found: list[Finding] = []
    for gate in rules.gate:
        match gate:
            case Inconsistency(rate="corrected"):
                shares = counted.corrected[gate.group, gate.days]
                found += [_corrected(gate, name, share) for name, share in shares.items()]
            case Inconsistency():
                groups = counted.of_date(gate.group)
                found += [_inconsistency(rules, gate, counts) for counts in groups]
            case Rise() | NoClaim():
                found += _rises(rules, gate, counted)
            case Coverage():
                found += [_coverage(gate, counts) for counts in counted.of_date(gate.group)]
            case Rejects():
                found.append(_rejects(gate, counted))
            case Freshness():
                found.append(_freshness(rules, gate, counted, now))
    return found


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def _label(field: str, group: str | None) -> str:
    return f"{field} {'(none)' if group is None else group}" if field else ""


def _finding(gate: AnyGate, label: str, outcome: str, sentence: str, **numbers: Any) -> Finding:
    labelled = f"{label}: {sentence}" if label else sentence
    return Finding(gate.title, gate.kind, label, outcome, labelled, **numbers)


def _too_few(
    gate: Inconsistency | Rise | NoClaim | Coverage, label: str, number: int, noun: str
) -> Finding:
    sentence = f"{number:,} {noun} are too few to judge; it takes {gate.minimum:,}."
    return _finding(gate, label, NOT_JUDGED, sentence)


def _inconsistency(rules: GateRules, gate: Inconsistency, counts: GroupCounts) -> Finding:
    label = _label(gate.group, counts.group)
    if counts.scored < gate.minimum:
        return _too_few(gate, label, counts.scored, "scored turns")
    tally = counts.tally
    assert counts.lowest is not None
    assert counts.highest is not None
    sentence = (
        f"{tally.low:,} of {tally.total:,} scored turns ({_percent(tally.share)}; 95 % interval "
        f"{_percent(counts.lowest)} to {_percent(counts.highest)}) {rules.low}; "
        f"the limit is {_percent(gate.limit)}."
    )
    return _finding(
        gate,
        label,
        BROKEN if tally.share > gate.limit else PASSED,
        sentence,
        value=tally.share,
        limit=gate.limit,
        numerator=tally.low,
        denominator=tally.total,
    )


def _corrected(gate: Inconsistency, group: str, share: CorrectedShare) -> Finding:
    label = _label(gate.group, group)
    if share.why:
        return _finding(gate, label, NOT_JUDGED, share.why)
    if share.labels < gate.minimum:
        return _too_few(gate, label, share.labels, "labels")
    sentence = (
        f"{_percent(share.share)} of {share.turns:,} turns of {gate.days:,} days are inconsistent, "
        f"corrected by {share.labels:,} labels (95 % interval of what the bot would say {_percent(share.lowest)} "
        f"to {_percent(share.highest)}); the limit is {_percent(gate.limit)}."
    )
    outcome = BROKEN if share.share > gate.limit else PASSED
    return _finding(gate, label, outcome, sentence, value=share.share, limit=gate.limit)


def _coverage(gate: Coverage, counts: GroupCounts) -> Finding:
    label = _label(gate.group, counts.group)
    turns = counts.turns - counts.no_claim
    if turns < gate.minimum or not turns:
        return _too_few(gate, label, turns, "turns")
    share = counts.scored / turns
    sentence = (
        f"{counts.scored:,} of {turns:,} turns ({_percent(share)}) have a score; at least "
        f"{_percent(gate.limit)} should."
    )
    return _finding(
        gate,
        label,
        BROKEN if share < gate.limit else PASSED,
        sentence,
        value=share,
        limit=gate.limit,
        numerator=counts.scored,
        denominator=turns,
    )


def _rises(rules: GateRules, gate: Rise | NoClaim, counted: DateCounts) -> Iterator[Finding]:
    """Test all groups with enough turns and history together; the others are not judged."""
    nothing = isinstance(gate, NoClaim)
    noun = "turns" if nothing else "scored turns"

    def tally(counts: GroupCounts) -> Tally:
        return counts.no_claim_tally if nothing else counts.tally

    tested: list[tuple[GroupCounts, list[Tally]]] = []
    for counts in counted.of_date(gate.group):
        label = _label(gate.group, counts.group)
        days = counted.before(gate.group, counts.group, gate.days, tally)
        if tally(counts).total < gate.minimum:
            yield _too_few(gate, label, tally(counts).total, noun)
        elif len(days) < gate.least_days:
            sentence = (
                f"{len(days):,} of the {gate.days:,} days before have {noun}; it takes "
                f"{gate.least_days:,} to judge a rise."
            )
            since, outdated = _outdated(counted, gate, counts.group)
            if outdated:
                sentence += (
                    f" {outdated:,} turns of these days have scores of another version only, which "
                    f"cannot be compared; score them anew: q2 rescore --since {since}"
                )
            yield _finding(gate, label, NOT_JUDGED, sentence, outdated=outdated)
        else:
            tested.append((counts, days))
    p_values = adjusted([rise_p_value(tally(counts), days) for counts, days in tested])
    for (counts, days), p_value in zip(tested, p_values, strict=True):
        words = f"claim nothing{counts.kinds_left_out}" if nothing else rules.low
        label = _label(gate.group, counts.group)
        yield _rise(gate, label, f"{noun} {words}", tally(counts), days, p_value)


def _outdated(counted: DateCounts, gate: Rise | NoClaim, group: str | None) -> tuple[date, int]:
    """Return the first of the days before with scores of another version, and the turns with such."""
    first = counted.date - timedelta(days=gate.days)
    found = [
        counts
        for counts in counted.counts[gate.group]
        if first <= counts.day < counted.date and counts.group == group and counts.outdated
    ]
    return min((counts.day for counts in found), default=first), sum(c.outdated for c in found)


def _rise(
    gate: Rise | NoClaim,
    label: str,
    words: str,
    today: Tally,
    days: Sequence[Tally],
    p_value: float,
) -> Finding:
    before = pooled(days)
    broken = p_value <= gate.significance and today.share - before.share >= gate.least_rise
    sentence = (
        f"{_percent(today.share)} of {today.total:,} {words}, "
        f"and {_percent(before.share)} of {before.total:,} on {len(days):,} of the {gate.days:,} days "
        f"before: {'a' if broken else 'no'} significant rise "
        f"(adjusted p = {p_value:.2g}, level {gate.significance:g}, least rise "
        f"{_percent(gate.least_rise)})."
    )
    return _finding(
        gate,
        label,
        BROKEN if broken else PASSED,
        sentence,
        value=today.share - before.share,
        limit=gate.least_rise,
        numerator=today.low,
        denominator=today.total,
        p_value=p_value,
    )


def _rejects(gate: Rejects, counted: DateCounts) -> Finding:
    share = counted.rejects / counted.rows if counted.rows else 0.0
    sentence = (
        f"{counted.rejects:,} of {counted.rows:,} rows ({_percent(share)}) could not be read as "
        f"turns; the limit is {_percent(gate.limit)}."
    )
    return _finding(
        gate,
        "",
        BROKEN if share > gate.limit else PASSED,
        sentence,
        value=share,
        limit=gate.limit,
        numerator=counted.rejects,
        denominator=counted.rows,
    )


def _freshness(rules: GateRules, gate: Freshness, counted: DateCounts, now: datetime) -> Finding:
    zone = ZoneInfo(rules.timezone)
    wanted = counted.date
    if counted.newest:
        local = now.astimezone(zone)
        wanted = max(wanted, local.date() - timedelta(days=1 if local.time() >= gate.by else 2))
    due = datetime.combine(wanted + timedelta(days=1), gate.by, zone)
    until = f"{due:%H:%M} of {due:%Y-%m-%d} ({rules.timezone})"
    if wanted == counted.date and counted.doubt:
        outcome, sentence = BROKEN, f"The logs of {wanted} are not whole: {counted.doubt}"
    elif wanted == counted.date and counted.rows > counted.rejects:
        outcome, sentence = PASSED, f"There is a log of {wanted}."
    elif now >= due:
        outcome, sentence = (
            BROKEN,
            f"There is no turn of {wanted} in any log; by {until} there should be.",
        )
    else:
        outcome, sentence = NOT_JUDGED, f"A log of {wanted} is due by {until}."
    return _finding(gate, "", outcome, sentence)
