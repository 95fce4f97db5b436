"""Stage ``qags``: the score of each pair from the compared answers (QAGS, section 4)."""

from collections import defaultdict

from qsquared.method.qags import Compared, score_answers
from qsquared.storage.tables.registry import QAGS
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, sound


def run(tables: Tables, _roles: Roles, parameters: Parameters) -> Rows:
    """Map questions and answers to one row for each pair; one without a question has no score."""
    errors: dict[str, str] = {}
    for name in ("qags_questions", "qags_answers"):
        for row in tables[name]:
            if row["error"] is not None:
                errors.setdefault(row["pair_id"], row["error"])
    log_probs = {
        (row["pair_id"], row["span_index"], row["rank"]): row["log_prob"]
        for row in sound(tables["qags_questions"])
    }
    compared: dict[str, list[Compared]] = defaultdict(list)
    for row in sound(tables["qags_answers"]):
        if row["kept"]:
            place = (row["span_index"], row["rank"])
            log_prob = log_probs[row["pair_id"], *place]
            compared[row["pair_id"]].append(
                Compared(log_prob, place, row["token_f1"], row["exact_match"])
            )
    return [
        _row(pair["pair_id"], errors.get(pair["pair_id"]), compared[pair["pair_id"]], parameters)
        for pair in tables["pairs"]
    ]


def _row(pair_id: str, error: str | None, found: list[Compared], parameters: Parameters) -> Row:
    row: Row = {
        "pair_id": pair_id,
        "qags": None,
        "qags_unpadded": None,
        "qags_exact_match": None,
        "status": "error" if error else "no_question",
        "reason": error or "No question on the response was kept.",
        "questions": 0,
    }
    if error or not found:
        return row
    score = score_answers(found, parameters["qags_questions"], parameters["qags_seed"])
    return row | {
        "qags": score.qags,
        "qags_unpadded": score.unpadded,
        "qags_exact_match": score.exact_match,
        "status": "scored",
        "reason": None,
        "questions": score.questions,
    }


STAGE = Stage(
    QAGS,
    1,
    inputs=("pairs", "qags_questions", "qags_answers"),
    roles=(),
    parameters=("qags_questions", "qags_seed"),
    run=run,
)
