"""Wrappings around a whole reply: a JSON object with the answer in it, quotation marks.

Programs that ask a model for JSON log what it gave, and so the answer stands in a field, escaped.
"""

import json
import re
from typing import Any

from qsquared.method.plain.markup.mapped import Mapped

ANSWERS = (
    "final_answer",
    "answer",
    "response",
    "reply",
    "output",
    "result",
    "message",
    "content",
    "text",
)
"""The fields of an object that hold an answer; the first that there is counts."""
_FENCED = re.compile(r"\s*```\w{0,10}[ \t]*\r?\n(?=\s*\{)")
_FENCE = re.compile(r"\s*```\s*$")
_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPED = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
)
_QUOTES = {'"': '"', "“": "”", "„": "“”", "«": "»", "'": "'", "‘": "’"}
_DECODER = json.JSONDecoder()


def unwrapped(text: Mapped) -> Mapped:
    """Return a reply without its wrapping; the text itself where it has none."""
    bounds = _answer(text.text)
    if bounds is not None:
        inside = text.part(*bounds)
        escapes = [
            (*match.span(), _read(match.group())) for match in _ESCAPED.finditer(inside.text)
        ]
        return inside.edited(escapes)
    return _unquoted(text)


def _unquoted(text: Mapped) -> Mapped:
    """Take quotation marks off that stand around the whole reply, and nowhere within it."""
    whole = text.stripped()
    inside = whole.text[1:-1]
    closing = _QUOTES.get(whole.text[:1], "")
    if not closing or len(whole.text) < 3 or whole.text[-1] not in closing:
        return text
    return text if set(inside) & {whole.text[0], *closing} else whole.part(1, len(whole.text) - 1)


def _answer(text: str) -> tuple[int, int] | None:
    """Return the bounds of the answer within a JSON object, without its quotation marks."""
    fenced = _FENCED.match(text)
    end = _FENCE.search(text, max(0, len(text) - 20)) if fenced else None
    start = _after_space(text, fenced.end() if fenced else 0)
    if text[start : start + 1] != "{":
        return None
    try:
        found = _strings(text[: end.start()] if end else text, start)
    except (ValueError, IndexError, RecursionError):
        return None
    return next((found[name] for name in ANSWERS if name in found), None)


def _strings(text: str, start: int) -> dict[str, tuple[int, int]]:
    """Return key → bounds of each string at the top of the object that begins at ``start``.

    Raises:
        ValueError: it is no object, or something follows it.
        IndexError: it has no end.
    """
    found: dict[str, tuple[int, int]] = {}
    place = _after_space(text, start + 1)
    while text[place] == '"':
        key, place = _value(text, place)
        place = _after_space(text, place)
        if text[place] != ":":
            raise ValueError("a key has no value")
        first = _after_space(text, place + 1)
        value, end = _value(text, first)
        if isinstance(value, str):
            found.setdefault(key.lower(), (first + 1, end - 1))
        place = _after_space(text, end)
        if text[place] != ",":
            break
        place = _after_space(text, place + 1)
    if text[place:].strip() != "}":
        raise ValueError("the object does not end the text")
    return found


def _value(text: str, place: int) -> tuple[Any, int]:
    return _DECODER.raw_decode(text, place)


def _after_space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place


def _read(escape: str) -> str:
    """Return the character of an escape; half of a pair is no character."""
    character = str(json.loads(f'"{escape}"'))
    return "\ufffd" if "\ud800" <= character <= "\udfff" else character
