"""Tests of the verdict on a date, made of the findings of its gates."""

from datetime import date

import pytest

from qsquared.gates.findings import BROKEN, NOT_JUDGED, PASSED, Finding, sentence
from qsquared.gates.verdicts import outcome_of

DAY = date(2026, 11, 21)


def finding(kind, outcome, gate="", group=""):
    """A finding of a gate of this kind."""
    return Finding(gate or kind, kind, group, outcome, f"{group or 'all'} are {outcome}.")


@pytest.mark.parametrize(
    ("outcomes", "on_scores", "expected"),
    [
        ({"inconsistency": NOT_JUDGED, "rejects": PASSED}, True, NOT_JUDGED),
        ({"inconsistency": PASSED, "rise": NOT_JUDGED}, True, PASSED),
        ({"coverage": NOT_JUDGED, "freshness": BROKEN}, True, BROKEN),
        ({"rejects": PASSED}, True, NOT_JUDGED),
        ({"rejects": PASSED}, False, PASSED),
        ({"freshness": NOT_JUDGED}, False, NOT_JUDGED),
    ],
)
def test_a_date_passes_only_if_a_gate_on_its_scores_was_judged(outcomes, on_scores, expected):
    """Gates on rejects and freshness say nothing of the scores, and count where there are no others."""
    findings = [finding(kind, outcome) for kind, outcome in outcomes.items()]
    assert outcome_of(findings, on_scores=on_scores) == expected


def test_the_sentence_on_a_date_that_was_not_judged_gives_each_gates_reason():
    """One group stands for the others of its gate."""
    findings = [
        finding("rise", NOT_JUDGED, group="bot 1.4"),
        finding("rise", NOT_JUDGED, group="bot 1.5"),
        finding("coverage", NOT_JUDGED),
        finding("rejects", PASSED),
    ]
    assert sentence(DAY, findings, NOT_JUDGED, on_scores=True) == (
        "2026-11-21: no gate on the scores could be judged. 'rise': bot 1.4 are not judged. "
        "'coverage': all are not judged."
    )


def test_a_date_without_turns_is_told_with_the_gate_that_fails_then():
    """A missing night breaks no limit, so that it would pass a build unseen."""
    assert sentence(DAY, [finding("rejects", PASSED)], NOT_JUDGED, on_scores=True) == (
        "2026-11-21: no gate on the scores could be judged. The date has no turns: only a gate of the "
        "kind freshness fails then, so add one."
    )


def test_the_sentence_on_a_broken_date_names_every_broken_gate():
    """The first with its numbers, the others by their names."""
    findings = [
        finding("inconsistency", BROKEN, "too many", "bot 1.4"),
        finding("inconsistency", BROKEN, "too many", "bot 1.5"),
        finding("coverage", BROKEN),
        finding("rejects", BROKEN),
    ]
    assert sentence(DAY, findings, BROKEN, on_scores=True) == (
        "2026-11-21: the gate 'too many' is broken. bot 1.4 are broken. It is broken in 1 other "
        "group, too. Also broken: 'coverage', 'rejects'."
    )


def test_the_sentence_on_a_date_that_passed_counts_what_was_not_judged():
    """Nobody takes a check that was left out for one that holds."""
    findings = [finding("inconsistency", PASSED), finding("rise", NOT_JUDGED)]
    words = sentence(DAY, findings, PASSED, on_scores=True)
    assert words == "2026-11-21: all gates hold (1 check; 1 check not judged)."
