"""Stage ``scores``: the score of each pair, the mean over its questions or the NLI fallback.

A pair without a valid question gets the fallback, unless its reply claims nothing.
"""

from collections.abc import Sequence

from qsquared.method.plain.reply import kind_of_reply
from qsquared.method.plain.reply_claims import claims_by_pair
from qsquared.method.plain.sentence_kinds import KINDS, OTHER_LANGUAGE
from qsquared.method.q2.comparison import Comparison
from qsquared.method.q2.score import FALLBACK_SCORES, mean_over_questions
from qsquared.method.support import SUPPORT_VERSION, number_of_words, support
from qsquared.records import Failure, Judgement
from qsquared.storage.tables import SCORES
from qsquared.tasks.end_to_end_nli import (
    NLI_BY_VERSION,
    PARAMETERS,
    judge_responses,
)
from qsquared.tasks.q2.score_sentences import judged_sentences
from qsquared.tasks.rows import by_pair, first_errors, read_claims, sound, sound_row
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables

_UPSTREAM = (
    "sentences",
    "sentence_entailment",
    "spans",
    "questions",
    "roundtrip",
    "answers",
    "comparisons",
    "sentence_scores",
)
_KIND_WORDS = {kind: kind.replace("_", "-") for kind in KINDS} | {
    "yes_or_no": "a bare yes or no, which claims what the user asked"
}
NOT_ENGLISH = "The reply is not in English."


def _fallback(spans: Rows, questions: Rows, judgement: Judgement) -> Row:
    """Return the columns of a pair without a valid question, with the reason why it has none."""
    if not spans:
        cause = "The response has no informative span"
    elif not questions:
        cause = "No question could be generated"
    else:
        cause = "No generated question passed the round trip"
    score = FALLBACK_SCORES[judgement.label]
    return {
        "q2": score,
        "q2_without_nli": score,
        "status": "fallback_nli",
        "reason": f"{cause}; scored by end-to-end NLI.",
        "nli_label": judgement.label,
    }


def _no_claim(sentences: Rows) -> Row:
    """Return the columns of a reply that claims nothing or is not in English."""
    kind = kind_of_reply([row["kind"] for row in sentences])
    if kind == OTHER_LANGUAGE:
        return {"status": OTHER_LANGUAGE, "reason": NOT_ENGLISH, "reply_kind": kind}
    reason = f"The reply claims nothing ({_KIND_WORDS[kind]})."
    return {"status": "no_claim", "reason": reason, "reply_kind": kind}


def _worst(sentences: Rows) -> Row:
    """Return the columns of the sentence with the lowest Q², the first of equal ones; or none."""
    scored = [row for row in sentences if row["q2"] is not None]
    if not scored:
        return {}
    worst = min(scored, key=lambda row: (row["q2"], row["sentence"]))
    return {"worst_sentence": worst["sentence"], "worst_sentence_q2": worst["q2"]}


def _support(of_pair: Tables, knowledge: Sequence[str], weighting: str) -> Row:
    """Return the column of a reply's support by its judged claims; none if read as logged."""
    judged = judged_sentences(
        of_pair["sentence_entailment"], of_pair["spans"], of_pair["comparisons"]
    )
    if not judged:
        return {}
    return {"support": support(list(judged.values()), number_of_words(knowledge), weighting)}


def _scored(comparisons: Rows) -> Row:
    score = mean_over_questions(
        [
            Comparison(row["token_f1"], row["exact_match"], row["score"], row["verdict"])
            for row in comparisons
        ]
    )
    return {"q2": score.q2, "q2_without_nli": score.q2_without_nli, "status": "scored"}


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map all tables of the metric to one row for each pair (Q², section 2).

    A pair on which any stage failed gets ``status = error`` with the first reason.
    """
    grouped = {name: by_pair(sound(tables[name])) for name in _UPSTREAM}
    errors = first_errors(tables, _UPSTREAM)
    claims = claims_by_pair(tables["sentences"])
    without_question = [
        pair
        for pair in tables["pairs"]
        if pair["pair_id"] not in errors
        and claims[pair["pair_id"]].places
        and not grouped["comparisons"].get(pair["pair_id"])
    ]
    claim_texts = [read_claims(pair, parameters) for pair in without_question]
    judged = judge_responses(roles, claim_texts, tables["sentence_entailment"], parameters)
    fallback_judgements = {
        pair["pair_id"]: judgement for pair, judgement in zip(without_question, judged, strict=True)
    }
    rows: Rows = []
    for pair in tables["pairs"]:
        key = pair["pair_id"]
        of_pair = {name: grouped[name].get(key, []) for name in _UPSTREAM}
        judgement = fallback_judgements.get(key)
        if isinstance(judgement, Failure):
            errors[key] = f"scores: {judgement.reason}"
        if key in errors:
            result: Row = {"status": "error", "reason": errors[key]}
        elif isinstance(judgement, Judgement):
            result = _fallback(of_pair["spans"], of_pair["questions"], judgement)
            result |= _support(of_pair, pair["knowledge"], roles.support_weights)
        elif not claims[key].places:
            result = _no_claim(of_pair["sentence_scores"])
        else:
            result = _scored(of_pair["comparisons"])
            # A reply as logged is one sentence, so it has no worst one.
            if parameters["sentences"] is not None:
                result |= _worst(of_pair["sentence_scores"])
            result |= _support(of_pair, pair["knowledge"], roles.support_weights)
        verdicts = [row["verdict"] for row in of_pair["comparisons"]]
        counts = {
            "spans": len(of_pair["spans"]),
            "questions_generated": len(of_pair["questions"]),
            "questions": len(of_pair["comparisons"]),
            "no_answer": verdicts.count("no_answer"),
            "contradicted": verdicts.count("contradicted"),
        }
        rows.append(sound_row(SCORES, pair, result | counts))
    return rows


STAGE = Stage(
    SCORES,
    1,
    inputs=("pairs", *_UPSTREAM),
    roles=("entailment",),
    parameters=PARAMETERS,
    run=run,
    versions={"nli_by": NLI_BY_VERSION, "sentences": SUPPORT_VERSION},
)
