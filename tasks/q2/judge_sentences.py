"""Stage ``sentence_entailment``: whether the knowledge entails each claim of a reply."""

from collections.abc import Sequence
from itertools import chain, islice

from qsquared.method.evidence import judgement_of_claim, views
from qsquared.method.plain.claims import claims_by_pair
from qsquared.method.plain.passages import read_passages
from qsquared.method.plain.reply import CLAIMS
from qsquared.records import Failure, InferenceRequest, Judgement
from qsquared.storage.tables.registry import SENTENCE_ENTAILMENT
from qsquared.tasks.asking.replies import judge_each
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, failed_row


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs and sentences to one row for each claim, judged beside its evidence.

    A reply as logged has no sentences.
    """
    if parameters["sentences"] != CLAIMS:
        return []
    claims = claims_by_pair(tables["sentences"])
    keys: Rows = []
    asked: list[list[InferenceRequest]] = []
    for pair in tables["pairs"]:
        own = claims[pair["pair_id"]]
        if own.places:
            knowledge = [one.text for one in read_passages(pair["knowledge"], CLAIMS)]
        for number, start, end in own.places:
            keys.append({"pair_id": pair["pair_id"], "sentence": number})
            claim = own.text.text[start:end]
            asked.append([InferenceRequest(view, claim) for view in views(claim, knowledge)])
    replies = iter(judge_each(roles, list(chain.from_iterable(asked))))
    return [
        _row(key, list(islice(replies, len(requests))))
        for key, requests in zip(keys, asked, strict=True)
    ]


def _row(key: Row, replies: Sequence[Judgement | Failure]) -> Row:
    judged = []
    for reply in replies:
        if isinstance(reply, Failure):
            return failed_row(SENTENCE_ENTAILMENT, key, reply.reason) | key
        judged.append(reply)
    judgement = judgement_of_claim(judged)
    return key | {
        "nli_label": judgement.label,
        "entailment": judgement.entailment,
        "neutral": judgement.neutral,
        "contradiction": judgement.contradiction,
        "error": None,
    }


STAGE = Stage(
    SENTENCE_ENTAILMENT,
    2,
    inputs=("pairs", "sentences"),
    roles=("entailment",),
    parameters=("sentences",),
    run=run,
    only_with="sentences",
)
