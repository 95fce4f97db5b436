"""The rate that judgements of people correct, for the head of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qsquared.errors import UsageError
from qsquared.report.scope import ALL_TURNS
from qsquared.storage.labels.planning import labels_by_scores
from qsquared.storage.labels.rates import labelled, rate_of
from qsquared.storage.labels.records import draws_for_rates, last_measure
from qsquared.storage.labels.selection import Selection, find_score, selected
from qsquared.storage.sql.catalogue import connect

if TYPE_CHECKING:
    import polars as pl

    from qsquared.report.scope import Scope
    from qsquared.storage.store import Store

WIDTHS = (0.1, 0.2)
"""The intervals that a report says the needed labels for: the first for which there are replies."""

_LEAST_WORTH = 2
"""A store holds so many times the replies to judge; in a smaller one people read them all."""


def corrected(store: Store, scope: Scope) -> dict[str, Any]:
    """Return the corrected rate of a report's turns (`rate`), or, without one, the reason (`why`)."""
    draws = draws_for_rates(store)
    where, reads = "", "FROM turns"
    if scope.inputs is not None or scope.selection != ALL_TURNS:
        of_scope = f'SELECT input, "position" FROM outcomes WHERE {scope.where()}'
        where, reads = f'(t.input, t."position") IN ({of_scope})', of_scope
    try:
        score = find_score(store, last_measure(draws), scope.profile)
        with connect(store, f"{reads} {score.table}") as connection:
            replies = selected(connection, score, Selection(where=where))
        if draws.is_empty():
            return {"rate": None, "why": unjudged(replies)}
        found = rate_of(labelled(store, replies, score))
    except UsageError as error:
        return {"rate": None, "why": error.message}
    assert found is not None
    return {"rate": found.to_json(), "why": ""}


def unjudged(replies: pl.DataFrame) -> str:
    """Return what judgements would tell; for a store that is too small, nothing."""
    scored = replies.drop_nulls("score")["pair_id"].n_unique()
    for width in WIDTHS:
        number, _ = labels_by_scores(replies, width)
        if number * _LEAST_WORTH <= scored:
            return (
                f"Nobody has judged these replies, and scores err. If people judge {number:,} of the "
                f"{scored:,}, the true rate is known to within {width / 2 * 100:.0f} percentage points "
                "either way: "
                f"q2 label draw --n {number} --out form.html"
            )
    return ""
