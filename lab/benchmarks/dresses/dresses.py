"""Dresses: ways in which a chatbot writes what a plain reply says, as templates in ``dresses.toml``."""

import html
import json
import random
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

DRESSES: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("dresses.toml").read_text(encoding="utf-8")
)
"""Dress by name, with the forms of the reply in it between ⟨ and ⟩; some are combined of several."""

_SMALL = frozenset(
    {"The", "A", "An", "It", "He", "She", "They", "There", "This", "That", "In", "On", "One", "Its"}
)


def dressed(name: str, reply: str, drawn: random.Random) -> str:
    """Return a reply in a dress; where that changes some words only, they are drawn."""
    return re.sub("⟨(.*?)⟩", lambda form: _FORMS[form[1]](reply, drawn), DRESSES[name])


def _head(reply: str) -> str:
    return re.sub(r"[.!?]+$", "", reply)


def _lowered(reply: str) -> str:
    """Begin with a small letter, unless the first word is a name."""
    first = reply.split(" ", 1)[0]
    return reply[0].lower() + reply[1:] if first in _SMALL else reply


def _bold(reply: str, drawn: random.Random) -> str:
    words = reply.split(" ")
    start = drawn.randrange(len(words))
    end = min(len(words), start + drawn.randint(1, 3))
    return " ".join([*words[:start], f"**{' '.join(words[start:end])}**", *words[end:]])


def _strong(reply: str, drawn: random.Random) -> str:
    words = [html.escape(word) for word in reply.split(" ")]
    place = drawn.randrange(len(words))
    words[place] = f"<strong>{words[place]}</strong>"
    return " ".join(words)


_FORMS: dict[str, Callable[[str, random.Random], str]] = {
    "reply": lambda reply, _: reply,
    "ended": lambda reply, _: reply if reply.endswith((".", "!", "?")) else f"{reply}.",
    "lowered": lambda reply, _: _lowered(reply),
    "head": lambda reply, _: _head(reply),
    "lowered_head": lambda reply, _: _head(_lowered(reply)),
    "bold_head": lambda reply, drawn: _head(_bold(reply, drawn)),
    "stop": lambda reply, _: reply[len(_head(reply)) :],
    "quoted": lambda reply, _: json.dumps(reply)[1:-1],
    "html": lambda reply, _: html.escape(reply),
    "html_twice": lambda reply, _: html.escape(html.escape(reply)),
    "bold": _bold,
    "strong": _strong,
}
"""Forms of a reply: whole, ended by a stop, its head before the last stop, as JSON, as HTML, …"""
