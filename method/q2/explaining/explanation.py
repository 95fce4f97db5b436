"""The explanation of a response's score: its spans with their verdicts, its questions, the passages.

It is made of the stages' rows; terminal, pages, notebooks and exports show it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from qsquared.display import shorten
from qsquared.method.q2.explaining.attribution import UNASKED, Questioned, attribute, doubt, worst
from qsquared.method.q2.explaining.parts import (
    UNCHECKED,
    ExplainedQuestion,
    ExplainedSentence,
    ExplainedSpan,
    Mark,
    Segment,
    cut,
    of_row,
)
from qsquared.method.q2.spans import is_empty, telling
from qsquared.method.q2.token_f1 import clean_passages, stands_in
from qsquared.method.threshold import is_inconsistent

Row = Mapping[str, Any]

_QUOTED = 80
"""The characters of a sentence or a span that another sentence quotes."""
_DOUBTED = 2
"""The doubted spans that are named at most."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A response with everything that made its score.

    ``sources`` has the log's record of each passage (empty, or one for each).
    ``q2`` is None where the response was not scored; ``status`` and ``reason`` then say why.
    ``support`` is the probability that the knowledge supports all of it; None where there is none.
    """

    id: str | None
    history: tuple[str, ...]
    response: str
    knowledge: tuple[str, ...]
    sources: tuple[Mapping[str, Any], ...]
    q2: float | None
    q2_without_nli: float | None
    support: float | None
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

    def mark_response(self, *, unchecked: bool = False) -> list[Segment]:
        """Return the response with the verdicts on its spans.

        ``unchecked`` marks the spans without a valid question as `unchecked`, too.
        """
        marks: list[Mark] = [(s.start, s.end, s.verdict) for s in self.spans if s.verdict]
        if unchecked:
            checked = list(marks)
            marks += [
                (span.start, span.end, UNCHECKED)
                for span in self.spans
                if not any(span.start < end and start < span.end for start, end, _ in checked)
            ]
        return cut(self.response, marks)

    @property
    def questions_worst_first(self) -> list[ExplainedQuestion]:
        """The valid questions by their score, failed ones last."""
        return sorted(
            self.kept, key=lambda question: (question.score is None, question.score or 0.0)
        )

    @property
    def sentences_worst_first(self) -> list[ExplainedSentence]:
        """The sentences by support, without it by Q² or entailment; those that claim nothing last."""

        def weight(sentence: ExplainedSentence) -> tuple[bool, float]:
            measures = (sentence.support, sentence.q2, sentence.entailment)
            scores = [score for score in measures if score is not None]
            return not scores, scores[0] if scores else 0.0

        return sorted(self.sentences, key=weight)

    @property
    def quotes(self) -> bool:
        """Whether its judge quotes the knowledge."""
        return any(sentence.quotation for sentence in self.sentences)

    @property
    def pull_of(self) -> dict[int, float | None]:
        """The pull of each span, by its index."""
        return {span.span_index: span.pull for span in self.spans}

    @property
    def marked_knowledge(self) -> list[list[Segment]]:
        """The passages with the verdicts on the answers in them."""
        return [
            cut(
                passage,
                [
                    (start, question.knowledge_end or 0, question.verdict)
                    for question in self.kept
                    if question.passage == number
                    and (start := question.knowledge_start) is not None
                    and question.verdict
                ],
            )
            for number, passage in enumerate(self.knowledge)
        ]

    @property
    def counts_contradictions(self) -> bool:
        """Whether its contradictions count; those of a reply that is consistent as a whole do not."""
        leading = self.q2 if self.support is None else self.support
        return leading is None or is_inconsistent(leading)

    @property
    def support_in_words(self) -> str:
        """The support of the reply, the sentence that lowers it most and the words to check there, or nothing."""
        if self.support is None:
            return ""
        line = f"Support {self.support:.2f}"
        names = ", then ".join(f"“{shorten(span.text, _QUOTED)}”" for span in self.doubted)
        check = f" Check {names}." if names else ""
        judged = self._judged
        if len(judged) < 2:
            return f"{line}.{check}"
        least = judged[0]
        together = is_inconsistent(self.support) and not is_inconsistent(least.support or 0.0)
        lowered = (
            "; each sentence alone is above 0.5, the least sure"
            if together
            else ", lowered most by"
        )
        return f"{line}{lowered}: {shorten(least.text, _QUOTED)} ({least.support:.2f}).{check}"

    @property
    def doubted(self) -> list[ExplainedSpan]:
        """The spans that are likeliest wrong in the least supported sentence of an inconsistent reply.

        None is within another, and each is doubted as much at least as one that nothing was asked about.
        One whose words the knowledge has does not stand beside one whose words it lacks.
        """
        if self.support is None or not is_inconsistent(self.support) or not self._judged:
            return []
        sentence, passages = self._judged[0], clean_passages(self.knowledge)
        own = clean_passages([sentence.text])
        doubts: dict[ExplainedSpan, float] = {}
        known: set[ExplainedSpan] = set()
        for span in self.spans:
            # A span that an earlier sentence has, too, is listed there alone.
            within = sentence.start <= span.start < sentence.end or stands_in(own, span.text)
            if within and not is_empty(span.text):
                known |= {span} if stands_in(passages, span.text) else set()
                doubts[span] = doubt(_score(span, self.kept), stands_in=span in known)
        chosen: list[ExplainedSpan] = []
        order = sorted(doubts, key=lambda one: (-doubts[one], *telling(one.text, one.label)))
        for span in order:
            apart = all(span.text not in one.text and one.text not in span.text for one in chosen)
            alike = all((one in known) == (span in known) for one in chosen)
            if apart and alike and doubts[span] >= UNASKED and len(chosen) < _DOUBTED:
                chosen.append(span)
        return chosen

    @property
    def _judged(self) -> list[ExplainedSentence]:
        """The sentences with a support, the least supported first."""
        judged = [sentence for sentence in self.sentences if sentence.support is not None]
        return sorted(judged, key=lambda sentence: sentence.support or 0.0)

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as a plain JSON object, with the texts of the spans to check first."""
        plain = asdict(self) | {"doubted": [span.text for span in self.doubted]}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in plain.items()}

    def sentence(self) -> str:
        """Return the explanation as one line of text; spans to check that were asked about come first."""
        if self.q2 is None:
            return self.reason or self.status
        if self.status != "scored":
            return f"{self.reason or self.status} (NLI: {self.nli_label})"
        doubted = self.doubted
        spans = dict.fromkeys([*(span for span in doubted if span.pull), *self.pulls])
        parts = [_part(span, self.questions) for span in spans]
        if not parts and doubted:
            return (
                f"No question failed, but the judge doubts the sentence with {doubted[0].text!r}."
            )
        if not parts:
            return "The knowledge supports every checked part of the response."
        return "; ".join(parts) + "."


