"""Stage ``comparisons``: the span against the answer on the knowledge (Q², section 2)."""

from qsquared.method.q2.comparison import compare_answers, entailment_request
from qsquared.method.q2.in_knowledge import clean_passages, stands_in
from qsquared.method.values.decide import decide
from qsquared.records import Failure
from qsquared.storage.tables.q2 import COMPARISONS
from qsquared.tasks.asking.replies import judge_each
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, failed_row, sound


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs, spans, questions and answers to scores and verdicts of the questions.

    With the parameter ``by_value`` answers that have values are compared by these first.
    """
    passages = {pair["pair_id"]: clean_passages(pair["knowledge"]) for pair in tables["pairs"]}
    spans = {(row["pair_id"], row["span_index"]): row["text"] for row in sound(tables["spans"])}
    questions = {
        (row["pair_id"], row["span_index"], row["rank"]): row["question"]
        for row in sound(tables["questions"])
    }
    answers = sound(tables["answers"])
    decisions = [
        decide(
            spans[row["pair_id"], row["span_index"]],
            row["knowledge_answer"],
            questions[row["pair_id"], row["span_index"], row["rank"]],
        )
        if parameters["by_value"] and row["knowledge_answer"] is not None
        else None
        for row in answers
    ]
    requests = [
        entailment_request(
            questions[row["pair_id"], row["span_index"], row["rank"]],
            spans[row["pair_id"], row["span_index"]],
            row["knowledge_answer"],
            decision,
        )
        for row, decision in zip(answers, decisions, strict=True)
    ]
    needed = [request for request in requests if request is not None]
    judgements = iter(judge_each(roles, needed))
    rows: Rows = []
    for row, request, decision in zip(answers, requests, decisions, strict=True):
        judgement = next(judgements) if request is not None else None
        if isinstance(judgement, Failure):
            rows.append(failed_row(COMPARISONS, row, judgement.reason))
            continue
        span = spans[row["pair_id"], row["span_index"]]
        compared = compare_answers(span, row["knowledge_answer"], judgement, decision)
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
                "decided_by": compared.decided_by,
                "value_relation": decision.relation if decision and decision.decides else None,
                "in_knowledge": stands_in(passages[row["pair_id"]], span),
                "error": None,
            }
        )
    return rows


STAGE = Stage(
    COMPARISONS,
    2,
    inputs=("pairs", "spans", "questions", "answers"),
    roles=("entailment",),
    parameters=("by_value",),
    run=run,
)
