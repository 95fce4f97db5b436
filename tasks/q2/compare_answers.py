"""Stage ``comparisons``: the span against the answer on the knowledge (Q², section 2)."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from qsquared.method.knowledge.copies import COPY
from qsquared.method.q2.comparison import Comparison, compare_answers, entailment_request
from qsquared.method.q2.second_look import (
    is_refuted,
    look_again,
    supported_word_for_word,
    verdict_on_span,
)
from qsquared.method.q2.token_f1 import clean_passages, stands_in
from qsquared.method.values.compare import Decision, decide
from qsquared.records import Failure, InferenceRequest, Judgement
from qsquared.storage.tables import COMPARISONS
from qsquared.tasks.end_to_end_nli import nli_columns
from qsquared.tasks.model_requests import judge_each
from qsquared.tasks.rows import question_of, row_each, sound, span_of
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables

Sentence = tuple[str, int]
"""A sentence's pair and its number there."""


@dataclass(slots=True)
class _Question:
    """A valid question with its span, its answer on the knowledge, and what decides between them."""

    text: str
    span: Row
    knowledge_answer: str | None
    in_knowledge: bool
    """Whether the words of the span stand in the knowledge."""
    decision: Decision | None = None
    """By the values of both answers, if they are asked for."""
    judgement: Judgement | Failure | None = None
    """By the NLI model, if it has to be asked."""

    @property
    def sentence(self) -> Sentence:
        return self.span["pair_id"], self.span["sentence"]

    def request(self) -> InferenceRequest | None:
        return entailment_request(
            self.text, self.span["text"], self.knowledge_answer, self.decision
        )

    def compare(self) -> Comparison | Failure:
        if isinstance(self.judgement, Failure):
            return self.judgement
        return compare_answers(
            self.span["text"], self.knowledge_answer, self.judgement, self.decision
        )

    def columns(self) -> Row:
        decision = self.decision
        relation = decision.relation if decision is not None and decision.decides else None
        columns: Row = {"value_relation": relation, "in_knowledge": self.in_knowledge}
        if isinstance(self.judgement, Judgement):
            columns |= nli_columns(self.judgement)
        return columns


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs, spans, questions and answers to scores and verdicts of the questions.

    With the parameter ``by_value`` answers that have values are compared by these first; with
    ``second_look`` the judge of the whole sentence is heard, too.
    """
    answers = sound(tables["answers"])
    questions = _questions(tables, answers)
    for question in questions:
        if parameters["by_value"] and question.knowledge_answer is not None:
            question.decision = decide(
                question.span["text"], question.knowledge_answer, question.text
            )
    requests = [(question, question.request()) for question in questions]
    asked = [(question, request) for question, request in requests if request is not None]
    judgements = judge_each(roles, [request for _, request in asked])
    for (question, _), judgement in zip(asked, judgements, strict=True):
        question.judgement = judgement
    compared = [question.compare() for question in questions]
    if parameters["second_look"]:
        judged = sound(tables["sentence_entailment"])
        compared = _apply_second_look(questions, compared, judged)
    rows = row_each(COMPARISONS, answers, compared, _columns)
    for row, question in zip(rows, questions, strict=True):
        if row["error"] is None:
            row.update(question.columns())
    return rows


def _questions(tables: Tables, answers: Rows) -> list[_Question]:
    """Return the questions of these rows of the table `answers`, in order."""
    passages = {pair["pair_id"]: clean_passages(pair["knowledge"]) for pair in tables["pairs"]}
    spans = {span_of(row): row for row in sound(tables["spans"])}
    texts = {question_of(row): row["question"] for row in sound(tables["questions"])}
    questions = []
    for row in answers:
        span = spans[span_of(row)]
        in_knowledge = stands_in(passages[row["pair_id"]], span["text"])
        questions.append(
            _Question(texts[question_of(row)], span, row["knowledge_answer"], in_knowledge)
        )
    return questions


def _columns(compared: Comparison) -> Row:
    # Without NLI a question scores its token F1 (section 2), so the two columns are always equal: one
    # has the paper's name of the score, the other tells what the score with NLI is made of.
    return asdict(compared) | {"score_without_nli": compared.token_f1}


def _apply_second_look(
    questions: Sequence[_Question],
    compared: Sequence[Comparison | Failure],
    judged: Rows,
) -> list[Comparison | Failure]:
    """Return the comparisons, corrected by the judgements of their sentences.

    Args:
        questions: the questions.
        compared: the comparison of each by its answers.
        judged: sound rows of the table `sentence_entailment`.
    """
    judged_sentences = {(row["pair_id"], row["sentence"]): row for row in judged}
    copied = {sentence for sentence, row in judged_sentences.items() if row["decided_by"] == COPY}
    refuted = {
        question.sentence
        for question, comparison in zip(questions, compared, strict=True)
        if isinstance(comparison, Comparison)
        and question.sentence in judged_sentences
        and question.sentence not in copied
        and is_refuted(
            comparison,
            question.span["kind"],
            judged_sentences[question.sentence]["entailment"],
            in_knowledge=question.in_knowledge,
        )
    }

    def corrected(question: _Question, comparison: Comparison) -> Comparison:
        sentence = question.sentence
        if sentence in copied and comparison.verdict == "contradicted":
            return supported_word_for_word(comparison)
        judgement = judged_sentences.get(sentence)
        if judgement is None:
            return comparison
        return look_again(
            comparison,
            judgement["entailment"],
            judgement["contradiction"],
            refuted=sentence in refuted,
        )

    return [
        comparison
        if isinstance(comparison, Failure)
        else verdict_on_span(corrected(question, comparison), question.span["text"])
        for question, comparison in zip(questions, compared, strict=True)
    ]


STAGE = Stage(
    COMPARISONS,
    2,
    inputs=("pairs", "sentence_entailment", "spans", "questions", "answers"),
    roles=("entailment",),
    parameters=("by_value", "second_look"),
    run=run,
)
