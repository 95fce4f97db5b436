"""Lists of English words in ``words.toml``, from which examples are made."""

import tomllib
from pathlib import Path


def word_list(name: str) -> list[str]:
    """Return the words of a list, in its order."""
    path = Path(__file__).with_name("words.toml")
    words: list[str] = tomllib.loads(path.read_text(encoding="utf-8"))[name]
    return words
