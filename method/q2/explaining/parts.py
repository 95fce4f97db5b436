"""The parts of an explanation: a span, a question and a sentence, each with its verdict.

Their fields are columns of the export, by their types (storage/outputs/exports.py): a verdict is a
plain text here.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExplainedSpan:
    """An informative span with its verdict, or the reason why it has no question.

    Offsets are characters of the response, end exclusive.
    ``verdict`` is the worst among its valid questions, None where it has none (``why_not`` says why).
    ``pull`` and ``without`` are those of `SpanShare`; None without a valid question.
    ``in_knowledge`` tells that its words stand in the knowledge, whatever a question about it found.
    """

    span_index: int
    start: int
    end: int
    text: str
    kind: str
    label: str | None
    verdict: str | None
    pull: float | None = None
    without: float | None = None
    why_not: str | None = None
    in_knowledge: bool = False


@dataclass(frozen=True, slots=True)
class ExplainedQuestion:
    """A question about a span; ``decision`` is that of the round trip, `kept` if it counts.

    ``passage`` is the index of the passage that holds ``knowledge_answer``, from 0, and the offsets
    are characters of that passage.
    ``decided_by``, ``value_relation`` and ``in_knowledge`` are those of the table `comparisons`.
    """

    span_index: int
    span: str
    question: str
    decision: str
    response_answer: str | None
    knowledge_answer: str | None
    passage: int | None
    knowledge_start: int | None
    knowledge_end: int | None
    nli_label: str | None
    verdict: str | None
    score: float | None
    decided_by: str | None = None
    value_relation: str | None = None
    in_knowledge: bool | None = None


@dataclass(frozen=True, slots=True)
class ExplainedSentence:
    """A sentence of a reply with its kind, its score and its verdict.

    Offsets are characters of the logged reply, end exclusive; ``text`` is plain.
    ``q2`` is the mean over its questions, ``entailment`` the NLI model's probability, ``support`` the
    probability by both, ``certainty`` that of the kind, ``quotation`` the words of the knowledge that
    decide, by a judge that quotes; each is None where there is none.
    """

    sentence: int
    start: int
    end: int
    text: str
    kind: str
    q2: float | None
    entailment: float | None
    verdict: str | None
    support: float | None = None
    certainty: float | None = None
    quotation: str | None = None
