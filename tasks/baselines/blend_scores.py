"""Stage ``blend``: the mean of Q², end-to-end NLI and token overlap of each pair.

A reply that claims nothing has no Q² and so no blend, which is no failure.
"""

from qsquared.method.blend import blend
from qsquared.records import Judgement
from qsquared.storage.tables.registry import BLEND
from qsquared.tasks.asking.responses import READING, READING_VERSIONS, read_claims
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, blank_row, failed_row


def run(tables: Tables, _roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs, scores and judgements to one row for each pair; a part that failed fails the blend."""
    scores = {row["pair_id"]: row for row in tables["scores"]}
    judged = {row["pair_id"]: row for row in tables["nli"]}
    rows: Rows = []
    for pair in tables["pairs"]:
        key = pair["pair_id"]
        score, verdict = scores[key], judged[key]
        reason = verdict["error"] or (score["reason"] if score["status"] == "error" else None)
        if reason is not None:
            rows.append(failed_row(BLEND, pair, reason))
            continue
        if score["q2"] is None:
            rows.append(blank_row(BLEND, pair))
            continue
        judgement = Judgement(
            verdict["nli_entailment"], verdict["nli_neutral"], verdict["nli_contradiction"]
        )
        read = read_claims(pair, parameters)
        made = blend(score["q2"], judgement, read["response"], read["knowledge"])
        rows.append(
            {
                "pair_id": key,
                "blend": made.blend,
                "q2": made.q2,
                "nli": made.nli,
                "token_f1": made.token_f1,
                "error": None,
            }
        )
    return rows


STAGE = Stage(
    BLEND,
    1,
    inputs=("pairs", "scores", "nli"),
    roles=(),
    parameters=(READING,),
    run=run,
    versions=READING_VERSIONS,
)
