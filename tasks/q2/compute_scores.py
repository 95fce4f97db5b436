"""Stages ``sentence_scores`` and ``scores``: the scores of each sentence and of each pair.

A sentence is scored by its questions and its entailment, a pair by its questions or the fallback.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from statistics import fmean

from qsquared.method.plain.claims import claims_by_pair
from qsquared.method.plain.kinds import CLAIMED, KINDS, OTHER_LANGUAGE
from qsquared.method.plain.reply import kind_of_reply
from qsquared.method.q2.comparison import Comparison
from qsquared.method.q2.explaining.attribution import worst
from qsquared.method.q2.score import FALLBACK_SCORES, score_response
from qsquared.method.q2.token_f1 import clean_passages, stands_in
from qsquared.method.support import (
    SUPPORT_VERSION,
    JudgedSentence,
    number_of_words,
    support,
    support_of_each,
)
from qsquared.records import Failure, Judgement, Verdict
from qsquared.storage.tables import SCORES, SENTENCE_SCORES
from qsquared.tasks.responses import NLI_BY_VERSION, PARAMETERS, judge_responses, read_claims
from qsquared.tasks.rows import by_pair, first_errors, sound, sound_row, span_of
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables

Key = tuple[str, int]
_VERDICTS: dict[str, Verdict] = {
    "entailment": "supported",
    "neutral": "partial",
    "contradiction": "contradicted",
}
"""The verdict on a claim without a valid question, by the label of the NLI model."""


def score_sentences(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map sentences, their entailment, spans and comparisons to one row for each sentence."""
    asked = questions_by_sentence(tables["spans"], tables["comparisons"])
    judged = {
        (row["pair_id"], row["sentence"]): row for row in sound(tables["sentence_entailment"])
    }
    passages = {pair["pair_id"]: clean_passages(pair["knowledge"]) for pair in tables["pairs"]}
    words = {pair["pair_id"]: number_of_words(pair["knowledge"]) for pair in tables["pairs"]}
    supports: dict[Key, float] = {}
    for pair_id, group in groupby(judged, key=itemgetter(0)):
        keys = list(group)
        claims = [judged_sentence(judged[key], asked.get(key, [])) for key in keys]
        each = support_of_each(claims, words[pair_id], roles.support)
        supports |= zip(keys, each, strict=True)
    rows: Rows = []
    for row in tables["sentences"]:
        key = (row["pair_id"], row["sentence"])
        scored = _sentence_row(row, asked.get(key, []), judged.get(key), supports.get(key))
        if not scored["questions"] and scored["verdict"]:
            claim = row["text"][row["claim_start"] : row["claim_end"]]
            # A small judge calls some words contradicted by the very words.
            if stands_in(passages[row["pair_id"]], claim):
                scored["verdict"] = "supported"
        rows.append(scored)
    return rows


def questions_by_sentence(spans: Rows, comparisons: Rows) -> dict[Key, Rows]:
    """Return the compared questions about the spans of each sentence."""
    sentences = {span_of(row): row["sentence"] or 0 for row in sound(spans)}
    questions: dict[Key, Rows] = defaultdict(list)
    for row in sound(comparisons):
        questions[row["pair_id"], sentences[span_of(row)]].append(row)
    return questions


def judged_sentence(judged: Row, questions: Rows) -> JudgedSentence:
    """Return a claim as support reads it, with its judgement and its questions.

    Args:
        judged: its row of ``sentence_entailment``.
        questions: its rows of ``comparisons``.
    """
    return JudgedSentence(
        judged["entailment"],
        judged["contradiction"],
        _q2(questions),
        all(row["in_knowledge"] for row in questions),
        len(questions),
    )


def _q2(questions: Rows) -> float | None:
    return fmean(row["score"] for row in questions) if questions else None


