"""Stage ``nli``: whether the knowledge entails the whole response (Q², end-to-end baseline)."""

from __future__ import annotations

from qsquared.method.blend import expected_nli
from qsquared.method.q2.score import fallback_request
from qsquared.records import Failure
from qsquared.storage.tables.baselines import NLI
from qsquared.tasks.asking.replies import judge_each
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, failed_row


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs to one judgement each; knowledge above the window is read in runs of sentences."""
    pairs = tables["pairs"]
    requests = [
        fallback_request(pair["response"], pair["knowledge"], parameters["fallback_premise"])
        for pair in pairs
    ]
    rows: Rows = []
    for pair, judgement in zip(pairs, judge_each(roles, requests), strict=True):
        if isinstance(judgement, Failure):
            rows.append(failed_row(NLI, pair["pair_id"], "nli", judgement.reason))
            continue
        rows.append(
            {
                "pair_id": pair["pair_id"],
                "nli": expected_nli(judgement),
                "nli_label": judgement.label,
                "nli_entailment": judgement.entailment,
                "nli_neutral": judgement.neutral,
                "nli_contradiction": judgement.contradiction,
                "error": None,
            }
        )
    return rows


STAGE = Stage(
    NLI,
    1,
    inputs=("pairs",),
    roles=("entailment",),
    parameters=("fallback_premise",),
    run=run,
)
