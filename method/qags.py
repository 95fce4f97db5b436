"""QAGS (Wang et al. 2020): choose candidates and questions, and score the answers.

The paper's "summary" is the response here, its "source" the knowledge.
"""

import random
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from qsquared.method.q2.spans import extract_spans
from qsquared.method.q2.token_f1 import f1_of_tokens
from qsquared.records import GeneratedQuestion, ParsedText, Span

CANDIDATES = 10
"""Answer candidates of a response (section 5)."""

QUESTIONS_COMPARED = 20
"""K, the questions that make the score (section 5)."""

SHORTEST = 3
"""Questions of fewer tokens are left out (section 4)."""

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def answer_candidates(parsed: ParsedText, most: int = CANDIDATES) -> list[Span]:
    """Return up to so many named entities and noun phrases of the response, in the order of the text.

    The paper does not say which are taken where there are more: here the entities come first, then
    the noun phrases, each in the order of the text.
    """
    return extract_spans(parsed)[:most]


def why_not_asked(
    question: GeneratedQuestion, candidate: str, earlier: set[tuple[str, str]]
) -> str:
    """Return ``duplicate`` or ``short``, or empty if the question is asked; ``earlier`` grows with it.

    An equal question for another candidate is no duplicate: the round trip keeps it for the one
    candidate that answers it, so no question is kept twice, and none is lost because an earlier
    candidate asked it, too (the published code drops duplicates after the round trip).
    """
    words = question.question.split()
    key = (" ".join(words).lower(), normalise_answer(candidate))
    if key in earlier:
        return "duplicate"
    earlier.add(key)
    return "short" if len(words) < SHORTEST else ""


def normalise_answer(text: str) -> str:
    """Normalise as SQuAD does: lower case, no ASCII punctuation, no articles, single spaces."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def answer_f1(first: str | None, second: str | None) -> float:
    """Return token F1 of two answers after SQuAD's normalisation; 0 for a missing one (section 4)."""
    if first is None or second is None:
        return 0.0
    return f1_of_tokens(normalise_answer(first).split(), normalise_answer(second).split())


def same_answer(first: str | None, second: str | None) -> bool:
    """Whether two answers match exactly after SQuAD's normalisation; never if one is missing or empty."""
    if first is None or second is None:
        return False
    normalised = normalise_answer(first)
    return bool(normalised) and normalised == normalise_answer(second)


@dataclass(frozen=True, slots=True)
class Compared:
    """A kept question: its probability, its place among its pair's questions, and its two answers."""

    log_prob: float | None
    order: tuple[int, int]
    token_f1: float
    exact_match: bool


@dataclass(frozen=True, slots=True)
class QagsScore:
    """The mean over K questions, the mean over the questions asked, and the share of equal answers among the K."""

    qags: float
    unpadded: float
    exact_match: float
    questions: int


def most_probable(questions: Sequence[Compared], number: int) -> list[Compared]:
    """Return the K most probable questions (section 5).

    A generator that gives no probabilities (the rules of ``compact``) is taken by its own ranks:
    the best question of each candidate first.
    """

    def priority(question: Compared) -> tuple[float, int, int]:
        index, rank = question.order
        if question.log_prob is None:
            return (0.0, rank, index)
        return (-question.log_prob, index, rank)

    return sorted(questions, key=priority)[:number]


def score_answers(
    questions: Sequence[Compared], number: int = QUESTIONS_COMPARED, seed: int = 0
) -> QagsScore:
    """Compute QAGS from the compared answers (section 4, and equation 1 of section 3).

    Where there are fewer than ``number`` questions, more are drawn from them with replacement: the
    paper samples questions "to reach the required number" (section 5) and names neither the pool
    nor replacement. The draws depend on ``seed`` and the number of questions only.
    A question without an answer on the knowledge counts 0, as section 5 and table 6 have it.

    Raises:
        ValueError: there is no question.
    """
    if not questions:
        raise ValueError("a response without a question has no QAGS")
    chosen = most_probable(questions, number)
    drawn = random.Random(f"{seed}/{len(chosen)}").choices(
        range(len(chosen)), k=number - len(chosen)
    )
    padded = [*chosen, *(chosen[i] for i in drawn)]
    return QagsScore(
        fmean(question.token_f1 for question in padded),
        fmean(question.token_f1 for question in chosen),
        fmean(question.exact_match for question in padded),
        len(chosen),
    )
