"""Shares of inconsistent turns that judgements correct, for the gates that ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING

from qsquared.errors import UsageError
from qsquared.gates.findings import CorrectedShare
from qsquared.gates.rules import GateRules, Inconsistency
from qsquared.storage.labels.rates import Rate, labelled, rate_of
from qsquared.storage.labels.records import last_measure
from qsquared.storage.labels.selection import Selection, find_score
from qsquared.storage.sql.catalogue import connect

if TYPE_CHECKING:
    from qsquared.storage.store import Store


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
        score = find_score(store, last_measure(store), profile)
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
