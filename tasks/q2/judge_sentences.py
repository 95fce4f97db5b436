"""Stage ``sentence_entailment``: whether the knowledge entails each claim of a reply."""

from qsquared.method.plain.claims import claims_by_pair
from qsquared.method.plain.passages import read_passages
from qsquared.method.plain.reply import CLAIMS
from qsquared.records import Failure
from qsquared.storage.tables.sentences import SENTENCE_ENTAILMENT
from qsquared.tasks.asking.responses import PARAMETERS, judge_responses
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, failed_row


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs and sentences to one row for each claim; a reply as logged has no sentences."""
    if parameters["sentences"] != CLAIMS:
        return []
    claims = claims_by_pair(tables["sentences"])
    keys: Rows = []
    asked: Rows = []
    for pair in tables["pairs"]:
        own = claims[pair["pair_id"]]
        if own.places:
            knowledge = [one.text for one in read_passages(pair["knowledge"], CLAIMS)]
        for number, start, end in own.places:
            keys.append({"pair_id": pair["pair_id"], "sentence": number})
            asked.append({"response": own.text.text[start:end], "knowledge": knowledge})
    return [
        failed_row(SENTENCE_ENTAILMENT, key, judged.reason) | key
        if isinstance(judged, Failure)
        else key
        | {
            "nli_label": judged.label,
            "entailment": judged.entailment,
            "neutral": judged.neutral,
            "contradiction": judged.contradiction,
            "error": None,
        }
        for key, judged in zip(keys, judge_responses(roles, asked, parameters), strict=True)
    ]


STAGE = Stage(
    SENTENCE_ENTAILMENT,
    1,
    inputs=("pairs", "sentences"),
    roles=("entailment",),
    parameters=("sentences", *PARAMETERS),
    run=run,
    only_with="sentences",
)
