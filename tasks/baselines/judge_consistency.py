"""Stage ``consistency``: a learned model of factual consistency on the claims of each response.

By the papers' rules it reads the response as it was logged.
"""

from qsquared.records import Failure, InferenceRequest, Support
from qsquared.storage.tables.registry import CONSISTENCY
from qsquared.tasks.asking.replies import support_each
from qsquared.tasks.asking.responses import READING, READING_VERSIONS, row_each_claiming
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs to one row each; passages are joined by a space and read in windows."""

    def ask(pairs: Rows) -> list[Support | Failure]:
        requests = [
            InferenceRequest(" ".join(pair["knowledge"]), pair["response"]) for pair in pairs
        ]
        return support_each(roles, requests)

    return row_each_claiming(CONSISTENCY, tables["pairs"], parameters, ask, _values)


def _values(support: Support) -> Row:
    return {"consistency": support.probability, "pieces": support.pieces}


STAGE = Stage(
    CONSISTENCY,
    1,
    inputs=("pairs",),
    roles=("consistency",),
    parameters=(READING,),
    run=run,
    versions=READING_VERSIONS,
)
