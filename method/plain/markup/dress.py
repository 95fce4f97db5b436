"""The patterns and names of `dress.toml`."""

import re
import tomllib
from importlib.resources import files

_DRESS = tomllib.loads(files(__package__ or "").joinpath("dress.toml").read_text(encoding="utf-8"))
_FRAGMENTS = {
    name: parts if isinstance(parts, str) else f"(?:{'|'.join(parts)})"
    for name, parts in _DRESS["fragments"].items()
}


def patterns(name: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a list."""
    return tuple(re.compile(_filled(one), re.IGNORECASE) for one in _DRESS["patterns"][name])


def _filled(pattern: str) -> str:
    """Return a pattern with its fragments, which may hold further ones."""
    return re.sub("%([a-z_]+)%", lambda part: _filled(_FRAGMENTS[part[1]]), pattern)


def matches(patterns: tuple[re.Pattern[str], ...], text: str) -> bool:
    """Whether one of some patterns matches the beginning of a text."""
    return any(pattern.match(text) for pattern in patterns)


def words(name: str) -> list[str]:
    """Return the words of a list, in order."""
    return str(_DRESS["words"][name]).split()
