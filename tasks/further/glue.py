"""Stages ``indicators`` and ``glue``: proxy indicators by models tuned on GLUE (Nedelchev et al. 2021, section 4)."""

from qsquared.method.glue.indicators import (
    INDICATORS,
    PAIRED,
    SINGLE,
    Range,
    read_range,
    rescale,
)
from qsquared.records import Failure, RatingRequest
from qsquared.storage.tables.registry import GLUE, GLUE_INDICATORS
from qsquared.tasks.asking.replies import rate_each
from qsquared.tasks.stage import (
    Parameters,
    Roles,
    Row,
    Rows,
    Stage,
    Tables,
    failed_row,
    required,
)

_NONE = "No regression was given: see --set glue_range in docs/papers/glue.md."


def requests_of(situation: Row, tasks: tuple[str, ...]) -> dict[str, RatingRequest]:
    """Return indicator → request, for the tasks that the profile has a model for.

    Without a previous turn there is no request about the context.
    """
    response, previous = situation["response"], situation["previous"]
    others = {"fact": " ".join(situation["knowledge"])}
    if previous is not None and previous.strip():
        others["context"] = previous
    wanted = {task: RatingRequest(task, response) for task in SINGLE if task in tasks}
    for side, other in others.items():
        wanted |= {
            f"{side}_{task}": RatingRequest(task, response, other)
            for task in PAIRED
            if task in tasks
        }
    return wanted


def rate(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map situations to one row each; an indicator that was not asked for is NULL."""
    tasks = tuple(required(roles.indicators).tasks)
    wanted = [requests_of(situation, tasks) for situation in tables["situations"]]
    requests = list(dict.fromkeys(request for one in wanted for request in one.values()))
    found = dict(zip(requests, rate_each(roles, requests), strict=True))
    rows: Rows = []
    for situation, one in zip(tables["situations"], wanted, strict=True):
        ratings = {name: found[request] for name, request in one.items()}
        failures = [rating for rating in ratings.values() if isinstance(rating, Failure)]
        if failures:
            rows.append(failed_row(GLUE_INDICATORS, situation, failures[0].reason))
            continue
        sound = {n: rating for n, rating in ratings.items() if not isinstance(rating, Failure)}
        row: Row = dict.fromkeys(INDICATORS)
        row |= {name: rating.value for name, rating in sound.items()}
        row |= {name: situation[name] for name in ("situation_id", "pair_id")}
        rows.append(row | {"cut": any(r.cut for r in sound.values()), "error": None})
    return rows


RATE = Stage(
    GLUE_INDICATORS, 1, inputs=("situations",), roles=("indicators",), parameters=(), run=rate
)


def combine(tables: Tables, _roles: Roles, parameters: Parameters) -> Rows:
    """Bring the indicators into their ranges, and give the regression over them."""
    given = parameters["glue_range"]
    known = Range() if given is None else read_range(given)
    return [_combined(row, known) for row in tables["indicators"]]


def _combined(row: Row, known: Range) -> Row:
    ids = {name: row[name] for name in ("situation_id", "pair_id")}
    rescaled = {
        name: None if row[name] is None else rescale(row[name], known.bounds_of(name))
        for name in INDICATORS
    }
    made: Row = ids | {f"glue_{name}": value for name, value in rescaled.items()}
    if row["error"] is not None:
        return made | {"glue": None, "status": "error", "reason": row["error"]}
    if known.regression is None:
        return made | {"glue": None, "status": "no_regression", "reason": _NONE}
    if missing := known.regression.missing(rescaled):
        reason = f"The regression needs {', '.join(missing)}, which this turn does not have."
        return made | {"glue": None, "status": "missing_indicator", "reason": reason}
    value = known.regression.predict(rescaled)
    return made | {"glue": value, "status": "scored", "reason": None}


COMBINE = Stage(GLUE, 2, inputs=("indicators",), roles=(), parameters=("glue_range",), run=combine)
