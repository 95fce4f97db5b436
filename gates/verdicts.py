"""Findings of the gates on one date, from counts of its turns; each is a sentence with numbers."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from qsquared.gates.findings import (
    BROKEN,
    NOT_JUDGED,
    PASSED,
    CorrectedShare,
    DateCounts,
    Finding,
    GroupCounts,
    finding,
    label_of,
    on_share,
    too_few,
)
from qsquared.gates.risen import rises
from qsquared.gates.rises import Tally
from qsquared.gates.rules import (
    Coverage,
    Freshness,
    GateRules,
    Inconsistency,
    NoClaim,
    Rejects,
    Rise,
)
from qsquared.text import percent


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
                found += rises(rules, gate, counted)
            case Coverage():
                found += [_coverage(gate, counts) for counts in counted.of_date(gate.group)]
            case Rejects():
                found.append(_rejects(gate, counted))
            case Freshness():
                found.append(_freshness(rules, gate, counted, now))
    return found


def _inconsistency(rules: GateRules, gate: Inconsistency, counts: GroupCounts) -> Finding:
    label = label_of(gate.group, counts.group)
    if counts.scored < gate.minimum:
        return too_few(gate, label, counts.scored, "scored turns")
    tally = counts.tally
    assert counts.lowest is not None
    assert counts.highest is not None
    sentence = (
        f"{tally.low:,} of {tally.total:,} scored turns ({percent(tally.share)}; 95 % interval "
        f"{percent(counts.lowest)} to {percent(counts.highest)}) {rules.low}; "
        f"the limit is {percent(gate.limit)}."
    )
    return on_share(gate, label, tally, sentence)


def _corrected(gate: Inconsistency, group: str, share: CorrectedShare) -> Finding:
    label = label_of(gate.group, group)
    if share.why:
        return finding(gate, label, NOT_JUDGED, share.why)
    if share.labels < gate.minimum:
        return too_few(gate, label, share.labels, "labels")
    sentence = (
        f"{percent(share.share)} of {share.turns:,} turns of {gate.days:,} days are inconsistent, "
        f"corrected by {share.labels:,} labels (95 % interval of what the bot would say {percent(share.lowest)} "
        f"to {percent(share.highest)}); the limit is {percent(gate.limit)}."
    )
    outcome = BROKEN if share.share > gate.limit else PASSED
    return finding(gate, label, outcome, sentence, value=share.share, limit=gate.limit)


def _coverage(gate: Coverage, counts: GroupCounts) -> Finding:
    label = label_of(gate.group, counts.group)
    scored = Tally(counts.scored, counts.turns - counts.no_claim)
    if scored.total < gate.minimum or not scored.total:
        return too_few(gate, label, scored.total, "turns")
    sentence = (
        f"{scored.low:,} of {scored.total:,} turns ({percent(scored.share)}) have a score; at least "
        f"{percent(gate.limit)} should."
    )
    return on_share(gate, label, scored, sentence, at_least=True)


def _rejects(gate: Rejects, counted: DateCounts) -> Finding:
    rejects = Tally(counted.rejects, counted.rows)
    sentence = (
        f"{rejects.low:,} of {rejects.total:,} rows ({percent(rejects.share)}) could not be read as "
        f"turns; the limit is {percent(gate.limit)}."
    )
    return on_share(gate, "", rejects, sentence)


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
    return finding(gate, "", outcome, sentence)
