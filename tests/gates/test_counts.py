"""Counts of the example store for the gates, held against those of the report."""

from datetime import date

import pytest

from qsquared.errors import UsageError
from qsquared.gates.counts import count_date, shown_as
from qsquared.gates.rules import GateRules
from qsquared.method.intervals import wilson_interval
from qsquared.storage.sql.queries import query
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store

DAYS = [date(2026, 11, day) for day in (16, 17, 18)]


def count(scored, day, threshold=0.5, group=""):
    """The counts of a day in the example store, by group."""
    gate = {"kind": "inconsistency", "limit": 0.5, "group": group}
    rules = GateRules(gate=[gate], threshold=threshold)
    store = Store.open(scored.store)
    return count_date(store, rules, day, *shown_as(store, "q2")).of_date(group)


@pytest.mark.parametrize("day", DAYS, ids=str)
def test_a_gate_and_the_report_give_the_same_interval(scored, day):
    """Repeated replies are one observation in both."""
    (found,) = count(scored, day)
    with connect(Store.open(scored.store)) as connection:
        sql = "SELECT turns, scored, inconsistent, rate_low, rate_high FROM daily WHERE day = '{}'"
        (row,) = query(connection, sql.format(day)).rows()
    assert (found.turns, found.scored, found.inconsistent, found.lowest, found.highest) == row


def test_repeated_replies_widen_the_interval(scored):
    """A reply that was given many times is no more evidence than one that was given once."""
    found = [group for day in DAYS for group in count(scored, day, group="bot_version")]
    widened = 0
    for group in found:
        low, high = wilson_interval(group.tally.share, group.scored)
        width, independent = group.highest - group.lowest, high - low
        assert width >= independent - 1e-12
        widened += width > independent + 1e-6
    assert widened


def test_a_score_of_exactly_the_threshold_is_inconsistent(scored):
    """All scores are 1 or below, and some are exactly 1."""
    (found,) = count(scored, DAYS[0], threshold=1.0)
    assert 0 < found.inconsistent == found.scored


def test_a_field_that_no_turn_has_is_refused(scored):
    """A misspelled group would judge nothing and pass."""
    with pytest.raises(
        UsageError, match=r"No turn has the field 'bot_verson'. Is it bot_version\?"
    ):
        count(scored, DAYS[0], group="bot_verson")
