"""Whether the words of a span stand in the knowledge, whatever a question about them found there."""

from collections.abc import Sequence

from qsquared.method.q2.token_f1 import clean_answer


def clean_passages(knowledge: Sequence[str]) -> list[str]:
    """Return the passages cleaned as answers are, for `stands_in`."""
    return [f" {' '.join(clean_answer(passage).split())} " for passage in knowledge]


def stands_in(cleaned: Sequence[str], span: str) -> bool:
    """Whether the words of a span follow each other in a passage, after cleaning.

    A span that cleans to nothing stands nowhere.
    """
    words = " ".join(clean_answer(span).split())
    return bool(words) and any(f" {words} " in passage for passage in cleaned)
