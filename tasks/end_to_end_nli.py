"""NLI judgement of a response: the mean over its sentences, or of the whole text as published.

The baseline end-to-end NLI (``tasks/other_metrics/baselines.py``) is made of it, and the fallback
for a response without a valid question (``tasks/q2/compute_scores.py``; Q², sections 2, 5.1).
"""

from collections.abc import Sequence

from qsquared.method.knowledge.evidence import judgement_of_response
from qsquared.method.plain.reply import CLAIMS
from qsquared.method.q2.score import fallback_request
from qsquared.records import Failure, Judgement
from qsquared.tasks.model_requests import judge_each
from qsquared.tasks.rows import by_pair
from qsquared.tasks.stage import Parameters, Roles, Row, Rows

SENTENCES = "sentences"
"""A value of ``nli_by``: the mean over sentences. (The parameter ``sentences`` is another one.)"""
NLI_BY_VERSION = 3
"""Raised whenever a response's judgement would be made of its sentences in another way."""

PARAMETERS = ("fallback_premise", "nli_by", "sentences")
"""The parameters of each stage that calls `judge_responses`."""


def judge_responses(
    roles: Roles, pairs: Sequence[Row], judged_sentences: Rows, parameters: Parameters
) -> list[Judgement | Failure]:
    """Return one judgement for each pair, or its failure.

    By default it is the mean over the response's claims, whose judgements are read from the table
    `sentence_entailment`, so no model is asked; a response fails with the first claim that failed.
    With ``nli_by`` or ``sentences`` unset, or the response as premise, the model judges the whole
    texts, as in the paper.

    Args:
        roles: the models.
        pairs: those that claim something, as `read_claims` gives them.
        judged_sentences: rows of the table `sentence_entailment` (``tasks/q2/judge_sentences.py``).
        parameters: those that `PARAMETERS` names.
    """
    premise = parameters["fallback_premise"]
    by_sentence = parameters["nli_by"] == SENTENCES and parameters["sentences"] == CLAIMS
    if premise != "knowledge" or not by_sentence:
        whole = [fallback_request(pair["response"], pair["knowledge"], premise) for pair in pairs]
        return judge_each(roles, whole)
    of_pair = by_pair(judged_sentences)
    return [_combined(of_pair[pair["pair_id"]]) for pair in pairs]


def _combined(rows: Rows) -> Judgement | Failure:
    failed = next((row["error"] for row in rows if row["error"] is not None), None)
    if failed is not None:
        return Failure(failed)
    return judgement_of_response(
        [Judgement(row["entailment"], row["neutral"], row["contradiction"]) for row in rows]
    )


def nli_columns(judgement: Judgement) -> Row:
    """Return the columns of a judgement: its label and the three probabilities."""
    return {
        "nli_label": judgement.label,
        "nli_entailment": judgement.entailment,
        "nli_neutral": judgement.neutral,
        "nli_contradiction": judgement.contradiction,
    }
