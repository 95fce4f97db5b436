"""Stage ``sentence_scores``: the score of each sentence, by its questions and its entailment."""

from collections import defaultdict
from itertools import groupby
from operator import itemgetter
from statistics import fmean

from qsquared.method.plain.sentence_kinds import CLAIMED
from qsquared.method.q2.explaining.attribution import worst
from qsquared.method.q2.token_f1 import clean_passages, stands_in
from qsquared.method.support import (
    SUPPORT_VERSION,
    JudgedSentence,
    number_of_words,
    support_of_each,
)
from qsquared.records import Verdict
from qsquared.storage.tables import SENTENCE_SCORES
from qsquared.tasks.rows import sound, sound_row, span_of
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables

Key = tuple[str, int]
_VERDICTS: dict[str, Verdict] = {
    "entailment": "supported",
    "neutral": "partial",
    "contradiction": "contradicted",
}
"""The verdict on a claim without a valid question, by the label of the NLI model."""


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map sentences, their entailment, spans and comparisons to one row for each sentence."""
    asked = _questions_by_sentence(tables["spans"], tables["comparisons"])
    judged = {
        (row["pair_id"], row["sentence"]): row for row in sound(tables["sentence_entailment"])
    }
    claims = judged_sentences(tables["sentence_entailment"], tables["spans"], tables["comparisons"])
    passages = {pair["pair_id"]: clean_passages(pair["knowledge"]) for pair in tables["pairs"]}
    words = {pair["pair_id"]: number_of_words(pair["knowledge"]) for pair in tables["pairs"]}
    supports: dict[Key, float] = {}
    for pair_id, group in groupby(claims, key=itemgetter(0)):
        keys = list(group)
        of_pair = [claims[key] for key in keys]
        each = support_of_each(of_pair, words[pair_id], roles.support_weights)
        supports |= zip(keys, each, strict=True)
    rows: Rows = []
    for row in tables["sentences"]:
        key = (row["pair_id"], row["sentence"])
        scored = _row(row, asked.get(key, []), judged.get(key), supports.get(key))
        if not scored["questions"] and scored["verdict"]:
            claim = row["text"][row["claim_start"] : row["claim_end"]]
            # A small judge calls some words contradicted by the very words.
            if stands_in(passages[row["pair_id"]], claim):
                scored["verdict"] = "supported"
        rows.append(scored)
    return rows


def _questions_by_sentence(spans: Rows, comparisons: Rows) -> dict[Key, Rows]:
    """Return the compared questions about the spans of each sentence."""
    sentences = {span_of(row): row["sentence"] or 0 for row in sound(spans)}
    questions: dict[Key, Rows] = defaultdict(list)
    for row in sound(comparisons):
        questions[row["pair_id"], sentences[span_of(row)]].append(row)
    return questions


def judged_sentences(entailment: Rows, spans: Rows, comparisons: Rows) -> dict[Key, JudgedSentence]:
    """Return the claims as support reads them, each with its judgement and its questions.

    Args:
        entailment: rows of ``sentence_entailment``; a claim on which the judge failed has none.
        spans: the spans of the same replies.
        comparisons: the compared questions about these.
    """
    asked = _questions_by_sentence(spans, comparisons)
    judged: dict[Key, JudgedSentence] = {}
    for row in sound(entailment):
        key = (row["pair_id"], row["sentence"])
        questions = asked.get(key, [])
        judged[key] = JudgedSentence(
            row["entailment"],
            row["contradiction"],
            _q2(questions),
            all(question["in_knowledge"] for question in questions),
            len(questions),
        )
    return judged


def _q2(questions: Rows) -> float | None:
    return fmean(row["score"] for row in questions) if questions else None


def _row(sentence: Row, questions: Rows, judged: Row | None, support: float | None) -> Row:
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
            "support": support,
        }
    return sound_row(SENTENCE_SCORES, sentence, values)


STAGE = Stage(
    SENTENCE_SCORES,
    SUPPORT_VERSION,
    inputs=("pairs", "sentences", "sentence_entailment", "spans", "comparisons"),
    run=run,
    only_with="sentences",
)
