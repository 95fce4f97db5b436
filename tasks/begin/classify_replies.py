"""Stage ``begin``: one of BEGIN's five classes for each response, its knowledge and the previous turn (Dziri et al. 2021)."""

from qsquared.method.begin.taxonomy import best_label, best_label3
from qsquared.records import ReplyClasses, ReplyRequest
from qsquared.storage.tables.begin import BEGIN
from qsquared.tasks.asking.replies import classify_each
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, row_each


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map situations to one row each; passages are joined by a space and read in windows."""
    situations = tables["situations"]
    requests = [
        ReplyRequest(" ".join(one["knowledge"]), one["previous"], one["response"])
        for one in situations
    ]
    return row_each(BEGIN, situations, classify_each(roles, requests), _values)


def _values(found: ReplyClasses) -> Row:
    return {
        "label": best_label(found),
        "label3": best_label3(found),
        "begin_entailment": found.entailment,
        "p_hallucination": found.hallucination,
        "p_off_topic": found.off_topic,
        "p_generic": found.generic,
        "p_contradiction": found.contradiction,
    }


STAGE = Stage(
    BEGIN, 1, inputs=("situations",), roles=("reply_classification",), parameters=(), run=run
)
