"""Small text edits, such as a negation, which make unanswerable questions out of sound ones.

Each takes its own random generator and returns ``None`` where the text offers nothing to change.
"""

import random
import re

_NAME = re.compile(r"(?<=[a-z,;:()'\"] )(?:[A-Z][\w'-]+)(?: [A-Z][\w'-]+)*")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|should|does|do|did)\b(?! not\b|n't)"
)
_LONG_WORD = re.compile(r"\b[a-z]{5,}\b")


def names_in(text: str) -> list[str]:
    """Return capitalised runs that do not begin a sentence, instead of named entities."""
    return [match.group() for match in _NAME.finditer(text)]


def share_words(first: str, second: str) -> bool:
    """Whether two texts have a word in common, whatever its case."""
    return not set(first.lower().split()).isdisjoint(second.lower().split())


def negate(text: str, rng: random.Random) -> str | None:
    """Put a "not" after the first auxiliary, or take one away."""
    without = re.sub(
        r"(\b(?:is|are|was|were|has|have|had|can|could|will|would)) not\b", r"\1", text, count=1
    )
    if without != text:
        return without
    match = _AUXILIARY.search(text)
    if match is None:
        return None
    word = rng.choice(["not", "not", "never"])
    return f"{text[: match.end()]} {word}{text[match.end() :]}"


def misspell(text: str, rng: random.Random) -> str:
    """Swap two neighbouring letters inside one long word; names and numbers stay.

    A text without such a word comes back as it is.
    """
    words = list(_LONG_WORD.finditer(text))
    if not words:
        return text
    word = rng.choice(words)
    first = rng.randrange(word.start() + 1, word.end() - 2)
    return text[:first] + text[first + 1] + text[first] + text[first + 2 :]
