"""Q² as a plain loop: one response, one span, one question, one model call at a time.

The baseline of the benchmark and the oracle of the stages' parity test.
It shares with them the models and the definitions of answer cleaning and token F1, nothing else;
``docs/papers/q2.md`` says where it follows the paper and where the published code.

Each step beside the text (Honovich et al. 2021), in its order; QG is the paragraph "Question
Generation" of section 2, QA "Question Answering", AS "Answer Similarity and Final Scores", QF
"Question Filtering", LV "Lack of Valid Questions":

================  =====  ========================================  ==============================
step              place  text                                      loop
================  =====  ========================================  ==============================
spans             2, QG  named entities and noun phrases           entities, then noun chunks,
                                                                   without "I" and repetitions
questions         2, QG  the n best of a beam search, each span    the generator's, each text once
variant           2, QG  all n, or the first that passes           ``multi``, ``single``
round trip        2, QF  answer on the response is the span        the same, after the code's
                                                                   cleaning; no answer fails
personal subject  2, QF  "I" or "you" as the subject               the same, also of a passive
personal owner    2, QF  "my" or "your" is mentioned               the same, as a possessive
personal, DNLI    5.3    kept                                      ``leave_out_personal=False``
answer            2, QA  a span of the knowledge, or none          the best over the passages
no answer         2, AS  0                                         the same
perfect match     2, AS  1, by tokens                              F1 of 1
NLI, direction    2, AS  the knowledge's answer is the premise     the same
NLI, input        2, AS  each answer after the question            the same, with a full stop
NLI, value        2, AS  entailment 1, contradiction 0,            the same
                         neutral the token F1
response          2, AS  mean over its answer pairs                the same
without NLI       5.1    token F1 in the place of NLI              ``q2_without_nli``
fallback          2, LV  NLI of response and knowledge if no       the same
                         question is left: 1, 0.5 or 0
fallback, way     5.1    the knowledge is the premise              the same; section 2 says the
                                                                   reverse
================  =====  ========================================  ==============================
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qsquared.method.q2.token_f1 import clean_answer, token_f1
from qsquared.protocols import AnswerOnKnowledge
from qsquared.records import (
    Answer,
    Chunk,
    GeneratedQuestion,
    InferenceRequest,
    QuestionRequest,
    ReadingRequest,
    Span,
)
from qsquared.tasks.stage import Roles


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A kept question, its answer on the knowledge (or none), and its scores, 0 to 1."""

    span_start: int
    span: str
    rank: int
    question: str
    knowledge_answer: str | None
    score: float
    score_without_nli: float


@dataclass(frozen=True, slots=True)
class PairScore:
    """All decisions on a pair; the scores are ``None`` only where ``status`` is an error."""

    status: str
    q2: float | None
    q2_without_nli: float | None
    questions: tuple[AskedQuestion, ...]


def score_pair(
    response: str,
    knowledge: Sequence[str],
    models: Roles,
    variant: str = "single",
    *,
    leave_out_personal: bool = True,
) -> PairScore:
    """Score one response against its knowledge (Q², section 2).

    Args:
        response: the reply.
        knowledge: its passages, one or more.
        models: each is asked one request a call.
        variant: ``single`` keeps the first valid question of a span, ``multi`` every one.
        leave_out_personal: leave out questions about the speakers.
    """
    asked: list[AskedQuestion] = []
    for span in _spans(response, models):
        (questions,) = models.question_generation.generate([QuestionRequest(response, span)])
        for rank, question in _valid(response, span, questions, models, leave_out_personal):
            answer = _answer_on_knowledge(question, knowledge, models)
            f1 = 0.0 if answer is None else token_f1(span.text, answer)
            score = _with_nli(question, span.text, answer, f1, models)
            asked.append(AskedQuestion(span.start, span.text, rank, question, answer, score, f1))
            if variant == "single":
                break
    if not asked:
        fallback = _fallback(response, knowledge, models)
        return PairScore("fallback_nli", fallback, fallback, ())
    return PairScore(
        "scored",
        sum(question.score for question in asked) / len(asked),
        sum(question.score_without_nli for question in asked) / len(asked),
        tuple(asked),
    )


def _spans(response: str, models: Roles) -> Iterator[Span]:
    """Return named entities, then noun chunks; not "I", and no text twice."""
    (parsed,) = models.parser.parse([response])
    marked = [("entity", entity) for entity in parsed.entities]
    marked += [("noun_chunk", chunk) for chunk in parsed.noun_chunks]
    done: list[str] = []
    for kind, chunk in marked:
        start, end = _without_margins(response, chunk)
        text = response[start:end]
        if text == "" or text.lower() == "i" or text.lower() in done:
            continue
        done.append(text.lower())
        yield Span(start, end, text, kind, chunk.label)


def _without_margins(response: str, chunk: Chunk) -> tuple[int, int]:
    start, end = chunk.start, chunk.end
    while start < end and response[start].isspace():
        start += 1
    while start < end and response[end - 1].isspace():
        end -= 1
    return start, end


def _valid(
    response: str,
    span: Span,
    questions: Sequence[GeneratedQuestion],
    models: Roles,
    leave_out_personal: bool,
) -> Iterator[tuple[int, str]]:
    """Return the questions that the response answers with the span, by rank."""
    for rank, generated in enumerate(questions, start=1):
        question = generated.question
        if leave_out_personal and _personal(question, models):
            continue
        (answer,) = models.question_answering.answer([ReadingRequest(question, response)])
        if answer.text is None:
            continue
        cleaned = clean_answer(answer.text)
        if cleaned != "" and cleaned == clean_answer(span.text):
            yield rank, question


def _personal(question: str, models: Roles) -> bool:
    (parsed,) = models.parser.parse([question])
    for token in parsed.tokens:
        word = token.text.lower()
        if token.dep in {"nsubj", "nsubjpass"} and word in {"i", "you"}:
            return True
        if token.dep == "poss" and word in {"my", "your"}:
            return True
    return False


def _answer_on_knowledge(question: str, knowledge: Sequence[str], models: Roles) -> str | None:
    """Return the answer with the greatest margin over its passage's no-answer score."""
    reader = models.question_answering
    read = reader.answer_on_knowledge if isinstance(reader, AnswerOnKnowledge) else reader.answer
    best: Answer | None = None
    for passage in knowledge:
        (answer,) = read([ReadingRequest(question, passage)])
        if answer.text is None:
            continue
        margin = answer.score - answer.no_answer_score
        if best is None or margin > best.score - best.no_answer_score:
            best = answer
    return None if best is None else best.text


def _with_nli(question: str, span: str, answer: str | None, f1: float, models: Roles) -> float:
    """Return the score by NLI if the two answers differ; neutral leaves the token F1."""
    if answer is None or f1 == 1.0:
        return f1
    label = _nli(f"{question} {answer}.", f"{question} {span}.", models)
    if label == "entailment":
        return 1.0
    if label == "contradiction":
        return 0.0
    return f1


def _fallback(response: str, knowledge: Sequence[str], models: Roles) -> float:
    label = _nli(" ".join(knowledge), response, models)
    return {"entailment": 1.0, "neutral": 0.5, "contradiction": 0.0}[label]


def _nli(premise: str, hypothesis: str, models: Roles) -> str:
    (judgement,) = models.entailment.judge([InferenceRequest(premise, hypothesis)])
    return judgement.label
