"""Stage ``e2e_nli``: the end-to-end NLI baseline of the paper (Q², section 5.1)."""

from qsquared.method.q2.score import FALLBACK_SCORES
from qsquared.storage.tables.registry import E2E_NLI
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables


def run(tables: Tables, _roles: Roles, _parameters: Parameters) -> Rows:
    """Map judgements to 1 for entailment, 0.5 for neutral, 0 for contradiction; no judgement has none."""
    return [
        {
            "pair_id": row["pair_id"],
            "e2e_nli": FALLBACK_SCORES.get(row["nli_label"]),
            "error": row["error"],
        }
        for row in tables["nli"]
    ]


STAGE = Stage(E2E_NLI, 1, inputs=("nli",), roles=(), parameters=(), run=run)
