"""Stage ``comparisons``: the span against the answer on the knowledge (Q², section 2)."""

from qsquared.method.q2.comparison import compare_answers, entailment_request
from qsquared.records import Failure
from qsquared.storage.tables.q2 import COMPARISONS
from qsquared.tasks.asking.replies import judge_each
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, failed_row, sound


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map spans, questions and answers to scores and verdicts of the questions."""
    spans = {(row["pair_id"], row["span_index"]): row["text"] for row in sound(tables["spans"])}
    questions = {
        (row["pair_id"], row["span_index"], row["rank"]): row["question"]
        for row in sound(tables["questions"])
    }
    answers = sound(tables["answers"])
    requests = [
        entailment_request(
            questions[row["pair_id"], row["span_index"], row["rank"]],
            spans[row["pair_id"], row["span_index"]],
            row["knowledge_answer"],
        )
        for row in answers
    ]
    needed = [request for request in requests if request is not None]
    judgements = iter(judge_each(roles, needed))
    rows: Rows = []
    for row, request in zip(answers, requests, strict=True):
        judgement = next(judgements) if request is not None else None
        if isinstance(judgement, Failure):
            rows.append(failed_row(COMPARISONS, row, judgement.reason))
            continue
        compared = compare_answers(
            spans[row["pair_id"], row["span_index"]], row["knowledge_answer"], judgement
        )
        rows.append(
            {
                "pair_id": row["pair_id"],
                "span_index": row["span_index"],
                "rank": row["rank"],
                "token_f1": compared.token_f1,
                "exact_match": compared.exact_match,
                "nli_label": judgement.label if judgement else None,
                "nli_entailment": judgement.entailment if judgement else None,
                "nli_neutral": judgement.neutral if judgement else None,
                "nli_contradiction": judgement.contradiction if judgement else None,
                "score": compared.score,
                "score_without_nli": compared.token_f1,
                "verdict": compared.verdict,
                "error": None,
            }
        )
    return rows


STAGE = Stage(
    COMPARISONS,
    1,
    inputs=("spans", "questions", "answers"),
    roles=("entailment",),
    parameters=(),
    run=run,
)
