"""Stage ``nli``: whether the knowledge entails the whole response (Q², end-to-end baseline)."""

from qsquared.method.blend import expected_nli
from qsquared.records import Judgement
from qsquared.storage.tables.baselines import NLI
from qsquared.tasks.asking.responses import PARAMETERS, judge_responses
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, row_each


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs to one judgement each."""
    pairs = tables["pairs"]
    return row_each(NLI, pairs, judge_responses(roles, pairs, parameters), _values)


def _values(judgement: Judgement) -> Row:
    return {
        "nli": expected_nli(judgement),
        "nli_label": judgement.label,
        "nli_entailment": judgement.entailment,
        "nli_neutral": judgement.neutral,
        "nli_contradiction": judgement.contradiction,
    }


STAGE = Stage(
    NLI,
    1,
    inputs=("pairs",),
    roles=("entailment",),
    parameters=PARAMETERS,
    run=run,
)
