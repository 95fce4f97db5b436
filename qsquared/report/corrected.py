"""The rate that judgements of people correct, for the head of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qsquared.errors import UsageError
from qsquared.storage.connection import quote
from qsquared.storage.labels.planning import labels_for_width
from qsquared.storage.labels.rates import labelled, rate_of
from qsquared.storage.labels.records import draws_for_rates, last_measure
from qsquared.storage.labels.selection import Selection, find_score, selected
from qsquared.storage.sql.catalogue import connect

if TYPE_CHECKING:
    from qsquared.report.scope import Scope
    from qsquared.storage.store import Store

WIDTH = 0.1
"""The interval that a report says the needed labels for."""


def corrected(store: Store, scope: Scope) -> dict[str, Any]:
    """Return the corrected rate of a report's turns (`rate`), or, without one, the reason (`why`)."""
    draws = draws_for_rates(store)
    where = ""
    if scope.inputs is not None:
        where = f"t.input IN ({', '.join(map(quote, scope.inputs)) or 'NULL'})"
    try:
        score = find_score(store, last_measure(draws), scope.profile)
        with connect(store, f"FROM turns, {score.table}") as connection:
            replies = selected(connection, score, Selection(where=where))
        if draws.is_empty():
            why = labels_for_width(store, replies, score, WIDTH)[1]
            return {"rate": None, "why": f"Nobody has judged these replies. {why}"}
        found = rate_of(labelled(store, replies, score))
    except UsageError as error:
        return {"rate": None, "why": error.message}
    assert found is not None
    return {"rate": found.to_json(), "why": ""}
