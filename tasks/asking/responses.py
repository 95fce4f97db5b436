"""Judge whole responses by NLI: the end-to-end baseline and the fallback (Q², sections 2 and 5.1)."""

from collections.abc import Callable, Sequence
from itertools import islice

from qsquared.method.evidence import claims, judgement_of_claim, judgement_of_response
from qsquared.method.q2.score import fallback_request
from qsquared.records import Failure, InferenceRequest, Judgement
from qsquared.tasks.asking.replies import judge_each
from qsquared.tasks.stage import Parameters, Roles, Row

SENTENCES = "sentences"
"""The value of the parameter ``nli_by`` that judges long texts sentence by sentence."""

PARAMETERS = ("fallback_premise", "nli_by")
"""The parameters that a stage needs that judges responses."""


def judge_responses(
    roles: Roles, pairs: Sequence[Row], parameters: Parameters
) -> list[Judgement | Failure]:
    """Return one judgement for each pair, or its failure.

    With ``nli_by`` unset, or the response as premise, both texts are judged whole, as in the paper.
    A response fails with the first of its sentences that fails.
    """
    premise = parameters["fallback_premise"]
    if premise != "knowledge" or parameters["nli_by"] != SENTENCES:
        whole = [fallback_request(pair["response"], pair["knowledge"], premise) for pair in pairs]
        return judge_each(roles, whole)
    parted = [claims(pair["response"], pair["knowledge"]) for pair in pairs]
    requests = [
        InferenceRequest(view, claim.text)
        for found in parted
        for claim in found
        for view in claim.premises
    ]
    replies = iter(judge_each(roles, requests))
    return [
        _combined(
            [
                _combined(list(islice(replies, len(claim.premises))), judgement_of_claim)
                for claim in found
            ],
            judgement_of_response,
        )
        for found in parted
    ]


def _combined(
    replies: Sequence[Judgement | Failure], combine: Callable[[Sequence[Judgement]], Judgement]
) -> Judgement | Failure:
    """Combine judgements, unless one failed: then return the first failure."""
    judged: list[Judgement] = []
    for reply in replies:
        if isinstance(reply, Failure):
            return reply
        judged.append(reply)
    return combine(judged)
