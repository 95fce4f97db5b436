"""N-gram baselines of Q² (section 5.1) and QAGS (section 5), computed by libraries, and the blend.

Each baseline compares the response with the knowledge as one text.

The blend of Q² with two views of the whole response goes beyond the paper.
Q² sees single facts and misses what holds them together; end-to-end NLI sees the whole response at
once and misses details; token overlap sees neither, and is the floor that both are measured against.
The mean of the three needs no weights that could have been fitted to anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any

from qsquared.errors import Q2Error
from qsquared.method.q2.score import FALLBACK_SCORES
from qsquared.method.q2.token_f1 import token_f1
from qsquared.records import Judgement


def _library(name: str) -> Any:
    """Import a module of the optional dependencies.

    Raises:
        Q2Error: it is not installed.
    """
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise Q2Error(
            f"The baselines need the package {name.split('.', maxsplit=1)[0].replace('_', '-')}, which is not "
            "installed.",
            "Install them with: pip install -e '.[evaluation]'",
        ) from error


def require_libraries(*names: str) -> None:
    """Check that some libraries are installed.

    Raises:
        Q2Error: one is not installed.
    """
    for name in names:
        _library(name)


def bleu(response: str, knowledge: str) -> float:
    """Return sentence BLEU-4 by sacrebleu, with its exponential smoothing and 13a tokens, 0 to 1."""
    score = _library("sacrebleu").sentence_bleu(response, [knowledge]).score / 100
    return min(1.0, float(score))


def rouge(response: str, knowledge: str) -> dict[str, float]:
    """Return ROUGE-1, -2 and -L F by rouge-score, with Porter's stemmer, 0 to 1."""
    scores = _rouge_scorer().score(knowledge, response)
    return {
        "rouge1": scores["rouge1"].fmeasure,
        "rouge2": scores["rouge2"].fmeasure,
        "rouge_l": scores["rougeL"].fmeasure,
    }


@lru_cache(maxsize=1)
def _rouge_scorer() -> Any:
    kinds = ["rouge1", "rouge2", "rougeL"]
    return _library("rouge_score.rouge_scorer").RougeScorer(kinds, use_stemmer=True)


class _NoSynonyms:
    """A substitute for WordNet, which NLTK would have to download."""

    @staticmethod
    def synsets(_word: str) -> Sequence[Any]:
        return ()


def meteor(response: str, knowledge: str) -> float:
    """Return METEOR by NLTK, matching equal words and equal stems, 0 to 1.

    The third way of matching, by WordNet's synonyms, needs a download and is left out, on every
    machine alike.
    """
    words = _library("nltk.tokenize").wordpunct_tokenize
    score = _library("nltk.translate.meteor_score").meteor_score
    return float(score([words(knowledge)], words(response), wordnet=_NoSynonyms()))


@dataclass(frozen=True, slots=True)
class Blend:
    """The blend and its three parts, each 0 to 1."""

    blend: float
    q2: float
    nli: float
    token_f1: float


def expected_nli(judgement: Judgement) -> float:
    """Return the end-to-end score's expected value under the judgement's probabilities.

    The paper's baseline scores the likeliest label: entailment 1, neutral 0.5, contradiction 0.
    """
    return (
        judgement.entailment * FALLBACK_SCORES["entailment"]
        + judgement.neutral * FALLBACK_SCORES["neutral"]
        + judgement.contradiction * FALLBACK_SCORES["contradiction"]
    )


def blend(q2: float, judgement: Judgement, response: str, knowledge: Sequence[str]) -> Blend:
    """Return the mean of Q², expected end-to-end NLI and token F1 of response and knowledge.

    Args:
        q2: Q² of the response, the fallback included.
        judgement: whether the knowledge entails the response.
        response: the reply.
        knowledge: its passages; they are joined by a space.
    """
    parts = (q2, expected_nli(judgement), token_f1(response, " ".join(knowledge)))
    return Blend(fmean(parts), *parts)
