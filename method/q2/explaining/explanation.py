"""The explanation of a response's score: its spans with their verdicts, its questions, the passages.

It is made of the stages' rows; other rooms read these and show it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from qsquared.method.q2.explaining.attribution import Questioned, attribute, worst

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExplainedSpan:
    """An informative span with its verdict, or the reason why it has no question.

    Offsets are characters of the response, end exclusive.
    ``verdict`` is the worst among its valid questions, None where it has none (``why_not`` says why).
    ``pull`` and ``without`` are those of `SpanShare`; None without a valid question.
    ``in_knowledge`` tells that its words stand in the knowledge, whatever a question about it found.
    """

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
    ``decided_by`` and ``value_relation`` are those of the table `comparisons`.
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


@dataclass(frozen=True, slots=True)
class ExplainedSentence:
    """A sentence of a reply with its kind, its score and its verdict.

    Offsets are characters of the logged reply, end exclusive; ``text`` is plain.
    ``q2`` is the mean over its questions, ``entailment`` the NLI model's probability; each is None
    where there is none.
    """

    start: int
    end: int
    text: str
    kind: str
    q2: float | None
    entailment: float | None
    verdict: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A response with everything that made its score.

    ``sources`` has the log's record of each passage (empty, or one for each).
    ``q2`` is None where the response was not scored; ``status`` and ``reason`` then say why.
    """

    id: str | None
    history: tuple[str, ...]
    response: str
    knowledge: tuple[str, ...]
    sources: tuple[Mapping[str, Any], ...]
    q2: float | None
    q2_without_nli: float | None
    status: str
    reason: str | None
    nli_label: str | None
    spans: tuple[ExplainedSpan, ...]
    questions: tuple[ExplainedQuestion, ...]
    sentences: tuple[ExplainedSentence, ...] = ()

    @property
    def kept(self) -> tuple[ExplainedQuestion, ...]:
        """The valid questions, whose mean is Q²."""
        return tuple(question for question in self.questions if question.decision == "kept")

    @property
    def pulls(self) -> tuple[ExplainedSpan, ...]:
        """The spans that lower the score, the largest share first."""
        pulling = [span for span in self.spans if span.pull]
        return tuple(sorted(pulling, key=lambda span: (-(span.pull or 0.0), span.start)))

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as a plain JSON object."""
        plain = asdict(self)
        return {
            **plain,
            "history": list(self.history),
            "knowledge": list(self.knowledge),
            "sources": [dict(source) for source in self.sources],
            "spans": [asdict(span) for span in self.spans],
            "questions": [asdict(question) for question in self.questions],
            "sentences": [asdict(sentence) for sentence in self.sentences],
        }

    def sentence(self) -> str:
        """Return the explanation as one line of text."""
        if self.q2 is None:
            return self.reason or self.status
        if self.status != "scored":
            return f"{self.reason or self.status} (NLI: {self.nli_label})"
        parts = [_part(span, self.questions) for span in self.pulls]
        if not parts:
            return "The knowledge supports every checked part of the response."
        return "; ".join(parts) + "."


def _part(span: ExplainedSpan, questions: Sequence[ExplainedQuestion]) -> str:
    answers = [
        question.knowledge_answer
        for question in questions
        if question.span == span.text and question.verdict == span.verdict
    ]
    says = next((answer for answer in answers if answer), None)
    stands = " although its words stand there" if span.in_knowledge else ""
    reasons = {
        "contradicted": f"is against the knowledge, which says {says!r}",
        "no_answer": f"has no answer to a question about it in the knowledge{stands}",
        "partial": f"is only partly what the knowledge says ({says!r})",
        # The judgement of its sentence took a part of the score.
        "supported": "is supported, not surely",
    }
    why = reasons.get(span.verdict or "", f"is {span.verdict}")
    return f"{span.text!r} {why} (-{span.pull or 0.0:.2f})"


def explain(
    response: str,
    knowledge: Sequence[str],
    spans: Sequence[Row],
    questions: Sequence[Row],
    score: Row,
    *,
    id: str | None = None,  # noqa: A002 - the word of the tables
    history: Sequence[str] = (),
    sources: Sequence[Mapping[str, Any]] = (),
    sentences: Sequence[Row] = (),
) -> Explanation:
    """Join the rows of a response's stages.

    Args:
        response: the reply.
        knowledge: its passages.
        spans: rows with `span_index`, `start`, `end`, `text`, `kind`, `label`.
        questions: rows of the view `evidence`, in the order of span and rank.
        score: `q2`, `q2_without_nli`, `status`, `reason` and `nli_label`.
        id: the turn's id.
        history: what was said before.
        sources: the log's record of each passage, if it has one.
        sentences: rows of `sentences` with the columns of `sentence_scores`, in order.
    """
    explained = tuple(_question(row) for row in questions)
    shares = {
        share.span_index: share
        for share in attribute(
            [
                Questioned(question.span_index, question.score, question.verdict)
                for question in explained
                if question.score is not None and question.verdict is not None
            ]
        )
    }
    standing = {row["span_index"] for row in questions if row.get("in_knowledge")}
    made = []
    for row in spans:
        index = row["span_index"]
        share = shares.get(index)
        own = [question for question in explained if question.span_index == index]
        made.append(
            ExplainedSpan(
                row["start"],
                row["end"],
                row["text"],
                row["kind"],
                row["label"],
                worst(question.verdict for question in own),
                share.pull if share else None,
                share.without if share else None,
                None if share else _why_not(own),
                index in standing,
            )
        )
    return Explanation(
        id,
        tuple(history),
        response,
        tuple(knowledge),
        tuple(sources) if len(sources) == len(knowledge) else (),
        score.get("q2"),
        score.get("q2_without_nli"),
        score["status"],
        score.get("reason"),
        score.get("nli_label"),
        tuple(made),
        explained,
        tuple(map(_sentence, sentences)),
    )


def _sentence(row: Row) -> ExplainedSentence:
    return ExplainedSentence(
        row["start"],
        row["end"],
        row["text"],
        row["kind"],
        row["q2"],
        row["entailment"],
        row["verdict"],
    )


def _question(row: Row) -> ExplainedQuestion:
    return ExplainedQuestion(
        row["span_index"],
        row["span"],
        row["question"],
        row["roundtrip"],
        row["response_answer"],
        row["knowledge_answer"],
        row["passage"],
        row["knowledge_start"],
        row["knowledge_end"],
        row["nli_label"],
        row["verdict"],
        row["score"],
        row.get("decided_by"),
        row.get("value_relation"),
    )


def _why_not(questions: Sequence[ExplainedQuestion]) -> str:
    """Return the round-trip decision on a span's first question, or that it has none."""
    return questions[0].decision if questions else "no_question"
