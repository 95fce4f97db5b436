"""Load the names and phrases of other programs' logs and prompts from ``vocabulary.toml``.

A pattern may stand in several lines, whose indentation does not count, and names another one of its
section in braces, as in ``{things}``.
One that begins with ``(?m)`` looks at lines; one in ``(?-i:…)`` heeds case.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

_NAMED = re.compile(r"\{([a-z_]+)\}")


class Vocabulary(dict[str, re.Pattern[str]]):
    """A section: lists of names, tables of names, and patterns, which heed no case and are compiled once."""

    def __init__(self, held: Mapping[str, Any]) -> None:
        super().__init__()
        self.held = held
        self.sets: dict[str, frozenset[str]] = {}

    def names(self, key: str) -> tuple[str, ...]:
        """Return a list of names in its order."""
        listed: tuple[str, ...] = self.held[key]
        return listed

    def set(self, key: str) -> frozenset[str]:
        """Return a list of names as a set."""
        if key not in self.sets:
            self.sets[key] = frozenset(self.held[key])
        return self.sets[key]

    def table(self, key: str) -> Mapping[str, str]:
        """Return a table of names."""
        table: Mapping[str, str] = self.held[key]
        return table

    def text(self, key: str) -> str:
        """Return a pattern with those that it names."""
        whole = "".join(map(str.strip, self.held[key].split("\n")))
        return _NAMED.sub(lambda named: self.text(named[1]).removeprefix("(?m)"), whole)

    def __missing__(self, key: str) -> re.Pattern[str]:
        """Return a pattern at its first use."""
        self[key] = re.compile(self.text(key), re.IGNORECASE)
        return self[key]


@cache
def vocabulary(section: str) -> Vocabulary:
    """Return a section of the vocabulary."""
    text = files("qsquared.storage.logs").joinpath("vocabulary.toml").read_text(encoding="utf-8")
    held = tomllib.loads(text)[section].items()
    return Vocabulary({key: tuple(one) if isinstance(one, list) else one for key, one in held})
