"""Verdicts of the gates on a date: judged from the scores in the store, and kept in its record.

Each gate gives findings, each a sentence with numbers.
Knows nothing of Prefect; ``q2 gate`` and the nightly flow call it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from qsquared.display import percent
from qsquared.errors import UsageError
from qsquared.gates.counts import count_date
from qsquared.gates.findings import (
    BROKEN,
    NOT_JUDGED,
    PASSED,
    DateCounts,
    Finding,
    GroupCounts,
    finding,
    label_of,
    sentence,
    too_few,
    without_support,
)
from qsquared.gates.rise_gates import rises
from qsquared.gates.rules import (
    Coverage,
    Freshness,
    GateRules,
    Inconsistency,
    NoClaim,
    Rejects,
    Rise,
)
from qsquared.gates.sequential_test import Tally
from qsquared.storage.keys import digest
from qsquared.storage.labels.corrected_rates import Rate, labelled, rate_of
from qsquared.storage.labels.judged_replies import TurnFilter, find_score
from qsquared.storage.records.date_records import DateRecord, write_date
from qsquared.storage.store import Store

Corrected = Mapping[Inconsistency, Mapping[str, Rate | str]]
"""Gate → group → its rate corrected by labels, or the reason why there is none."""


def judge(
    rules: GateRules, counted: DateCounts, now: datetime, corrected: Corrected
) -> list[Finding]:
    """Return the findings of all gates on a date.

    Args:
        rules: the gates.
        counted: the counts of the date and of the days before it.
        now: the time of judging, with a time zone; freshness depends on it.
        corrected: the rates of the gates on corrected inconsistency.
    """
    findings: list[Finding] = []
    low, reason = rules.low(counted.lead), without_support(rules, counted)
    for gate in rules.gate:
        match gate:
            case Inconsistency(rate="corrected"):
                findings += [_corrected(gate, *rate) for rate in corrected[gate].items()]
            case Inconsistency():
                groups = counted.of_date(gate.group)
                findings += [_inconsistency(gate, counts, low, reason) for counts in groups]
            case Rise() | NoClaim():
                findings += rises(rules, gate, counted)
            case Coverage():
                groups = counted.of_date(gate.group)
                findings += [_coverage(gate, counts, reason) for counts in groups]
            case Rejects():
                findings.append(_rejects(gate, counted))
            case Freshness():
                findings.append(_freshness(rules, gate, counted, now))
    return findings


def _on_share(
    gate: Inconsistency | Coverage | Rejects, label: str, tally: Tally, sentence: str
) -> Finding:
    """Return the finding of a gate that limits a share: of coverage from below, else from above."""
    from_below = isinstance(gate, Coverage)
    broken = tally.share < gate.limit if from_below else tally.share > gate.limit
    return finding(
        gate,
        label,
        BROKEN if broken else PASSED,
        sentence,
        value=tally.share,
        limit=gate.limit,
        numerator=tally.low,
        denominator=tally.total,
    )


def _inconsistency(gate: Inconsistency, counts: GroupCounts, low: str, reason: str) -> Finding:
    label = label_of(gate.group, counts.group)
    if counts.scored < gate.minimum:
        return too_few(gate, label, counts.scored, "scored turns", reason)
    tally = counts.tally
    # A gate's minimum is 1 or more, so that some turn is scored.
    assert counts.lowest is not None
    assert counts.highest is not None
    sentence = (
        f"{tally.low:,} of {tally.total:,} scored turns ({percent(tally.share)}; 95 % interval "
        f"{percent(counts.lowest)} to {percent(counts.highest)}) {low}; "
        f"the limit is {percent(gate.limit)}."
    )
    return _on_share(gate, label, tally, sentence)


def _corrected(gate: Inconsistency, group: str, rate: Rate | str) -> Finding:
    label = label_of(gate.group, group)
    if isinstance(rate, str):
        return finding(gate, label, NOT_JUDGED, rate)
    share = rate.bot
    if share.labels < gate.minimum:
        return too_few(gate, label, share.labels, "labels")
    sentence = (
        f"{percent(share.value)} of {rate.turns:,} turns of {gate.days:,} days are inconsistent, "
        f"corrected by {share.labels:,} labels (95 % interval of the bot's rate {percent(share.low)} "
        f"to {percent(share.high)}); the limit is {percent(gate.limit)}."
    )
    outcome = BROKEN if share.value > gate.limit else PASSED
    return finding(gate, label, outcome, sentence, value=share.value, limit=gate.limit)


def _coverage(gate: Coverage, counts: GroupCounts, reason: str) -> Finding:
    label = label_of(gate.group, counts.group)
    scored = Tally(counts.scored, counts.turns - counts.no_claim)
    if scored.total < gate.minimum or not scored.total:
        return too_few(gate, label, scored.total, "turns")
    sentence = (
        f"{scored.low:,} of {scored.total:,} turns ({percent(scored.share)}) have a score; at least "
        f"{percent(gate.limit)} should.{reason}"
    )
    return _on_share(gate, label, scored, sentence)


def _rejects(gate: Rejects, counted: DateCounts) -> Finding:
    rejects = Tally(counted.rejects, counted.rows)
    sentence = (
        f"{rejects.low:,} of {rejects.total:,} rows ({percent(rejects.share)}) could not be read as "
        f"turns; the limit is {percent(gate.limit)}."
    )
    return _on_share(gate, "", rejects, sentence)


def _freshness(rules: GateRules, gate: Freshness, counted: DateCounts, now: datetime) -> Finding:
    zone = ZoneInfo(rules.timezone)
    wanted = counted.date
    if counted.newest:
        local = now.astimezone(zone)
        # Before that hour only the day before yesterday is due.
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


def corrected_rates(
    store: Store, gate: Inconsistency, day: date, profile: str
) -> Mapping[str, Rate | str]:
    """Return the rate that judgements correct, or why there is none, of each group of a gate.

    The turns are those with a time in its days (UTC). The rate is of what people call inconsistent: the score of their
    last draw only narrows its interval, and may be another than that of the rules.
    """
    first = day - timedelta(days=gate.days - 1)
    try:
        score = find_score(store, profile=profile)
        selection = TurnFilter(first.isoformat(), day.isoformat(), group=gate.group)
        labels = labelled(store, score, selection)
    except UsageError as error:
        return {"": error.message}
    names = labels.groups if gate.group else [None]
    few = "The group has too few labels for a corrected rate."
    return {name or "": rate_of(labels, name) or few for name in names}


ON_SCORES = {"inconsistency", "rise", "no_claim", "coverage"}
"""The kinds of gates that judge scores; the others only see whether the logs are there and readable."""


def judge_date(
    store: Store,
    rules: GateRules,
    day: date,
    metric: str,
    profile: str,
    *,
    now: datetime | None = None,
    newest: bool = False,
) -> dict[str, Any]:
    """Return the verdict on a date as a plain JSON object; the scores alone decide it.

    Args:
        store: the store.
        rules: the gates.
        day: the date.
        metric: the metric whose scores count, as SQL shows it.
        profile: the profile of these scores.
        now: the time of judging, which freshness depends on.
        newest: the date is the last of the store, so that a later one may be overdue.

    Raises:
        DamagedFile: a table cannot be trusted.
    """
    judged_at = now or datetime.now(UTC)
    corrected = {
        gate: corrected_rates(store, gate, day, profile)
        for gate in rules.gate
        if isinstance(gate, Inconsistency) and gate.rate == "corrected"
    }
    counted = replace(count_date(store, rules, day, metric, profile), newest=newest)
    findings = judge(rules, counted, judged_at, corrected)
    on_scores = any(gate.kind in ON_SCORES for gate in rules.gate)
    outcome = outcome_of(findings, on_scores=on_scores)
    return {
        "date": day.isoformat(),
        "judged_at": judged_at.astimezone(UTC).isoformat(timespec="seconds"),
        "outcome": outcome,
        "sentence": sentence(day, findings, outcome, on_scores=on_scores),
        "metric": metric,
        "profile": profile,
        "score": rules.score,
        "threshold": rules.threshold,
        "rules": digest(rules.model_dump(mode="json", exclude={"webhook"})),
        "findings": [asdict(finding) for finding in findings],
    }


def unjudged_by_version(verdict: dict[str, Any]) -> str:
    """Return the sentence of a gate that scores of another version keep from being judged; empty without one."""
    outdated = [finding for finding in verdict["findings"] if finding.get("outdated")]
    if not outdated:
        return ""
    return f"{verdict['date']}: {outdated[0]['gate']}: {outdated[0]['sentence']}"


def outcome_of(findings: Sequence[Finding], *, on_scores: bool) -> str:
    """Return the outcome of all gates; a date passes only if a gate could say something of it.

    Args:
        findings: those of all gates.
        on_scores: there is a gate on scores, and one such gate has to be judged.
    """
    if any(finding.outcome == BROKEN for finding in findings):
        return BROKEN
    counted = [finding for finding in findings if not on_scores or finding.kind in ON_SCORES]
    return PASSED if any(finding.outcome == PASSED for finding in counted) else NOT_JUDGED


def keep_verdict(store: Store, record: DateRecord, verdict: dict[str, Any]) -> DateRecord:
    """Write a verdict into its date's record, with a note where it differs from the one before."""
    before = record.verdict
    if before is not None and before["outcome"] != verdict["outcome"]:
        why = (
            "other rules" if before["rules"] != verdict["rules"] else "other scores or a later time"
        )
        record = record.with_note(
            f"the gates' verdict is {verdict['outcome']} instead of {before['outcome']} ({why})"
        )
    posted = record.told if verdict["outcome"] == BROKEN else ()
    record = replace(record, verdict=verdict, told=posted)
    write_date(store, record)
    return record


def alarm_key(verdict: dict[str, Any]) -> str:
    """Return the hash that tells one alarm from another, by the date and what the broken gates say."""
    broken = [f["sentence"] for f in verdict["findings"] if f["outcome"] == BROKEN]
    return digest([verdict["date"], broken])
