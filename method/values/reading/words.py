"""The words of `words.toml`, from which values are read."""

import tomllib
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

WORDS: dict[str, Any] = tomllib.loads(
    files(__package__ or "").joinpath("words.toml").read_text(encoding="utf-8")
)


def any_of(words: Iterable[str]) -> str:
    """Return a pattern of words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))
