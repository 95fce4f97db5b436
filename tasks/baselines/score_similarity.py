"""Stage ``bertscore``: BERTScore of each response against its knowledge."""

from __future__ import annotations

from qsquared.records import Failure
from qsquared.storage.tables.baselines import BERTSCORE
from qsquared.tasks.asking.replies import similarity_each
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, failed_row


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map pairs to one row each."""
    pairs = tables["pairs"]
    texts = [(pair["response"], " ".join(pair["knowledge"])) for pair in pairs]
    rows: Rows = []
    for pair, found in zip(pairs, similarity_each(roles, texts), strict=True):
        if isinstance(found, Failure):
            rows.append(failed_row(BERTSCORE, pair["pair_id"], "bertscore", found.reason))
            continue
        rows.append(
            {
                "pair_id": pair["pair_id"],
                "bertscore": found.f1,
                "bertscore_precision": found.precision,
                "bertscore_recall": found.recall,
                "error": None,
            }
        )
    return rows


STAGE = Stage(BERTSCORE, 1, inputs=("pairs",), roles=("similarity",), parameters=(), run=run)
