"""Small text edits that break a fact: another number, another name or a negation.

They make unanswerable questions and contradicted sentences out of sound ones.
Each takes its own random generator and returns ``None`` where the text offers nothing to change.
"""

import random
import re
import tomllib
from pathlib import Path


def word_list(name: str) -> list[str]:
    """Return the words of a list, in its order."""
    path = Path(__file__).with_name("words.toml")
    words: list[str] = tomllib.loads(path.read_text(encoding="utf-8"))[name]
    return words


_NUMBER = re.compile(r"\b\d[\d,.]*\b")
_NAME = re.compile(r"(?<=[a-z,;:()'\"] )(?:[A-Z][\w'-]+)(?: [A-Z][\w'-]+)*")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|should|does|do|did)\b(?! not\b|n't)"
)
_LONG_WORD = re.compile(r"\b[a-z]{5,}\b")
_NUMBER_WORDS = word_list("numbers")
_NUMBER_WORD = re.compile(r"\b(?:" + "|".join(_NUMBER_WORDS) + r")\b", re.IGNORECASE)


def names_in(text: str) -> list[str]:
    """Return capitalised runs that do not begin a sentence, instead of named entities."""
    return [match.group() for match in _NAME.finditer(text)]


def share_words(first: str, second: str) -> bool:
    """Whether two texts have a word in common, whatever its case."""
    return not set(first.lower().split()).isdisjoint(second.lower().split())


def change_number(text: str, rng: random.Random) -> str | None:
    """Replace one number, in digits or words, by another of about the same size."""
    digits = list(_NUMBER.finditer(text))
    if digits:
        match = rng.choice(digits)
        old = match.group().rstrip(".,")
        plain = re.sub(r"[,.]", "", old)
        if len(plain) > 9:
            return None
        step = rng.choice([1, 2, 3, 5, 7, 10, 20, 30, 100])
        new = str(max(0, int(plain) + rng.choice([-1, 1]) * step))
        if len(plain) == 4 and plain[0] in "12":
            new = str(int(plain) + rng.choice([-1, 1]) * rng.choice([1, 2, 3, 4, 6, 10, 13, 50]))
        if new == plain:
            new = str(int(plain) + 3)
        return text[: match.start()] + new + text[match.start() + len(old) :]
    words = list(_NUMBER_WORD.finditer(text))
    if not words:
        return None
    match = rng.choice(words)
    index = _NUMBER_WORDS.index(match.group().lower())
    lower = 15 if index >= 15 else 0
    upper = len(_NUMBER_WORDS) if index >= 15 else 15
    new = rng.choice([w for w in _NUMBER_WORDS[lower:upper] if w != match.group().lower()])
    return text[: match.start()] + new + text[match.end() :]


def change_name(
    text: str, pool: list[str], rng: random.Random, only: str | None = None
) -> str | None:
    """Replace one name (``only`` it, if given) everywhere by another name from ``pool``."""
    found = [only] if only else names_in(text)
    if not found or not pool:
        return None
    old = rng.choice(found)
    for _ in range(10):
        new = rng.choice(pool)
        if not share_words(new, old):
            return text.replace(old, new)
    return None


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
