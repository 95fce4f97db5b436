"""Values that the method and the models exchange: texts, requests, answers and judgements.

All offsets are character offsets into the original text, end exclusive.
"""

from dataclasses import dataclass, field
from typing import Literal, get_args

Label = Literal["entailment", "neutral", "contradiction"]
"""A label of natural language inference."""

Verdict = Literal["contradicted", "no_answer", "partial", "supported"]
"""The verdict on a question or a sentence, worst first (see the data dictionary)."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a parsed text; ``head`` is the index of its syntactic head (itself at a root)."""

    text: str
    start: int
    end: int
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    entity: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A named entity (``label`` is its type) or a noun chunk (``label`` is empty)."""

    start: int
    end: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class ParsedText:
    """A text with its tokens, sentence bounds (token indices), entities and noun chunks."""

    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[tuple[int, int], ...]
    entities: tuple[Chunk, ...]
    noun_chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """An informative span of a response; ``kind`` is ``entity`` or ``noun_chunk``."""

    start: int
    end: int
    text: str
    kind: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class QuestionRequest:
    """Ask for questions on ``context`` whose answer is ``span``."""

    context: str
    span: Span
    own_clause: bool = False
    """Whether questions are to be on the clause of the span alone; a neural generator decides itself."""


@dataclass(frozen=True, slots=True)
class GeneratedQuestion:
    """A question, best first in its list.

    ``log_prob`` is the sequence log-probability that ranked it (natural logarithm, length-normalised
    as the generator's beam search does), or ``None`` where the generator has none.
    ``form`` is ``beam``, or the name of the rule that made it.
    """

    question: str
    log_prob: float | None
    form: str


@dataclass(frozen=True, slots=True)
class ReadingRequest:
    """Ask for the answer to ``question`` in ``text``."""

    question: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An extractive answer, ``text is None`` where the model finds none.

    ``score`` is the logit sum of the best span, ``no_answer_score`` that of the no-answer choice;
    their difference against the model's threshold makes the decision (SQuAD 2.0).
    ``windows`` counts the overlapping windows that the text was read in.
    """

    text: str | None
    start: int | None
    end: int | None
    score: float
    no_answer_score: float
    windows: int


@dataclass(frozen=True, slots=True)
class InferenceRequest:
    """Ask whether ``premise`` entails ``hypothesis``."""

    premise: str
    hypothesis: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """Probabilities of the three NLI labels; they sum to one.

    ``quotation`` are the words of the premise that decide, where a judge names them.
    """

    entailment: float
    neutral: float
    contradiction: float
    quotation: str | None = field(default=None, kw_only=True)

    @property
    def label(self) -> Label:
        """The most probable label; on a tie the one named first in this class."""
        labels: tuple[Label, ...] = get_args(Label)
        return max(labels, key=lambda name: float(getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Similarity:
    """The match of the tokens of a candidate and a reference, -1 to 1 (BERTScore)."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Support:
    """Probability that a text supports a claim, and the number of pieces that were read."""

    probability: float
    pieces: int


@dataclass(frozen=True, slots=True)
class ReplyRequest:
    """Ask for the class of ``response``; ``previous`` is ``None`` for a first turn."""

    knowledge: str
    previous: str | None
    response: str


@dataclass(frozen=True, slots=True)
class ReplyClasses:
    """Probabilities of BEGIN's five classes (Dziri et al. 2021); they sum to one."""

    entailment: float
    hallucination: float
    off_topic: float
    generic: float
    contradiction: float


@dataclass(frozen=True, slots=True)
class RatingRequest:
    """Rate a response by a task of GLUE, alone or together with another text."""

    task: str
    response: str
    other: str | None = None


@dataclass(frozen=True, slots=True)
class Rating:
    """The result of a task: a probability or a number, and whether a text was cut to the window."""

    value: float
    cut: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """The answer to a request on which a model failed: the reason, as a sentence."""

    reason: str
