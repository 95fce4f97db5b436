"""Tests of verdicts of gates over counts, and of their sentences."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from qsquared.gates.findings import BROKEN, NOT_JUDGED, PASSED, DateCounts, GroupCounts
from qsquared.gates.rules import GateRules
from qsquared.gates.verdicts import judge as judge_gates
from qsquared.method.intervals import wilson_interval

DAY = date(2026, 11, 20)
NOON_AFTER = datetime(2026, 11, 21, 12, tzinfo=UTC)


def rules(*gates, **more):
    """Rules of these gates."""
    return GateRules(gate=list(gates), **more)


def night(counts=(), rows=None, rejects=0, history=(), field="bot"):
    """A date with (group, turns, scored, low) and a history of (days back, group, scored, low)."""
    today = [
        GroupCounts(
            DAY, *count, *(wilson_interval(count[3] / count[2], count[2]) if count[2] else ())
        )
        for count in counts
    ]
    before = [
        GroupCounts(DAY - timedelta(days=back), group, scored, scored, low)
        for back, group, scored, low in history
    ]
    number = sum(count[1] for count in counts) + rejects if rows is None else rows
    return DateCounts(DAY, number, rejects, {"": [*today, *before], field: [*today, *before]})


def judge(rules, counted, now):
    """The findings of gates none of which is on corrected inconsistency."""
    return judge_gates(rules, counted, now, {})


def verdicts(findings):
    """Group and outcome of each finding."""
    return [(finding.group, finding.outcome) for finding in findings]


def test_a_group_over_its_limit_breaks_the_gate_and_is_reported_with_its_numbers():
    """The sentence has group, numerator, denominator, share, interval, threshold and limit."""
    gate = {"kind": "inconsistency", "group": "bot", "limit": 0.3}
    found = judge(rules(gate), night([("a", 50, 40, 18), ("b", 50, 40, 12)]), NOON_AFTER)
    assert verdicts(found) == [("bot a", BROKEN), ("bot b", PASSED)]
    assert found[0].sentence == (
        "bot a: 18 of 40 scored turns (45.0 %; 95 % interval 30.7 % to 60.2 %) have a score of 0.5 or below; "
        "the limit is 30.0 %."
    )
    assert (found[0].value, found[0].numerator, found[0].denominator) == (0.45, 18, 40)


@pytest.mark.parametrize(
    ("supported", "unsupported", "led_by"),
    [
        (40, 0, "support"),
        (0, 40, "Q² (no turn of the date has support)"),
        (39, 1, "a score (support, or Q² of 1 turn without support)"),
    ],
)
def test_the_score_that_leads_is_named(supported, unsupported, led_by):
    """Turns that were scored as published, or by an older version, are judged by Q²; a rise says so, too."""
    gates = [{"kind": "inconsistency", "limit": 0.3}, {"kind": "rise"}]
    history = [(back, "", 100, 10) for back in range(1, 29)]
    counted = night([("", 50, 40, 4)], history=history)
    counted = replace(counted, supported=supported, unsupported=unsupported)
    for found in judge(rules(*gates), counted, NOON_AFTER):
        assert " scored turns" in found.sentence
        assert f" have {led_by} of 0.5 or below" in found.sentence
    (found,) = judge(rules(gates[0], score="q2"), counted, NOON_AFTER)
    assert " have q2 of 0.5 or below" in found.sentence


def test_turns_without_the_support_that_is_asked_for_are_told_with_a_remedy():
    """Scores as published leave none; the broken coverage alone would not tell why."""
    gates = [
        {"kind": "coverage", "limit": 0.9},
        {"kind": "inconsistency", "limit": 0.3},
        {"kind": "rise"},
    ]
    counted = replace(night([("", 20, 0, 0)]), unsupported=20)
    for score, told in (("support", True), ("leading", False)):
        found = judge(rules(*gates, score=score), counted, NOON_AFTER)
        assert [one.outcome for one in found] == [BROKEN, NOT_JUDGED, NOT_JUDGED]
        for one in found:
            told_so = "20 turns of the date have Q² and no support" in one.sentence
            assert told_so == ('write score = "leading"' in one.sentence) == told


def test_a_share_at_its_limit_holds():
    """The limit itself is allowed."""
    gate = {"kind": "inconsistency", "limit": 0.3}
    assert verdicts(judge(rules(gate), night([("", 20, 20, 6)]), NOON_AFTER)) == [("", PASSED)]


def test_a_small_group_is_not_judged_and_said_so():
    """Three turns out of four are no reason for an alarm at night."""
    gate = {"kind": "inconsistency", "limit": 0.3, "group": "bot", "minimum": 5}
    (found,) = judge(rules(gate), night([(None, 4, 4, 3)]), NOON_AFTER)
    assert found.outcome == NOT_JUDGED
    assert found.sentence == "bot (none): 4 scored turns are too few to judge; it takes 5."


def test_coverage_counts_all_turns():
    """A turn without knowledge or with an error lowers the coverage."""
    gate = {"kind": "coverage", "limit": 0.95}
    (found,) = judge(rules(gate), night([("", 100, 94, 0)]), NOON_AFTER)
    assert (found.outcome, found.value) == (BROKEN, 0.94)


@pytest.mark.parametrize(("rejects", "outcome"), [(1, PASSED), (2, BROKEN)])
def test_rejects_are_counted_in_rows(rejects, outcome):
    """The share is of turns and rejects together."""
    gate = {"kind": "rejects", "limit": 0.01}
    counts = [("", 100 - rejects, 100 - rejects, 0)]
    (found,) = judge(rules(gate), night(counts, rejects=rejects), NOON_AFTER)
    assert found.outcome == outcome


@pytest.mark.parametrize(
    ("counts", "hour", "outcome"),
    [([], 3, NOT_JUDGED), ([], 4, BROKEN), ([("", 1, 1, 0)], 12, PASSED)],
)
def test_freshness_is_judged_once_the_time_has_come(counts, hour, outcome):
    """06:00 in Helsinki is 04:00 UTC in November; a date without a turn is then overdue."""
    gate = {"kind": "freshness", "by": "06:00"}
    at = datetime(2026, 11, 21, hour, tzinfo=UTC)
    (found,) = judge(rules(gate, timezone="Europe/Helsinki"), night(counts), at)
    assert found.outcome == outcome


@pytest.mark.parametrize(("hour", "outcome"), [(5, PASSED), (6, BROKEN)])
def test_the_newest_date_of_a_store_may_be_too_old(hour, outcome):
    """Without an asked date, the clock's date is required: on the 22nd at 6, the 21st."""
    gate = {"kind": "freshness", "by": "06:00"}
    newest = replace(night([("", 1, 1, 0)]), newest=True)
    at = datetime(2026, 11, 22, hour, tzinfo=UTC)
    (found,) = judge(rules(gate), newest, at)
    assert found.outcome == outcome


