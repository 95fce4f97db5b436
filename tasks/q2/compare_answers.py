"""Stage ``comparisons``: the span against the answer on the knowledge (Q², section 2)."""

from collections.abc import Collection, Sequence
from dataclasses import asdict

from qsquared.method.begin.copies import is_sentence_of
from qsquared.method.plain.claims import claims_by_pair
from qsquared.method.q2.comparison import Comparison, compare_answers, entailment_request
from qsquared.method.q2.in_knowledge import clean_passages, stands_in
from qsquared.method.q2.second_look import (
    is_refuted,
    look_again,
    supported_word_for_word,
    verdict_on_span,
)
from qsquared.method.values.decide import decide
from qsquared.records import Failure, Judgement
from qsquared.storage.tables.registry import COMPARISONS
from qsquared.tasks.asking.replies import judge_each
from qsquared.tasks.asking.responses import nli_columns
from qsquared.tasks.rows import question_of, row_each, sound, span_of
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs, spans, questions and answers to scores and verdicts of the questions.

    With the parameter ``by_value`` answers that have values are compared by these first; with
    ``second_look`` the judge of the whole sentence is heard, too.
    """
    passages = {pair["pair_id"]: clean_passages(pair["knowledge"]) for pair in tables["pairs"]}
    spans = {span_of(row): row for row in sound(tables["spans"])}
    questions = {question_of(row): row["question"] for row in sound(tables["questions"])}
    answers = sound(tables["answers"])
    about = [spans[span_of(row)] for row in answers]
    asked = [
        (questions[question_of(row)], span["text"], row["knowledge_answer"])
        for row, span in zip(answers, about, strict=True)
    ]
    decisions = [
        decide(span, answer, question) if parameters["by_value"] and answer is not None else None
        for question, span, answer in asked
    ]
    requests = [
        entailment_request(*one, decision) for one, decision in zip(asked, decisions, strict=True)
    ]
    replies = iter(judge_each(roles, [request for request in requests if request is not None]))
    judgements = [next(replies) if request is not None else None for request in requests]
    compared = [
        judgement
        if isinstance(judgement, Failure)
        else compare_answers(span, answer, judgement, decision)
        for (_, span, answer), judgement, decision in zip(asked, judgements, decisions, strict=True)
    ]
    found_there = [stands_in(passages[span["pair_id"]], span["text"]) for span in about]
    if parameters["second_look"]:
        judged = sound(tables["sentence_entailment"])
        copied = _copied(tables, about, compared) if judged else set()
        compared = _looked_at_again(about, compared, found_there, judged, copied)
    rows = row_each(COMPARISONS, answers, compared, _columns)
    for row, judgement, decision, there in zip(
        rows, judgements, decisions, found_there, strict=True
    ):
        if row["error"] is None:
            row["value_relation"] = decision.relation if decision and decision.decides else None
            row["in_knowledge"] = there
            if isinstance(judgement, Judgement):
                row.update(nli_columns(judgement))
    return rows


def _columns(compared: Comparison) -> Row:
    return asdict(compared) | {"score_without_nli": compared.token_f1}


def _looked_at_again(
    spans: Rows,
    compared: Sequence[Comparison | Failure],
    in_knowledge: Sequence[bool],
    judged: Rows,
    copied: Collection[tuple[str, int]],
) -> list[Comparison | Failure]:
    """Return the comparisons with the judgements of their sentences in mind.

    Args:
        spans: the span of each comparison.
        compared: by the answers.
        in_knowledge: whether the words of each span stand in the knowledge.
        judged: sound rows of the table `sentence_entailment`.
        copied: pair and number of sentences that stand in the knowledge word for word.
    """
    sentences = [(span["pair_id"], span["sentence"]) for span in spans]
    of = {(row["pair_id"], row["sentence"]): row for row in judged}
    refuted = {
        sentence
        for sentence, span, one, there in zip(sentences, spans, compared, in_knowledge, strict=True)
        if isinstance(one, Comparison)
        and sentence in of
        and sentence not in copied
        and is_refuted(one, span["kind"], of[sentence]["entailment"], in_knowledge=there)
    }
    looked: list[Comparison | Failure] = []
    for sentence, span, one in zip(sentences, spans, compared, strict=True):
        if isinstance(one, Failure):
            looked.append(one)
            continue
        seen = one
        if sentence in copied and one.verdict == "contradicted":
            seen = supported_word_for_word(one)
        elif sentence in of:
            entailment, contradiction = of[sentence]["entailment"], of[sentence]["contradiction"]
            seen = look_again(one, entailment, contradiction, refuted=sentence in refuted)
        looked.append(verdict_on_span(seen, span["text"]))
    return looked


def _copied(
    tables: Tables, spans: Rows, compared: Sequence[Comparison | Failure]
) -> set[tuple[str, int]]:
    """Return the sentences of contradicted questions that stand in the knowledge word for word."""
    doubtful = {
        (span["pair_id"], span["sentence"])
        for span, one in zip(spans, compared, strict=True)
        if isinstance(one, Comparison) and one.verdict == "contradicted"
    }
    knowledge = {pair["pair_id"]: pair["knowledge"] for pair in tables["pairs"]}
    return {
        (pair, number)
        for pair, own in claims_by_pair(tables["sentences"]).items()
        for number, start, end in own.places
        if (pair, number) in doubtful and is_sentence_of(own.text.text[start:end], knowledge[pair])
    }


STAGE = Stage(
    COMPARISONS,
    2,
    inputs=("pairs", "sentences", "sentence_entailment", "spans", "questions", "answers"),
    roles=("entailment",),
    parameters=("by_value", "second_look"),
    run=run,
)
