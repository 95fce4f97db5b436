"""Q² of one reply from top to bottom, after section 2 of the paper (Honovich et al. 2021).

The paper's *response* is called the reply here, since a log has other responses, too.
A span that the reply repeats counts once, and the judge of step 6 takes the knowledge for the premise
(section 5.1; section 2 has it the other way round).
Each step is the function that ``q2 score --as-published`` runs, too; there the stages of
``tasks/q2/`` ask the models about many replies at once and keep every table.
It differs from this story in these points:

- ``q2 score`` gives a blank reply no score (its turn has the status ``empty_response``), and a reply
  on which a model fails the status ``error``.
- In the round trip of a reply above 4,000 characters ``q2 score`` reads only the sentences around
  the span.
- With the profile ``base`` a second, larger reader answers on the knowledge where the first is
  unsure.

By default ``q2 score`` also asks about claims only (``method/plain/``), compares answers by their
values (``method/values/``), and corrects a question's score by the judgement of its whole sentence
(``method/q2/second_look.py``).
In place of step 6's request on the whole texts it then takes the mean over the judged claims
(``tasks/end_to_end_nli.py``); docs/papers/q2.md has all deviations.

::

    from qsquared.language.models import build_models
    from qsquared.profiles.loading import get_profile

    models = build_models(get_profile("compact"))
    score = score_reply(
        "A checked bag may weigh up to 28 kilograms.",
        ["A checked bag on Petrel Air may weigh up to 23 kilograms."],
        models.parser,
        models.question_generation,
        models.question_answering,
        models.entailment,
    )
    print(score.q2, score.questions)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from qsquared.errors import ModelError
from qsquared.method.knowledge.excerpts import best_passage
from qsquared.method.q2.comparison import Comparison, compare_answers, entailment_request
from qsquared.method.q2.personal import is_personal
from qsquared.method.q2.roundtrip import Candidate, filter_questions, is_kept
from qsquared.method.q2.score import FALLBACK_SCORES, fallback_request, mean_over_questions
from qsquared.method.q2.spans import extract_spans
from qsquared.protocols import AnswerQuestions, GenerateQuestions, JudgeEntailment, ParseText
from qsquared.records import Failure, QuestionRequest, ReadingRequest

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ValidQuestion:
    """A question that the reply answers with one of its spans, and the knowledge's answer to it."""

    span: str
    question: str
    knowledge_answer: str | None
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class ReplyScore:
    """Q² of a reply, 0 to 1: the mean over its valid questions, or the fallback if it has none."""

    q2: float
    q2_without_nli: float
    questions: tuple[ValidQuestion, ...]


def score_reply(
    reply: str,
    knowledge: Sequence[str],
    parser: ParseText,
    generator: GenerateQuestions,
    reader: AnswerQuestions,
    judge: JudgeEntailment,
) -> ReplyScore:
    """Return Q² of a reply.

    Args:
        reply: the text to be checked.
        knowledge: one or more passages.
        parser: finds entities and noun phrases (spaCy).
        generator: the QG model, makes the questions about a span (T5; or rules over the parse).
        reader: the QA model, finds a question's answer in a text, or none (ALBERT).
        judge: the NLI model, compares two answers (RoBERTa).

    Raises:
        ValueError: there is no passage of knowledge.
        ModelError: a model gave no answer, as a server's may (`Failure`).
    """
    if not knowledge:
        raise ValueError("A reply without knowledge has no Q²; give one passage or more.")

    # 1. The informative spans of the reply: its named entities and noun phrases.
    (parse,) = parser.parse([reply])
    spans = extract_spans(parse)

    # 2. For each span, questions whose answer it is, best first.
    generated = _or_raise(generator.generate([QuestionRequest(reply, span) for span in spans]))
    candidates = []
    for number, (span, questions) in enumerate(zip(spans, generated, strict=True)):
        # The questions on one span are a group, of which one is kept; a stage names it by (pair, span).
        group = ("reply", number)
        for made in questions:
            personal = _is_personal(parser, made.question)
            candidates.append(Candidate(group, made.question, reply, span.text, personal=personal))

    # 3. The round trip: of each span, the first question that the reply itself answers with the span
    #    is valid; answer and span are compared word by word, in their order, without case,
    #    punctuation, articles and the like.
    #    Personal questions ("What do I like?") are left out, since no knowledge text can answer them.
    outcomes = filter_questions(candidates, lambda readings: _or_raise(reader.answer(readings)))
    valid = [
        candidate
        for candidate, outcome in zip(candidates, outcomes, strict=True)
        if is_kept(outcome)
    ]

    # 4. Each valid question is asked again, of the knowledge.
    # 5. The reply's answer is the span. The knowledge's is compared with it: no answer scores 0, an
    #    answer of the same words, in any order, 1 (their F1 is 1). Else the judge decides whether the
    #    knowledge's answer entails (1) or contradicts (0) the reply's; if neither, the score is the F1.
    compared = []
    for candidate in valid:
        question, span_text = candidate.question, candidate.span
        answers = reader.answer([ReadingRequest(question, passage) for passage in knowledge])
        _, answer = best_passage(_or_raise(answers))
        request = entailment_request(question, span_text, answer.text)
        judgement = None if request is None else _or_raise(judge.judge([request]))[0]
        comparison = compare_answers(span_text, answer.text, judgement)
        compared.append(ValidQuestion(span_text, question, answer.text, comparison))

    # 6. Q² is the mean over the valid questions. A reply without any is judged as a whole:
    #    entailed 1, neutral 0.5, contradicted 0.
    if not compared:
        judgement = _or_raise(judge.judge([fallback_request(reply, knowledge)]))[0]
        fallback = FALLBACK_SCORES[judgement.label]
        return ReplyScore(fallback, fallback, ())
    score = mean_over_questions([question.comparison for question in compared])
    return ReplyScore(score.q2, score.q2_without_nli, tuple(compared))


def _or_raise(results: Sequence[Result | Failure]) -> list[Result]:
    """Return the results of a model; raise a `ModelError` for one that it failed to give."""
    found: list[Result] = []
    for result in results:
        if isinstance(result, Failure):
            raise ModelError(
                f"A model gave no answer: {result.reason}",
                "Ask again, or score a log by q2 score, which goes on with the other replies.",
            )
        found.append(result)
    return found


def _is_personal(parser: ParseText, question: str) -> bool:
    """Whether a question has "I", "you", "my" or "your" as its subject or as possessive."""
    (parse,) = parser.parse([question])
    return is_personal(parse)