def test_a_date_whose_log_is_not_whole_is_not_fresh():
    """The sentence gives the reason of the date's record."""
    doubtful = replace(night([("", 1, 1, 0)]), doubt="a.gz: The file ends early.")
    (found,) = judge(rules({"kind": "freshness", "by": "06:00"}), doubtful, NOON_AFTER)
    assert found.outcome == BROKEN
    assert "not whole: a.gz: The file ends early." in found.sentence


def test_a_log_of_rejects_only_is_not_fresh():
    """Rows that are no turns tell that something is wrong, not that a log came."""
    gate = {"kind": "freshness", "by": "06:00"}
    (found,) = judge(rules(gate), night(rejects=5), NOON_AFTER)
    assert found.outcome == BROKEN


HISTORY = [(back, group, 100, 10) for back in range(1, 29) for group in ("a", "b")]


def test_a_rise_is_found_in_its_group_alone():
    """Group a triples, group b does not; the sentence names the evidence and the promise."""
    gate = {"kind": "rise", "group": "bot"}
    counts = [("a", 100, 100, 34), ("b", 100, 100, 11)]
    found = judge(rules(gate), night(counts, history=HISTORY), NOON_AFTER)
    assert verdicts(found) == [("bot a", BROKEN), ("bot b", PASSED)]
    assert "34.0 % of 100 scored turns" in found[0].sentence
    assert f"since {DAY}, and 10.0 % of 2,800 on the days before: a rise" in found[0].sentence
    assert "an alarm at 365: at most 1 false alarm a year" in found[0].sentence
    assert "11.0 % of 100 scored turns" in found[1].sentence
    assert "10.0 % of 2,100 on 21 of the 56 days up to a week ago: no rise" in found[1].sentence


