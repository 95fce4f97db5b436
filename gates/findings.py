"""Counts of a date, and findings of gates on them: each is a sentence with numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from qsquared.display import count
from qsquared.gates.rules import Gate, GateRules, Grouped
from qsquared.gates.sequential_test import Tally

PASSED = "passed"
BROKEN = "broken"
NOT_JUDGED = "not judged"
_NO_TURNS = "The date has no turns: only a gate of the kind freshness fails then, so add one."


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
    def kinds_left_out(self) -> str:
        """The turns that claim nothing, by kind, as words in brackets; empty where none is known."""
        named = (self.left_out or {}).items()
        words = ", ".join(f"{kind.replace('_', '-')} {number:,}" for kind, number in named)
        return f" ({words})" if words else ""


@dataclass(frozen=True, slots=True)
class DateCounts:
    """Counts of a date and of the days before it, by field of grouping.

    ``rows`` are those of the date's logs, ``rejects`` the rows among them that are no turns.
    ``newest`` says that the date is the store's last, so that a later one may be overdue;
    ``doubt`` why its logs may not be whole.
    ``supported`` turns of the date have support, and ``unsupported`` ones have Q² and no support.
    """

    date: date
    rows: int
    rejects: int
    counts: Mapping[str, Sequence[GroupCounts]]
    newest: bool = False
    doubt: str = ""
    supported: int = 0
    unsupported: int = 0

    @property
    def lead(self) -> str:
        """The score that leads on the date, in words; empty where no turn has a score."""
        if not self.unsupported:
            return "support" if self.supported else ""
        if not self.supported:
            return "Q² (no turn of the date has support)"
        return f"a score (support, or Q² of {count(self.unsupported, 'turn')} without support)"

    def of_date(self, field: str) -> list[GroupCounts]:
        """Return the counts of the date itself, by group."""
        return [counts for counts in self.counts[field] if counts.day == self.date]


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one gate for one group; shares are of 1, and None where there is none.

    ``evidence`` is that of a rise, over all groups together, and ``since`` the first day of one.
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
    evidence: float | None = None
    since: str | None = None
    outdated: int = 0


def label_of(field: str, group: str | None) -> str:
    """Return a group with its field; empty where all turns are one group."""
    return f"{field} {'(none)' if group is None else group}" if field else ""


def finding(gate: Gate, label: str, outcome: str, sentence: str, **numbers: Any) -> Finding:
    """Return the finding of a gate, with the group before its sentence."""
    labelled = f"{label}: {sentence}" if label else sentence
    return Finding(gate.title, gate.kind, label, outcome, labelled, **numbers)


def without_support(rules: GateRules, counted: DateCounts) -> str:
    """Return what to do about turns that lack the support which the rules ask for; empty without such."""
    if rules.score != "support" or not counted.unsupported:
        return ""
    have = "has" if counted.unsupported == 1 else "have"
    return (
        f" {count(counted.unsupported, 'turn')} of the date {have} Q² and no support (scored as published "
        'or by an older version): write score = "leading", which takes Q² for such turns, or score them '
        f"anew (q2 score without --as-published; after an upgrade q2 rescore --since {counted.date})."
    )


def too_few(
    gate: Grouped,
    label: str,
    number: int,
    noun: str,
    reason: str = "",
) -> Finding:
    """Return the finding of a gate that has too few turns or labels to judge, with a known reason."""
    sentence = f"{number:,} {noun} are too few to judge; it takes {gate.minimum:,}.{reason}"
    return finding(gate, label, NOT_JUDGED, sentence)


def sentence(day: date, findings: Sequence[Finding], outcome: str, *, on_scores: bool) -> str:
    """Return the verdict on a date in a few sentences; each broken gate is named.

    Args:
        day: the date.
        findings: those of all gates.
        outcome: the one that follows from them (`outcome_of`).
        on_scores: there is a gate on scores.
    """
    left = [finding for finding in findings if finding.outcome == NOT_JUDGED]
    if outcome == NOT_JUDGED:
        # The first group stands for the others of its gate.
        reasons = {finding.gate: finding.sentence for finding in reversed(left)}
        by_gate = [f"{gate!r}: {reasons[gate]}" for gate in dict.fromkeys(f.gate for f in left)]
        subject = "no gate on the scores" if on_scores else "no gate"
        return f"{day}: {subject} could be judged. {' '.join(by_gate) or _NO_TURNS}"
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
