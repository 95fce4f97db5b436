"""Stages ``indicators`` and ``glue``: proxy indicators by models tuned on GLUE (Nedelchev et al. 2021, section 4)."""

from qsquared.method import glue as indicators
from qsquared.records import Failure, RatingRequest
from qsquared.storage.tables import GLUE, GLUE_INDICATORS
from qsquared.tasks.model_requests import rate_each
from qsquared.tasks.rows import row_each, sound_row, whole
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, required

_NONE = "No regression was given: see --set glue_range in docs/papers/glue.md."


def requests_of(situation: Row, tasks: tuple[str, ...]) -> dict[str, RatingRequest]:
    """Return indicator → request, for the tasks that the profile has a model for.

    Without a previous turn there is no request about the context.
    """
    response, previous = situation["response"], situation["previous"]
    others = {"fact": " ".join(situation["knowledge"])}
    if previous is not None and previous.strip():
        others["context"] = previous
    wanted = {task: RatingRequest(task, response) for task in indicators.SINGLE if task in tasks}
    for side, other in others.items():
        wanted |= {
            f"{side}_{task}": RatingRequest(task, response, other)
            for task in indicators.PAIRED
            if task in tasks
        }
    return wanted


def rate(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map situations to one row each; an indicator that was not asked for is NULL."""
    tasks = tuple(required(roles.indicators).tasks)
    wanted = [requests_of(situation, tasks) for situation in tables["situations"]]
    requests = [request for asked in wanted for request in asked.values()]
    by_request = dict(zip(requests, rate_each(roles, requests), strict=True))

    def rated(asked: dict[str, RatingRequest]) -> Row | Failure:
        ratings = whole(by_request[request] for request in asked.values())
        if isinstance(ratings, Failure):
            return ratings
        values: Row = {name: rating.value for name, rating in zip(asked, ratings, strict=True)}
        return values | {"cut": any(rating.cut for rating in ratings)}

    return row_each(GLUE_INDICATORS, tables["situations"], map(rated, wanted), dict)


RATE = Stage(GLUE_INDICATORS, 1, rate, inputs=("situations",), roles=("indicators",))


def combine(tables: Tables, _roles: Roles, parameters: Parameters) -> Rows:
    """Bring the indicators into their ranges, and give the regression over them."""
    given = parameters["glue_range"]
    given_range = indicators.Range() if given is None else indicators.read_range(given)
    return [sound_row(GLUE, row, _combined(row, given_range)) for row in tables["indicators"]]


def _combined(row: Row, given_range: indicators.Range) -> Row:
    rescaled = {
        name: None
        if row[name] is None
        else indicators.rescale(row[name], given_range.bounds_of(name))
        for name in indicators.INDICATORS
    }
    made: Row = {f"glue_{name}": value for name, value in rescaled.items()}
    if row["error"] is not None:
        return made | {"status": "error", "reason": row["error"]}
    if given_range.regression is None:
        return made | {"status": "no_regression", "reason": _NONE}
    if missing := given_range.regression.missing(rescaled):
        reason = f"The regression needs {', '.join(missing)}, which this turn does not have."
        return made | {"status": "missing_indicator", "reason": reason}
    return made | {"glue": given_range.regression.predict(rescaled), "status": "scored"}


COMBINE = Stage(GLUE, 2, combine, inputs=("indicators",), parameters=("glue_range",))
