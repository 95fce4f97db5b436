"""The rate that judgements of people correct, for the head of a report."""

from typing import Any

from qsquared.errors import UsageError
from qsquared.report.scope import ALL_TURNS, Scope
from qsquared.storage.labels.rates import labelled, rate_of
from qsquared.storage.labels.records import draws_for_rates
from qsquared.storage.labels.selection import Selection, find_score
from qsquared.storage.sql.catalogue import connect
from qsquared.storage.store import Store

_UNJUDGED = (
    "Nobody has judged these replies, and scores err. The judgements of a hundred tell the true rate: "
    "q2 label draw --n 100 --out form.html"
)


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
                return {"rate": None, "why": _UNJUDGED}
            found = rate_of(labelled(store, connection, score, Selection(where=where)))
    except UsageError as error:
        return {"rate": None, "why": error.message}
    assert found is not None
    return {"rate": found.to_json(), "why": ""}
