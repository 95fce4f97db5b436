"""Stage ``consistency``: a learned model of factual consistency on each whole response."""

from __future__ import annotations

from qsquared.records import Failure, InferenceRequest
from qsquared.storage.tables.baselines import CONSISTENCY
from qsquared.tasks.asking.replies import support_each
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, failed_row


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map pairs to one row each; passages are joined by a space and read in windows."""
    pairs = tables["pairs"]
    requests = [InferenceRequest(" ".join(pair["knowledge"]), pair["response"]) for pair in pairs]
    rows: Rows = []
    for pair, found in zip(pairs, support_each(roles, requests), strict=True):
        if isinstance(found, Failure):
            rows.append(failed_row(CONSISTENCY, pair["pair_id"], "consistency", found.reason))
            continue
        rows.append(
            {
                "pair_id": pair["pair_id"],
                "consistency": found.probability,
                "pieces": found.pieces,
                "error": None,
            }
        )
    return rows


STAGE = Stage(CONSISTENCY, 1, inputs=("pairs",), roles=("consistency",), parameters=(), run=run)
