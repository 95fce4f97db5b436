"""Stage ``sentence_scores``: the score of each sentence, by its questions and by the NLI model."""

from collections import defaultdict
from statistics import fmean

from qsquared.method.plain.claims import claims_by_pair
from qsquared.method.plain.kinds import CLAIMED
from qsquared.method.plain.passages import read_passages
from qsquared.method.plain.reply import CLAIMS
from qsquared.method.q2.explaining.attribution import worst
from qsquared.records import Failure, Judgement
from qsquared.storage.tables.sentences import SENTENCE_SCORES
from qsquared.tasks.asking.responses import PARAMETERS, judge_responses
from qsquared.tasks.q2.refusals import answerable_refusals
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, failed_row, sound

Key = tuple[str, int]
_VERDICTS = {"entailment": "supported", "neutral": "partial", "contradiction": "contradicted"}
"""The verdict on a claim without a valid question, by the label of the NLI model."""


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map sentences, spans and comparisons to one row for each sentence."""
    asked = questions_by_sentence(tables["spans"], tables["comparisons"])
    judged = _judged(tables, roles, parameters)
    refused = answerable_refusals(tables["pairs"], tables["sentences"], roles)
    rows: Rows = []
    for row in tables["sentences"]:
        key = (row["pair_id"], row["sentence"])
        judgement, answerable = judged.get(key), refused.get(key)
        if isinstance(judgement, Failure):
            rows.append(_failed(row, judgement))
        elif isinstance(answerable, Failure):
            rows.append(_failed(row, answerable))
        else:
            rows.append(_row(row, asked.get(key, []), judgement, answerable))
    return rows


def _failed(sentence: Row, failure: Failure) -> Row:
    row = failed_row(SENTENCE_SCORES, sentence, failure.reason)
    return row | {"sentence": sentence["sentence"]}


def questions_by_sentence(spans: Rows, comparisons: Rows) -> dict[Key, Rows]:
    """Return the compared questions about the spans of each sentence."""
    sentences = {(row["pair_id"], row["span_index"]): row["sentence"] or 0 for row in sound(spans)}
    found: dict[Key, Rows] = defaultdict(list)
    for row in sound(comparisons):
        found[row["pair_id"], sentences[row["pair_id"], row["span_index"]]].append(row)
    return found


def _judged(tables: Tables, roles: Roles, parameters: Parameters) -> dict[Key, Judgement | Failure]:
    """Ask whether the knowledge entails each claim; a reply as logged is no sentence to be asked for."""
    if parameters["sentences"] != CLAIMS:
        return {}
    claims = claims_by_pair(tables["sentences"])
    keys: list[Key] = []
    asked: Rows = []
    for pair in tables["pairs"]:
        own = claims[pair["pair_id"]]
        if own.places:
            knowledge = [one.text for one in read_passages(pair["knowledge"], CLAIMS)]
        for number, start, end in own.places:
            keys.append((pair["pair_id"], number))
            asked.append({"response": own.text.text[start:end], "knowledge": knowledge})
    return dict(zip(keys, judge_responses(roles, asked, parameters), strict=True))


def _row(
    sentence: Row, questions: Rows, judgement: Judgement | None, answerable: bool | None
) -> Row:
    verdict = worst(row["verdict"] for row in questions)
    if verdict is None and judgement is not None:
        verdict = _VERDICTS[judgement.label]
    return {
        "pair_id": sentence["pair_id"],
        "sentence": sentence["sentence"],
        "kind": sentence["kind"],
        "q2": fmean(row["score"] for row in questions) if questions else None,
        "q2_without_nli": fmean(row["token_f1"] for row in questions) if questions else None,
        "questions": len(questions),
        "entailment": judgement.entailment if judgement else None,
        "nli_label": judgement.label if judgement else None,
        "verdict": verdict if sentence["kind"] in CLAIMED else None,
        "refusal_answerable": answerable,
        "error": None,
    }


STAGE = Stage(
    SENTENCE_SCORES,
    1,
    inputs=("pairs", "sentences", "spans", "comparisons"),
    roles=("question_answering", "entailment"),
    parameters=("sentences", *PARAMETERS),
    run=run,
    only_with="sentences",
)
