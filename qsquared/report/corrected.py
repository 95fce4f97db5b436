"""The rate that judgements of people correct, for the head of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qsquared.errors import UsageError
from qsquared.method.rates.estimate import labels_planned
from qsquared.method.threshold import is_inconsistent
from qsquared.report.scope import ALL_TURNS
from qsquared.storage.labels.rates import labelled, rate_of
from qsquared.storage.labels.records import draws_for_rates
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
    where, reads = "", "FROM turns"
    if scope.inputs is not None or scope.selection != ALL_TURNS:
        of_scope = f'SELECT input, "position" FROM outcomes WHERE {scope.where()}'
        where, reads = f'(t.input, t."position") IN ({of_scope})', of_scope
    try:
        score = find_score(store, profile=scope.profile)
        with connect(store, f"{reads} {score.table}") as connection:
            if draws_for_rates(store).is_empty():
                replies = selected(connection, score, Selection(where=where))
                return {"rate": None, "why": unjudged(replies)}
            found = rate_of(labelled(store, connection, score, Selection(where=where)))
    except UsageError as error:
        return {"rate": None, "why": error.message}
    assert found is not None
    return {"rate": found.to_json(), "why": ""}


def unjudged(replies: pl.DataFrame) -> str:
    """Return what judgements would tell; for a store that is too small, nothing."""
    scores = replies.drop_nulls("score")
    scored = scores["pair_id"].n_unique()
    turns = scores["turns"].to_numpy()
    wrong = is_inconsistent(scores["score"].to_numpy())
    share = float(turns[wrong].sum() / max(1, turns.sum()))
    for width in WIDTHS:
        number = labels_planned(share, scored, width)
        if number * _LEAST_WORTH <= scored:
            return (
                f"Nobody has judged these replies, and scores err. If people judge {number:,} of the "
                f"{scored:,}, the true rate is known to within {width / 2 * 100:.0f} percentage points "
                "either way: "
                f"q2 label draw --n {number} --out form.html"
            )
    return ""
