"""The parts of an explanation: a span, a question and a sentence, each with its verdict.

Their fields are columns of the export, by their types (storage/outputs/exports.py): a verdict is a
plain text here.

Segments are the parts of a text between the edges of its marks, to show it with them.
"""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from qsquared.method.q2.explaining.attribution import worst

Part = TypeVar("Part")


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


def of_row(kind: type[Part], row: Mapping[str, Any], **more: Any) -> Part:
    """Make a part of the columns of a row that it has as fields."""
    return kind(**{field.name: row.get(field.name) for field in fields(kind)} | more)  # type: ignore[arg-type]


UNCHECKED = "unchecked"
"""The mark of a span without a valid question; every verdict hides it."""

Mark = tuple[int, int, str]
"""First character, character after the last, and verdict of a marked part of a text."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a text and the verdict that marks it, which is empty where there is no mark."""

    text: str
    verdict: str = ""


def cut(text: str, marks: Iterable[Mark]) -> list[Segment]:
    """Cut a text at its marks; where they overlap, the gravest verdict counts."""
    kept = [mark for mark in marks if 0 <= mark[0] < mark[1] <= len(text)]
    edges = sorted({0, len(text), *(edge for start, end, _ in kept for edge in (start, end))})
    segments: list[Segment] = []
    for start, end in itertools.pairwise(edges):
        over = {verdict for first, last, verdict in kept if first <= start and end <= last}
        gravest = worst(over) or (UNCHECKED if UNCHECKED in over else "")
        if segments and segments[-1].verdict == gravest:
            segments[-1] = Segment(segments[-1].text + text[start:end], gravest)
        else:
            segments.append(Segment(text[start:end], gravest))
    return segments


def shorten(segments: list[Segment], around: int) -> list[Segment]:
    """Cut long unmarked parts to so many characters beside the marks, with `…` for the rest."""
    short = []
    for number, segment in enumerate(segments):
        head = 0 if number == 0 else around
        tail = 0 if number == len(segments) - 1 else around
        if len(segments) == 1:
            head = around
        if segment.verdict or len(segment.text) <= head + tail + 1:
            short.append(segment)
            continue
        short.append(Segment(segment.text[:head] + " … " + (segment.text[-tail:] if tail else "")))
    return short
