"""Word lists that decide between wh-words (``words.toml``)."""

import tomllib
from importlib.resources import files
from typing import Any

_READ: dict[str, Any] = tomllib.loads(
    files(__package__ or "").joinpath("words.toml").read_text(encoding="utf-8")
)
WORDS = {name: frozenset(words.split()) for name, words in _READ.items() if isinstance(words, str)}
"""The lists by their names in the file."""

IRREGULAR_PASTS: dict[str, str] = _READ["irregular_pasts"]
OBJECT_PRONOUNS: dict[str, str] = _READ["object_pronouns"]
