"""Verdicts of the gates on a date: judged from the scores in the store, and kept in its record.

Knows nothing of Prefect; ``q2 gate`` and the nightly flow call it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from qsquared.errors import UsageError
from qsquared.gates.counts import count_date
from qsquared.gates.findings import BROKEN, NOT_JUDGED, PASSED, CorrectedShare, Finding
from qsquared.gates.rules import GateRules, Inconsistency
from qsquared.gates.verdicts import judge
from qsquared.storage.keys import digest
from qsquared.storage.labels.drift import drift_of
from qsquared.storage.labels.rates import Rate, labelled, rate_of
from qsquared.storage.labels.selection import Selection, find_score
from qsquared.storage.records.dates.date_records import DateRecord, write_date
from qsquared.storage.records.store_index import open_index
from qsquared.storage.sql.catalogue import connect
from qsquared.storage.store import Store
from qsquared.text import count


def corrected_shares(
    store: Store, rules: GateRules, day: date, profile: str
) -> Mapping[tuple[str, int], Mapping[str, CorrectedShare]]:
    """Return, for each field and number of days that a gate asks for, the share of each group.

    The turns are those with a time in these days (UTC).
    """
    asked = {
        (gate.group, gate.days)
        for gate in rules.gate
        if isinstance(gate, Inconsistency) and gate.rate == "corrected"
    }
    return {one: _shares(store, day, profile, *one) for one in sorted(asked)}


def _shares(
    store: Store, day: date, profile: str, field: str, days: int
) -> Mapping[str, CorrectedShare]:
    first = day - timedelta(days=days - 1)
    try:
        score = find_score(store, profile=profile)
        with connect(store, f"FROM turns, {score.table}") as connection:
            selection = Selection(first.isoformat(), day.isoformat(), group=field)
            labels = labelled(store, connection, score, selection)
    except UsageError as error:
        return {"": CorrectedShare(why=error.message)}
    if not field:
        return {"": _share(rate_of(labels))}
    return {name: _share(rate_of(labels, name)) for name in labels.groups}


def _share(rate: Rate | None) -> CorrectedShare:
    if rate is None:
        return CorrectedShare(why="The group has too few labels for a corrected rate.")
    found = rate.bot
    return CorrectedShare(found.labels, rate.turns, found.value, found.low, found.high)


ON_SCORES = {"inconsistency", "rise", "no_claim", "coverage"}
"""The kinds of gates that judge scores; the others only see whether the logs are there and readable."""


def judge_date(
    store: Store,
    rules: GateRules,
    day: date,
    shown: tuple[str, str],
    now: datetime | None = None,
    *,
    newest: bool = False,
) -> dict[str, Any]:
    """Return the verdict on a date as a plain JSON object; the scores alone decide it.

    Args:
        store: the store.
        rules: the gates.
        day: the date.
        shown: metric and profile whose scores count, as SQL shows them.
        now: the time of judging, which freshness depends on.
        newest: the date is the last of the store, so that a later one may be overdue.

    Raises:
        DamagedFile: a table cannot be trusted.
    """
    judged_at = now or datetime.now(UTC)
    counted = replace(
        count_date(store, rules, day, *shown),
        newest=newest,
        corrected=corrected_shares(store, rules, day, shown[1]),
    )
    findings = judge(rules, counted, judged_at)
    on_scores = any(gate.kind in ON_SCORES for gate in rules.gate)
    drift = drift_of(open_index(store, needs_runs=False), *shown) if on_scores else None
    changed = drift.sentence if drift else ""
    return {
        "date": day.isoformat(),
        "judged_at": judged_at.astimezone(UTC).isoformat(timespec="seconds"),
        "outcome": outcome_of(findings, on_scores=on_scores),
        "sentence": f"{changed} {sentence(day, findings, on_scores=on_scores)}".strip(),
        "drift": changed,
        "metric": shown[0],
        "profile": shown[1],
        "score": rules.score,
        "threshold": rules.threshold,
        **({"calibration": rules.calibration} if rules.calibration else {}),
        "rules": digest(rules.model_dump(mode="json", exclude={"webhook"})),
        "findings": [finding.to_json() for finding in findings],
        "groups": [
            {
                "field": field,
                "group": counts.group,
                "turns": counts.turns,
                "scored": counts.scored,
                "low": counts.inconsistent,
            }
            for field in rules.groups
            for counts in counted.of_date(field)
        ],
    }


def unjudged_by_version(verdict: dict[str, Any]) -> str:
    """Return why an upgrade keeps a gate of a verdict from being judged; empty if none does."""
    found = [finding for finding in verdict["findings"] if finding.get("outdated")]
    return f"{verdict['date']}: {found[0]['gate']}: {found[0]['sentence']}" if found else ""


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


def sentence(day: date, findings: Sequence[Finding], *, on_scores: bool) -> str:
    """Return the verdict on a date in a few sentences; each broken gate is named."""
    outcome = outcome_of(findings, on_scores=on_scores)
    left = [finding for finding in findings if finding.outcome == NOT_JUDGED]
    if outcome == NOT_JUDGED:
        # The first group stands for the others of its gate.
        reasons = {finding.gate: finding.sentence for finding in reversed(left)}
        told = [f"{gate!r}: {reasons[gate]}" for gate in dict.fromkeys(f.gate for f in left)]
        what = "no gate on the scores" if on_scores else "no gate"
        return f"{day}: {what} could be judged. {' '.join(told) or 'The date has no turns.'}"
    if outcome == PASSED:
        also = f"; {count(len(left), 'check')} not judged" if left else ""
        return f"{day}: all gates hold ({count(len(findings) - len(left), 'check')}{also})."
    broken = [finding for finding in findings if finding.outcome == BROKEN]
    others = [gate for gate in dict.fromkeys(f.gate for f in broken) if gate != broken[0].gate]
    first = f"{day}: the gate {broken[0].gate!r} is broken. {broken[0].sentence}"
    again = sum(finding.gate == broken[0].gate for finding in broken) - 1
    if again:
        first += f" It is broken in {count(again, 'other group')}, too."
    if others:
        first += f" Also broken: {', '.join(map(repr, others))}."
    return first


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
    told = record.told if verdict["outcome"] == BROKEN else ()
    record = replace(record, verdict=verdict, told=told)
    write_date(store, record)
    return record


def mark_of(verdict: dict[str, Any]) -> str:
    """Return a hash of the broken gates and their numbers, which one alarm differs from another by."""
    broken = [f["sentence"] for f in verdict["findings"] if f["outcome"] == BROKEN]
    return digest([verdict["date"], broken])
