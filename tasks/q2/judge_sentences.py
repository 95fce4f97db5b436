"""Stage ``sentence_entailment``: whether the knowledge entails each claim of a reply."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain, islice

from qsquared.method.clauses.opposite import OPPOSITE_VERSION, opposed
from qsquared.method.knowledge.evidence import judgement_of_claim, views
from qsquared.method.plain.claims import claims_by_pair
from qsquared.method.plain.reply import CLAIMS, read_passages
from qsquared.protocols import JudgeClaims
from qsquared.records import Failure, InferenceRequest, Judgement
from qsquared.storage.tables.registry import SENTENCE_ENTAILMENT
from qsquared.tasks.asking.replies import claims_each, judge_each
from qsquared.tasks.rows import failed_row, sound_row, whole
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs and sentences to one row for each claim, judged beside its evidence.

    A judge of claims reads all of the knowledge at once, another one beside its views.
    A reply as logged has no sentences.
    """
    if parameters["sentences"] != CLAIMS:
        return []
    reads_all = isinstance(roles.entailment, JudgeClaims)
    claims = claims_by_pair(tables["sentences"])
    keys: Rows = []
    asked: list[list[InferenceRequest]] = []
    has_opposite: list[bool] = []
    for pair in tables["pairs"]:
        of_pair = claims[pair["pair_id"]]
        if of_pair.places:
            knowledge = [passage.text for passage in read_passages(pair["knowledge"], CLAIMS)]
        for number, start, end in of_pair.places:
            keys.append({"pair_id": pair["pair_id"], "sentence": number})
            claim = of_pair.text.text[start:end]
            premises = ["\n\n".join(knowledge)] if reads_all else views(claim, knowledge)
            requests = [InferenceRequest(premise, claim) for premise in premises]
            # Who reads all of the knowledge sees its exceptions, too.
            opposite = None if reads_all else opposed(claim, knowledge)
            asked.append([*requests, InferenceRequest(*opposite)] if opposite else requests)
            has_opposite.append(opposite is not None)
    ask = claims_each if reads_all else judge_each
    replies = iter(ask(roles, list(chain.from_iterable(asked))))
    return [
        _row(key, list(islice(replies, len(requests))), has_opposite=opposite)
        for key, requests, opposite in zip(keys, asked, has_opposite, strict=True)
    ]


def _row(key: Row, replies: Sequence[Judgement | Failure], *, has_opposite: bool) -> Row:
    """Return the row of a claim; the last reply is that on its opposite, if it has one."""
    judged = whole(replies)
    if isinstance(judged, Failure):
        return failed_row(SENTENCE_ENTAILMENT, key, judged.reason) | key
    against = judged.pop() if has_opposite else None
    judgement = judgement_of_claim(judged, against)
    values = {"nli_label": judgement.label, **asdict(judgement)}
    return sound_row(SENTENCE_ENTAILMENT, key, values)


STAGE = Stage(
    SENTENCE_ENTAILMENT,
    3,
    inputs=("pairs", "sentences"),
    roles=("entailment",),
    parameters=("sentences",),
    run=run,
    versions={"sentences": OPPOSITE_VERSION},
    only_with="sentences",
)
