"""Judge whole responses by NLI: the end-to-end baseline and the fallback (Q², sections 2 and 5.1)."""

from collections import defaultdict
from collections.abc import Sequence

from qsquared.method.evidence import judgement_of_response
from qsquared.method.plain.reply import CLAIMS
from qsquared.method.q2.score import fallback_request
from qsquared.records import Failure, Judgement
from qsquared.tasks.asking.replies import judge_each
from qsquared.tasks.stage import Parameters, Roles, Row, Rows

SENTENCES = "sentences"
"""The value of the parameter ``nli_by`` by which a response is the mean of its judged sentences."""
NLI_BY_VERSION = 2
"""Raised whenever a response's judgement would be made of its sentences in another way."""

PARAMETERS = ("fallback_premise", "nli_by", "sentences")
"""The parameters that a stage needs that judges responses."""


def judge_responses(
    roles: Roles, pairs: Sequence[Row], judged_sentences: Rows, parameters: Parameters
) -> list[Judgement | Failure]:
    """Return one judgement for each pair, or its failure.

    With ``nli_by`` it is the mean of the judgements of its sentences, which are asked for nowhere
    else; a response fails with the first of them that failed.
    With ``nli_by`` or ``sentences`` unset, or the response as premise, both texts are judged whole, as
    in the paper.

    Args:
        roles: the models.
        pairs: those that claim something, as they are read.
        judged_sentences: rows of the table `sentence_entailment`.
        parameters: those that `PARAMETERS` names.
    """
    premise = parameters["fallback_premise"]
    by_sentence = parameters["nli_by"] == SENTENCES and parameters["sentences"] == CLAIMS
    if premise != "knowledge" or not by_sentence:
        whole = [fallback_request(pair["response"], pair["knowledge"], premise) for pair in pairs]
        return judge_each(roles, whole)
    of_pair: dict[str, Rows] = defaultdict(list)
    for row in judged_sentences:
        of_pair[row["pair_id"]].append(row)
    return [_combined(of_pair[pair["pair_id"]]) for pair in pairs]


def _combined(rows: Rows) -> Judgement | Failure:
    failed = next((row["error"] for row in rows if row["error"] is not None), None)
    if failed is not None:
        return Failure(failed)
    return judgement_of_response(
        [Judgement(row["entailment"], row["neutral"], row["contradiction"]) for row in rows]
    )
