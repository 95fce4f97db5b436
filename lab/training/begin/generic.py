"""Generic replies from a phrase grammar, in place of low-temperature generation (BEGIN, section 4).

The paper samples generic replies from a language model at a low temperature, which gives phrases that
fit anything.
A small phrase grammar stands in for it: agreement, ignorance, feeling, a
question back, an echo of a word of the turn before.
"""

import random
import re
import tomllib
from pathlib import Path
from typing import Any

PHRASES: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8")
)
"""Phrases of all silver examples."""

_SAID: dict[str, list[str]] = PHRASES["generic"]

_WORD = re.compile(r"[A-Za-z]{5,}")


def generic_reply(previous: str, rng: random.Random) -> str:
    """Return a reply that fits almost any turn; a word of the turn before may come back in it."""
    parts = []
    if rng.random() < 0.5:
        parts.append(rng.choice(_SAID["yes"]))
    words = [w.lower() for w in _WORD.findall(previous) if w.lower() not in _SAID["empty"]]
    kinds = ["ignorance", "feeling", "feeling", "remark", "remark", "question"]
    kinds += ["echo", "echo"] if words else []
    for _ in range(1 if rng.random() < 0.55 else 2):
        phrase = rng.choice(_SAID[rng.choice(kinds)])
        parts.append(
            phrase.format(
                degree=rng.choice(_SAID["degree"]),
                quality=rng.choice(_SAID["quality"]),
                word=rng.choice(words) if words else "it",
            )
        )
    text = parts[0]
    for part in parts[1:]:
        joint = (
            ". " if text.endswith(("?", "!")) else rng.choice((", ", ", ", ". ", "! ", ", but "))
        )
        text = f"{text.rstrip('?!') if joint == '. ' and rng.random() < 0.2 else text}{joint}{part}"
    return _as_typed(re.sub(r"([?!])\.", r"\1", text), rng)


def _as_typed(text: str, rng: random.Random) -> str:
    if not text.endswith("?") and rng.random() < 0.6:
        text += rng.choice((".", ".", "!"))
    if rng.random() < 0.5:
        text = re.sub(r"(^|[.!?] )([a-z])", lambda m: m.group(1) + m.group(2).upper(), text)
        text = re.sub(r"\bi\b", "I", text)
    if rng.random() < 0.25:
        text = re.sub(r"([.,!?])", r" \1", text)
    return text