def _sentence_row(
    sentence: Row, questions: Rows, judged: Row | None, supported_by: float | None
) -> Row:
    verdict = worst(row["verdict"] for row in questions)
    if verdict is None and judged is not None:
        verdict = _VERDICTS[judged["nli_label"]]
    values: Row = {
        "kind": sentence["kind"],
        "q2": _q2(questions),
        "q2_without_nli": fmean(row["token_f1"] for row in questions) if questions else None,
        "questions": len(questions),
        "verdict": verdict if sentence["kind"] in CLAIMED else None,
    }
    if judged is not None:
        values |= {
            "entailment": judged["entailment"],
            "nli_label": judged["nli_label"],
            "support": supported_by,
        }
    return sound_row(SENTENCE_SCORES, sentence, values)


SENTENCES_STAGE = Stage(
    SENTENCE_SCORES,
    SUPPORT_VERSION,
    inputs=("pairs", "sentences", "sentence_entailment", "spans", "comparisons"),
    run=score_sentences,
    only_with="sentences",
)


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
    kind = kind_of_reply([row["kind"] for row in sentences])
    if kind == OTHER_LANGUAGE:
        return {"status": OTHER_LANGUAGE, "reason": NOT_ENGLISH, "reply_kind": kind}
    reason = f"The reply claims nothing ({_KIND_WORDS[kind]})."
    return {"status": "no_claim", "reason": reason, "reply_kind": kind}


def _worst(sentences: Rows) -> Row:
    """Return the sentence with the lowest Q², the first of equal ones; nothing where none has a Q²."""
    scored = [row for row in sentences if row["q2"] is not None]
    if not scored:
        return {}
    worst = min(scored, key=lambda row: (row["q2"], row["sentence"]))
    return {"worst_sentence": worst["sentence"], "worst_sentence_q2": worst["q2"]}


def _support(of_pair: Tables, knowledge: Sequence[str], weighting: str) -> Row:
    """Return the support of a reply by its judged sentences; a reply as logged has none."""
    asked = questions_by_sentence(of_pair["spans"], of_pair["comparisons"])
    judged = [
        judged_sentence(row, asked.get((row["pair_id"], row["sentence"]), []))
        for row in of_pair["sentence_entailment"]
    ]
    if not judged:
        return {}
    return {"support": support(judged, number_of_words(knowledge), weighting)}


def _scored(comparisons: Rows) -> Row:
    score = score_response(
        [
            Comparison(row["token_f1"], row["exact_match"], row["score"], row["verdict"])
            for row in comparisons
        ]
    )
    return {"q2": score.q2, "q2_without_nli": score.q2_without_nli, "status": "scored"}


def score_replies(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map all tables of the metric to one row for each pair (Q², section 2).

    A pair on which any stage failed gets ``status = error`` with the first reason.
    """
    grouped = {name: by_pair(sound(tables[name])) for name in _UPSTREAM}
    errors = first_errors(tables, _UPSTREAM)
    claims = claims_by_pair(tables["sentences"])
    uncovered = [
        pair
        for pair in tables["pairs"]
        if pair["pair_id"] not in errors
        and claims[pair["pair_id"]].places
        and not grouped["comparisons"].get(pair["pair_id"])
    ]
    read = [read_claims(pair, parameters) for pair in uncovered]
    replies = judge_responses(roles, read, tables["sentence_entailment"], parameters)
    fallback_judgements = {
        pair["pair_id"]: reply for pair, reply in zip(uncovered, replies, strict=True)
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
            result |= _support(of_pair, pair["knowledge"], roles.support)
        elif not claims[key].places:
            result = _no_claim(of_pair["sentence_scores"])
        else:
            result = _scored(of_pair["comparisons"])
            # A reply as logged is one sentence.
            if parameters["sentences"] is not None:
                result |= _worst(of_pair["sentence_scores"])
            result |= _support(of_pair, pair["knowledge"], roles.support)
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


REPLIES_STAGE = Stage(
    SCORES,
    1,
    inputs=("pairs", *_UPSTREAM),
    roles=("entailment",),
    parameters=PARAMETERS,
    run=score_replies,
    versions={"nli_by": NLI_BY_VERSION, "sentences": SUPPORT_VERSION},
)
