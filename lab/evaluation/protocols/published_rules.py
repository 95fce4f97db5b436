"""Word measures by the rules of the papers' published code, as rows beside our own measures.

They are computed from the texts of the items alone, so no store holds them.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from qsquared.evaluation.measured import PUBLISHED_RULES, Measured
from qsquared.method.q2.token_f1 import f1_of_tokens

OVERLAP = f"overlap_f1{PUBLISHED_RULES}"
BLEU = f"bleu{PUBLISHED_RULES}"
OF_Q2 = (OVERLAP, BLEU)
"""The overlap and the BLEU of Q²'s code (Honovich et al. 2021, table 2)."""

OF_QAGS = ("bleu-1", "bleu-2", "bleu-3")
"""BLEU of lower orders (Wang et al. 2020, table 1), ours against the article."""


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    import spacy  # the package of the parser; its start takes a second

    return spacy.blank("en")


def published_overlap(response: str, knowledge: str) -> float:
    """Return the token F1 of lower-cased texts without spaCy's stop words and punctuation."""
    kept = [
        [word.text for word in _tokenizer()(text.lower()) if not (word.is_stop or word.is_punct)]
        for text in (knowledge, response)
    ]
    return f1_of_tokens(*kept)


def published_bleu(response: str, knowledge: str) -> float:
    """Return BLEU of a corpus of this one pair against lower-cased knowledge, 0 to 1."""
    from sacrebleu import corpus_bleu

    return float(corpus_bleu([response], [[knowledge.lower()]]).score) / 100


def bleu_of_order(order: int) -> Callable[[str, str], float]:
    """Return the sentence BLEU of n-grams up to an order, smoothed as the measure `bleu` is."""
    from sacrebleu.metrics import bleu as library

    metric = library.BLEU(effective_order=True, max_ngram_order=order)

    def bleu(response: str, knowledge: str) -> float:
        return min(1.0, float(metric.sentence_score(response, [knowledge]).score) / 100)

    return bleu


def with_published_rules(measured: Measured) -> Measured:
    """Add the overlap and BLEU of Q²'s published code."""
    return _with(measured, {OVERLAP: published_overlap, BLEU: published_bleu})


def with_lower_orders(measured: Measured) -> Measured:
    """Add BLEU-1 to BLEU-3."""
    return _with(
        measured, {name: bleu_of_order(order) for order, name in enumerate(OF_QAGS, start=1)}
    )


def _with(measured: Measured, rules: Mapping[str, Callable[[str, str], float]]) -> Measured:
    """Compute measures of all items that have both texts."""
    texts = [(item.response, item.knowledge) for item in measured.items]
    derived = {
        name: np.array([rule(*both) if all(map(str.strip, both)) else np.nan for both in texts])
        for name, rule in rules.items()
    }
    return replace(measured, derived={**measured.derived, **derived})
