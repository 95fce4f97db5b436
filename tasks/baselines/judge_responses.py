"""Stage ``nli``: whether the knowledge entails the claims of the response (Q², end-to-end baseline).

By the paper's rules it is asked about the response as it was logged.
"""

from qsquared.method.blend import expected_nli
from qsquared.records import Failure, Judgement
from qsquared.storage.tables.registry import NLI
from qsquared.tasks.asking.responses import (
    NLI_BY_VERSION,
    PARAMETERS,
    READING_VERSIONS,
    judge_responses,
    row_each_claiming,
)
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs to one judgement each; a reply that claims nothing has none."""

    def ask(pairs: Rows) -> list[Judgement | Failure]:
        return judge_responses(roles, pairs, tables["sentence_entailment"], parameters)

    return row_each_claiming(NLI, tables["pairs"], parameters, ask, _values)


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
    inputs=("pairs", "sentence_entailment"),
    roles=("entailment",),
    parameters=PARAMETERS,
    run=run,
    versions=READING_VERSIONS | {"nli_by": NLI_BY_VERSION},
)
