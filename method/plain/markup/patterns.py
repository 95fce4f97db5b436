"""Patterns of markup, citations and sentence ends, and names of elements, as `patterns.toml` lists them."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_READ = tomllib.loads(
    files(__package__ or "").joinpath("patterns.toml").read_text(encoding="utf-8")
)


@dataclass(frozen=True, slots=True)
class Prose:
    """A pattern, and what is written in place of a match, or around its group."""

    pattern: re.Pattern[str]
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Element:
    """The Markdown in place of the tags of an element; one of its own is none of HTML."""

    begin: str
    end: str
    own: bool = False


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, or that of any pattern of a list, compiled once; the first that fits counts."""
    return re.compile(_joined(_READ["patterns"][name]), re.IGNORECASE)


def _joined(parts: str | list[str]) -> str:
    """Return patterns as one, with their fragments, which may hold further ones."""
    joined = parts if isinstance(parts, str) else f"(?:{'|'.join(parts)})"
    return re.sub("%([a-z_]+)%", lambda part: _joined(_READ["fragments"][part[1]]), joined)


def words(name: str) -> list[str]:
    """Return the words of a list, in order."""
    return str(_READ["words"][name]).split()


PROSE = [
    Prose(re.compile(_joined(entry.pop("pattern")), re.MULTILINE), **entry)
    for entry in _READ["prose"]
]
"""Prose that a parser of Markdown would read as markup, in the order in which it is rewritten."""
ELEMENTS = {
    name: Element(**entry) for entry in _READ["elements"] for name in entry.pop("names").split()
}
"""Elements by their names."""
