"""Stage ``sentence_entailment``: whether the knowledge entails each claim of a reply."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, islice
from operator import itemgetter

from qsquared.method.knowledge.clauses import OPPOSITE_VERSION, opposed
from qsquared.method.knowledge.copies import (
    COPIES_VERSION,
    COPY,
    JUDGE,
    SHORTENED,
    copied_sentences,
    is_shortened,
)
from qsquared.method.knowledge.evidence import judgement_of_claim, views
from qsquared.method.plain.reply import CLAIMS, read_passages
from qsquared.method.plain.reply_claims import claims_of
from qsquared.protocols import JudgeClaims
from qsquared.records import Failure, InferenceRequest, Judgement
from qsquared.storage.tables import SENTENCE_ENTAILMENT
from qsquared.tasks.model_requests import claims_each, judge_each
from qsquared.tasks.rows import failed_row, sound_row, whole
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables

ENTAILED = Judgement(entailment=1.0, neutral=0.0, contradiction=0.0)
"""The judgement of a copy."""


@dataclass(slots=True)
class _Claim:
    """A claim with the requests to its judge; one that is copied has none."""

    key: Row
    requests: list[InferenceRequest]
    has_opposite: bool = False
    is_shortened: bool = False

    def row(self, replies: Sequence[Judgement | Failure]) -> Row:
        """Return its row; the last reply is that on its opposite, if it has one."""
        judged = whole(replies)
        if isinstance(judged, Failure):
            return failed_row(SENTENCE_ENTAILMENT, self.key, judged.reason) | self.key
        against = judged.pop() if self.has_opposite else None
        judgement = ENTAILED
        if judged:
            judgement = judgement_of_claim(judged, against, shortened=self.is_shortened)
        decided_by = COPY if not self.requests else SHORTENED if self.is_shortened else JUDGE
        values = {"nli_label": judgement.label, **asdict(judgement), "decided_by": decided_by}
        return sound_row(SENTENCE_ENTAILMENT, self.key, values)


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs and sentences to one row for each claim, judged beside its evidence.

    A claim that stands in the knowledge word for word is entailed, and no judge is asked.
    A judge of claims reads all of the knowledge at once, another one beside its views.
    A reply as logged has no sentences.
    """
    if parameters["sentences"] != CLAIMS:
        return []
    reads_all = isinstance(roles.entailment, JudgeClaims)
    sentences = {
        key: list(rows) for key, rows in groupby(tables["sentences"], itemgetter("pair_id"))
    }
    claims = [
        claim
        for pair in tables["pairs"]
        for claim in _claims(pair, sentences.get(pair["pair_id"], []), reads_all=reads_all)
    ]
    ask = claims_each if reads_all else judge_each
    replies = iter(ask(roles, [request for claim in claims for request in claim.requests]))
    return [claim.row(list(islice(replies, len(claim.requests)))) for claim in claims]


def _claims(pair: Row, sentences: Rows, *, reads_all: bool) -> Iterator[_Claim]:
    of_pair = claims_of(sentences)
    if not of_pair.places:
        return
    copies = zip(sentences, copied_sentences(sentences, pair["knowledge"]), strict=True)
    copied = {row["sentence"] for row, copy in copies if copy}
    knowledge = [passage.text for passage in read_passages(pair["knowledge"], CLAIMS)]
    for number, start, end in of_pair.places:
        key = {"pair_id": pair["pair_id"], "sentence": number}
        if number in copied:
            yield _Claim(key, [])
            continue
        claim = of_pair.text.text[start:end]
        premises = ["\n\n".join(knowledge)] if reads_all else views(claim, knowledge)
        requests = [InferenceRequest(premise, claim) for premise in premises]
        # Who reads all of the knowledge sees its exceptions, too, and what was left out of a sentence.
        opposite = None if reads_all else opposed(claim, knowledge)
        if opposite:
            requests.append(InferenceRequest(*opposite))
        short = not reads_all and is_shortened(claim, knowledge)
        yield _Claim(key, requests, opposite is not None, short)


STAGE = Stage(
    SENTENCE_ENTAILMENT,
    2 + COPIES_VERSION,
    inputs=("pairs", "sentences"),
    roles=("entailment",),
    parameters=("sentences",),
    run=run,
    versions={"sentences": OPPOSITE_VERSION},
    only_with="sentences",
)