def _score(span: ExplainedSpan, kept: Sequence[ExplainedQuestion]) -> float | None:
    """Return the mean score of a span's valid questions; None where it has none."""
    scores = [
        one.score for one in kept if one.span_index == span.span_index and one.score is not None
    ]
    return fmean(scores) if scores else None


def _part(span: ExplainedSpan, questions: Sequence[ExplainedQuestion]) -> str:
    answers = [
        question.knowledge_answer
        for question in questions
        if question.span == span.text and question.verdict == span.verdict
    ]
    says = next((answer for answer in answers if answer), None)
    note = " although its words stand there" if span.in_knowledge else ""
    reasons = {
        "contradicted": f"is against the knowledge, which says {says!r}",
        "no_answer": f"has no answer to a question about it in the knowledge{note}",
        "partial": f"is only partly what the knowledge says ({says!r})",
        "supported": "is supported, its sentence less surely",
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
        score: `q2`, `q2_without_nli`, `support`, `status`, `reason` and `nli_label`.
        id: the turn's id.
        history: what was said before.
        sources: the log's record of each passage, if it has one.
        sentences: rows of `sentences` with the columns of `sentence_scores`, in order.
    """
    explained = tuple(
        of_row(ExplainedQuestion, row, decision=row["roundtrip"]) for row in questions
    )
    scored = [
        Questioned(question.span_index, question.score, question.verdict)
        for question in explained
        if question.score is not None and question.verdict is not None
    ]
    shares = {share.span_index: share for share in attribute(scored)}
    made = []
    for row in spans:
        share = shares.get(row["span_index"])
        about_span = [q for q in explained if q.span_index == row["span_index"]]
        made.append(
            of_row(
                ExplainedSpan,
                row,
                verdict=worst(question.verdict for question in about_span),
                pull=share.pull if share else None,
                without=share.without if share else None,
                # The round-trip decision on its first question.
                why_not=None if share else about_span[0].decision if about_span else "no_question",
                in_knowledge=any(question.in_knowledge for question in about_span),
            )
        )
    return of_row(
        Explanation,
        score,
        id=id,
        history=tuple(history),
        response=response,
        knowledge=tuple(knowledge),
        sources=tuple(sources) if len(sources) == len(knowledge) else (),
        spans=tuple(made),
        questions=explained,
        sentences=tuple(of_row(ExplainedSentence, row) for row in sentences),
    )
