"""Findings of the gates on one date, from counts of its turns; each is a sentence with numbers."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring
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
    percent,
    too_few,
)
from qsquared.gates.risen import rises
from qsquared.gates.rules import (
    Coverage,
    Freshness,
    GateRules,
    Inconsistency,
    NoClaim,
    Rejects,
    Rise,
)


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
    return finding(
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
    turns = counts.turns - counts.no_claim
    if turns < gate.minimum or not turns:
        return too_few(gate, label, turns, "turns")
    share = counts.scored / turns
    sentence = (
        f"{counts.scored:,} of {turns:,} turns ({percent(share)}) have a score; at least "
        f"{percent(gate.limit)} should."
    )
    return finding(
        gate,
        label,
        BROKEN if share < gate.limit else PASSED,
        sentence,
        value=share,
        limit=gate.limit,
        numerator=counts.scored,
        denominator=turns,
    )


def _rejects(gate: Rejects, counted: DateCounts) -> Finding:
    share = counted.rejects / counted.rows if counted.rows else 0.0
    sentence = (
        f"{counted.rejects:,} of {counted.rows:,} rows ({percent(share)}) could not be read as "
        f"turns; the limit is {percent(gate.limit)}."
    )
    return finding(
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
    return finding(gate, "", outcome, sentence)


# XML 1.0 has no way to write these.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(verdict: Mapping[str, Any]) -> str:
    """Return one test suite for the date, with one case for each gate and group."""
    findings = verdict["findings"]
    broken = [one for one in findings if one["outcome"] == "broken"]
    skipped = [one for one in findings if one["outcome"] == "not judged"]
    suite = Element(
        "testsuite",
        name=_clean(f"q2 gates {verdict['date']} {verdict['metric']} {verdict['profile']}"),
        timestamp=verdict["judged_at"],
        tests=str(len(findings)),
        failures=str(len(broken)),
        errors="0",
        skipped=str(len(skipped)),
    )
    for one in findings:
        name = one["group"] or "all turns"
        case = SubElement(suite, "testcase", classname=_clean(one["gate"]), name=_clean(name))
        sentence = _clean(one["sentence"])
        if one["outcome"] == "broken":
            SubElement(case, "failure", type=one["kind"], message=sentence)
        elif one["outcome"] == "not judged":
            SubElement(case, "skipped", message=sentence)
        else:
            SubElement(case, "system-out").text = sentence
    indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suite, encoding="unicode")


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
