"""Stage ``consistency``: a learned model of factual consistency on each whole response."""

from qsquared.records import InferenceRequest, Support
from qsquared.storage.tables.baselines import CONSISTENCY
from qsquared.tasks.asking.replies import support_each
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, row_each


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map pairs to one row each; passages are joined by a space and read in windows."""
    pairs = tables["pairs"]
    requests = [InferenceRequest(" ".join(pair["knowledge"]), pair["response"]) for pair in pairs]
    return row_each(CONSISTENCY, pairs, support_each(roles, requests), _values)


def _values(support: Support) -> Row:
    return {"consistency": support.probability, "pieces": support.pieces}


STAGE = Stage(CONSISTENCY, 1, inputs=("pairs",), roles=("consistency",), parameters=(), run=run)