def test_many_groups_share_one_promise():
    """A rise that is an alarm in a single group is none as the only one of forty."""
    gate = {"kind": "rise", "group": "bot"}
    names = [f"g{i}" for i in range(40)]
    history = [(back, name, 100, 10) for back in range(1, 29) for name in names]
    alone = judge(rules(gate), night([("g0", 100, 100, 27)], history=history), NOON_AFTER)
    together = judge(
        rules(gate),
        night([(name, 100, 100, 27 if name == "g0" else 10) for name in names], history=history),
        NOON_AFTER,
    )
    assert alone[0].outcome == BROKEN
    assert {finding.outcome for finding in together} == {PASSED}
    assert together[0].evidence < alone[0].evidence


def test_more_false_alarms_ask_for_less_evidence():
    """Whoever bears one false alarm a month hears of a rise earlier."""
    history = [(back, "", 100, 10) for back in range(1, 29)]
    counted = night([("", 100, 100, 22)], history=history)
    outcomes = [
        judge(rules({"kind": "rise", "false_alarms": number}), counted, NOON_AFTER)[0].outcome
        for number in (1, 12)
    ]
    assert outcomes == [PASSED, BROKEN]


def test_without_history_a_rise_is_not_judged():
    """A new group, or a new store, has nothing to rise from; days beyond the window do not count."""
    gate = {"kind": "rise", "group": "bot"}
    history = [(back, "a", 100, 10) for back in range(64, 80)]
    (found,) = judge(rules(gate), night([("a", 100, 100, 50)], history=history), NOON_AFTER)
    assert found.outcome == NOT_JUDGED
    assert "0 of the 56 days before have scored turns" in found.sentence


@pytest.mark.parametrize(
    ("nights_since", "outcome", "part"),
    [
        (
            3,
            NOT_JUDGED,
            "3 of the 3 days since the rise of {} have scored turns, 300 together; it takes 7 days",
        ),
        (9, PASSED, "and 60.0 % of 900 on 9 of the 9 days since the rise of {}: no rise"),
    ],
)
def test_after_a_rise_the_sentence_counts_the_days_since_then(nights_since, outcome, part):
    """Days before the rise are not what tonight is compared with."""
    history = [(back, "", 100, 60 if back <= nights_since else 10) for back in range(1, 29)]
    (found,) = judge(
        rules({"kind": "rise"}), night([("", 100, 100, 60)], history=history), NOON_AFTER
    )
    assert found.outcome == outcome
    assert part.format(DAY - timedelta(days=nights_since)) in found.sentence


def test_large_evidence_is_written_in_digits():
    """A reader of the alarm compares it with the 365 beside it."""
    history = [(back, "", 100, 10) for back in range(1, 29)]
    for low, written in ((24, r"[\d,]+"), (90, "above 1,000,000")):
        counted = night([("", 100, 100, low)], history=history)
        (found,) = judge(rules({"kind": "rise"}), counted, NOON_AFTER)
        assert re.search(rf"\(evidence {written}, an alarm at 365", found.sentence)


def test_a_gate_goes_by_its_name_or_by_what_it_is():
    """A name of a person's own is used where there is one."""
    gates = [
        {"kind": "rejects", "limit": 1.0, "name": "bad rows"},
        {"kind": "coverage", "limit": 0},
    ]
    found = judge(rules(*gates), night([("", 30, 30, 0)]), NOON_AFTER)
    assert [finding.gate for finding in found] == ["bad rows", "coverage"]


@pytest.mark.parametrize(("nothing", "outcome"), [(20, PASSED), (60, BROKEN)])
def test_a_rise_of_turns_that_claim_nothing_breaks_a_gate_that_names_their_kinds(nothing, outcome):
    """They are outside coverage, so that no other gate sees them."""
    days = [GroupCounts(DAY - timedelta(days=n), "", 100, 80, 8, no_claim=20) for n in range(1, 15)]
    kinds = {"offer": nothing - 5, "sign_off": 5}
    today = GroupCounts(DAY, "", 100, 100 - nothing, 8, no_claim=nothing, left_out=kinds)
    counted = DateCounts(DAY, 100, 0, {"": [today, *days]})
    (found,) = judge(rules({"kind": "no_claim"}), counted, NOON_AFTER)
    assert found.outcome == outcome
    begin = f"{nothing}.0 % of 100 turns claim nothing (offer {nothing - 5}, sign-off 5)"
    assert found.sentence.startswith(begin)
    assert f"and 20.0 % of {700 if outcome == PASSED else 1400:,}" in found.sentence
