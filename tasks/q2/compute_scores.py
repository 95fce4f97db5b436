"""Stage ``scores``: the score of each pair, from its questions or by the fallback."""

from collections import defaultdict

from qsquared.method.q2.comparison import Comparison
from qsquared.method.q2.score import FALLBACK_SCORES, score_response
from qsquared.records import Failure, Judgement
from qsquared.storage.tables.q2 import SCORES
from qsquared.tasks.asking.responses import PARAMETERS, judge_responses
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, sound

_UPSTREAM = ("spans", "questions", "roundtrip", "answers", "comparisons")


def _by_pair(rows: Rows) -> dict[str, Rows]:
    grouped: dict[str, Rows] = defaultdict(list)
    for row in rows:
        grouped[row["pair_id"]].append(row)
    return grouped


def _fallback(spans: Rows, questions: Rows, judgement: Judgement) -> Row:
    if not spans:
        cause = "The response has no informative span"
    elif not questions:
        cause = "No question could be generated"
    else:
        cause = "No generated question passed the round trip"
    score = FALLBACK_SCORES[judgement.label]
    return {
        "q2": score,
        "q2_without_nli": score,
        "status": "fallback_nli",
        "reason": f"{cause}; scored by end-to-end NLI.",
        "nli_label": judgement.label,
    }


def _failed(reason: str) -> Row:
    return {
        "q2": None,
        "q2_without_nli": None,
        "status": "error",
        "reason": reason,
        "nli_label": None,
    }


def _scored(comparisons: Rows) -> Row:
    score = score_response(
        [
            Comparison(row["token_f1"], row["exact_match"], row["score"], row["verdict"])
            for row in comparisons
        ]
    )
    return {
        "q2": score.q2,
        "q2_without_nli": score.q2_without_nli,
        "status": "scored",
        "reason": None,
        "nli_label": None,
    }


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map all tables of the metric to one row for each pair (Q², section 2).

    A pair on which any stage failed gets ``status = error`` with the first reason.
    """
    grouped = {name: _by_pair(sound(tables[name])) for name in _UPSTREAM}
    errors: dict[str, str] = {}
    for name in _UPSTREAM:
        for row in tables[name]:
            if row["error"] is not None:
                errors.setdefault(row["pair_id"], row["error"])
    uncovered = [
        pair
        for pair in tables["pairs"]
        if pair["pair_id"] not in errors and not grouped["comparisons"].get(pair["pair_id"])
    ]
    replies = judge_responses(roles, uncovered, parameters)
    verdicts = {pair["pair_id"]: reply for pair, reply in zip(uncovered, replies, strict=True)}
    rows: Rows = []
    for pair in tables["pairs"]:
        key = pair["pair_id"]
        of_pair = {name: grouped[name].get(key, []) for name in _UPSTREAM}
        verdict = verdicts.get(key)
        if key in errors:
            result = _failed(errors[key])
        elif isinstance(verdict, Failure):
            result = _failed(f"scores: {verdict.reason}")
        elif verdict is not None:
            result = _fallback(of_pair["spans"], of_pair["questions"], verdict)
        else:
            result = _scored(of_pair["comparisons"])
        verdicts_given = [row["verdict"] for row in of_pair["comparisons"]]
        rows.append(
            {
                "pair_id": key,
                **result,
                "spans": len(of_pair["spans"]),
                "questions_generated": len(of_pair["questions"]),
                "questions": len(of_pair["comparisons"]),
                "no_answer": verdicts_given.count("no_answer"),
                "contradicted": verdicts_given.count("contradicted"),
            }
        )
    return rows


STAGE = Stage(
    SCORES,
    1,
    inputs=("pairs", *_UPSTREAM),
    roles=("entailment",),
    parameters=PARAMETERS,
    run=run,
)
