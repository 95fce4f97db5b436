"""Stage ``begin``: the class of each response in its situation (Dziri et al. 2021)."""

from __future__ import annotations

from qsquared.method.begin import best_label, best_label3
from qsquared.records import Failure, ReplyRequest
from qsquared.storage.tables.begin import BEGIN
from qsquared.tasks.asking.replies import classify_each
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, failed_situation


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map situations to one row each; passages are joined by a space and read in windows."""
    situations = tables["situations"]
    requests = [
        ReplyRequest(" ".join(one["knowledge"]), one["previous"], one["response"])
        for one in situations
    ]
    rows: Rows = []
    for one, found in zip(situations, classify_each(roles, requests), strict=True):
        if isinstance(found, Failure):
            rows.append(failed_situation(BEGIN, one, "begin", found.reason))
            continue
        rows.append(
            {
                "situation_id": one["situation_id"],
                "pair_id": one["pair_id"],
                "label": best_label(found),
                "label3": best_label3(found),
                "begin_entailment": found.entailment,
                "p_hallucination": found.hallucination,
                "p_off_topic": found.off_topic,
                "p_generic": found.generic,
                "p_contradiction": found.contradiction,
                "error": None,
            }
        )
    return rows


STAGE = Stage(
    BEGIN, 1, inputs=("situations",), roles=("reply_classification",), parameters=(), run=run
)
