"""Answer cleaning, token F1 and exact match, as in the code published with Q², and cleaned spans in passages.

The cleaning is not SQuAD's: it also drops "in" and "our", because answer spans of dialogue
responses often begin so.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_DROPPED = re.compile(r"\b(?:a|an|the|in|our)\b")
_SPACES = re.compile(" +")


def clean_answer(text: str) -> str:
    """Lower-case, drop ASCII punctuation and a/an/the/in/our, collapse spaces."""
    without = _DROPPED.sub(" ", text.lower().translate(_PUNCTUATION))
    return _SPACES.sub(" ", without).strip()


def exact_match(first: str, second: str) -> bool:
    """Whether two answers are equal after cleaning; two that clean to nothing are not."""
    cleaned = clean_answer(first)
    return bool(cleaned) and cleaned == clean_answer(second)


def token_f1(gold: str, predicted: str) -> float:
    """Return the token F1 of two answers after cleaning, 0 to 1 (Q², section 2; 0 if either is empty)."""
    return f1_of_tokens(clean_answer(gold).split(), clean_answer(predicted).split())


def f1_of_tokens(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Return the F1 of two bags of tokens, 0 to 1 (0 if either is empty)."""
    same = sum((Counter(gold) & Counter(predicted)).values())
    if same == 0:
        return 0.0
    precision = same / len(predicted)
    recall = same / len(gold)
    return 2 * precision * recall / (precision + recall)


def clean_passages(knowledge: Sequence[str]) -> list[str]:
    """Return the passages cleaned as answers are, for `stands_in`."""
    return [f" {' '.join(clean_answer(passage).split())} " for passage in knowledge]


def stands_in(cleaned: Sequence[str], span: str) -> bool:
    """Whether the words of a span follow each other in a passage, after cleaning.

    A span that cleans to nothing stands nowhere.
    """
    words = " ".join(clean_answer(span).split())
    return bool(words) and any(f" {words} " in passage for passage in cleaned)
