"""Stage ``glue``: the indicators within their ranges, and the regression over them (section 4)."""

from qsquared.method.glue.indicators import INDICATORS, Range, read_range, rescale
from qsquared.storage.tables.registry import GLUE
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables

_NONE = "No regression was given: see --set glue_range in docs/papers/glue.md."


def run(tables: Tables, _roles: Roles, parameters: Parameters) -> Rows:
    """Map each row of the indicators to one row."""
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


STAGE = Stage(GLUE, 2, inputs=("indicators",), roles=(), parameters=("glue_range",), run=run)
