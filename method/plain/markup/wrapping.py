"""Wrappings around a whole reply: a JSON object with the answer in it, quotation marks.

Programs that ask a model for JSON log what it gave, and so the answer stands in a field, escaped.
"""

import json
import re
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import TypeAlias

from qsquared.method.plain.markup.mapped import Edit, Mapped

_Node: TypeAlias = "tuple[int, int] | list[_Node] | dict[str, _Node] | None"

ANSWERS = (
    "final_answer",
    "answer",
    "response",
    "reply",
    "output",
    "result",
    "message",
    "content",
    "parts",
    "choices",
    "text",
    *("answer_text", "response_text", "bot_response", "generated_text", "completion", "assistant"),
    *("fulfillmenttext", "speech", "markdown", "value", "body", "data"),
)
"""The fields of an object that hold an answer; the first that there is counts."""
_HIDDEN = frozenset(
    [
        *("tool_use", "tool_call", "tool_result", "function", "function_call"),
        *("thinking", "reasoning", "image", "image_url", "citation", "source"),
    ]
)
"""The types of parts of a message that are no text for people."""
_FENCED = re.compile(r"^[ \t]{0,20}```\w{0,10}[ \t]*\r?\n(?=\s{0,50}[\[{])", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]{0,20}```[ \t]*(?:\n|$)", re.MULTILINE)
_BEFORE_OBJECT = re.compile(r"[:\n]\s{0,20}(?=\{\s{0,50}\")")
_PYTHON_FIELD = re.compile(
    r"'(\w{1,30})': (?:'((?:[^'\\]|\\.){0,20000})'|\"((?:[^\"\\]|\\.){0,20000})\")(?=[,}])"
)
_ESCAPED = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
)
_QUOTES = {'"': '"', "“": "”", "„": "“”", "«": "»", "'": "'", "‘": "’"}


class _Decoder(json.JSONDecoder):
    """A decoder of JSON that gives the bounds of strings in place of the strings."""

    def __init__(self) -> None:
        """Read strings by their bounds, keys in lower case; of equal keys the first counts."""
        super().__init__(object_pairs_hook=_fields)
        self.parse_string = _bounds
        self.scan_once = py_make_scanner(self)


def _bounds(text: str, start: int, strict: bool) -> tuple[tuple[int, int], int]:
    _, end = scanstring(text, start, strict)
    return (start, end - 1), end


def _fields(pairs: list[tuple[str, _Node]]) -> dict[str, _Node]:
    found: dict[str, _Node] = {}
    for key, value in pairs:
        found.setdefault(key.lower(), value)
    return found


_DECODER = _Decoder()


def unwrapped(text: Mapped) -> Mapped:
    """Return a reply without its wrapping; the text itself where it has none."""
    for start, end, past in _objects(text.text):
        found = _answers(text.text[start:end])
        if found:
            parts = [_unfenced(text.part(0, start))]
            for first, last in found:
                inside = text.part(start + first, start + last)
                parts += (inside.edited(_escapes(inside.text)), inside.added("\n\n"))
            return Mapped.joined([*parts, text.part(past, len(text.text))])
    return _unquoted(text)


def _objects(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield the bounds of what may be an object with the answer, and where the text goes on."""
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] in ("{", "["):
        yield start, len(text), len(text)
    fenced = _FENCED.search(text)
    if fenced:
        end = _FENCE.search(text, fenced.end())
        yield fenced.end(), end.start() if end else len(text), end.end() if end else len(text)
    if text.rstrip().endswith("}"):
        before = _BEFORE_OBJECT.search(text)
        if before:
            yield before.end(), len(text), len(text)


def _unfenced(text: Mapped) -> Mapped:
    """Take the line off that opens a block of code at the end."""
    fence = text.text.rfind("```")
    return text.part(0, fence) if fence >= 0 and "\n" not in text.text[fence:].rstrip() else text


def _escapes(text: str) -> list[Edit]:
    return [(*match.span(), _read(match.group())) for match in _ESCAPED.finditer(text)]


def _unquoted(text: Mapped) -> Mapped:
    """Take quotation marks off that stand around the whole reply, and nowhere within it."""
    whole = text.stripped()
    inside = whole.text[1:-1]
    closing = _QUOTES.get(whole.text[:1], "")
    if not closing or len(whole.text) < 3 or whole.text[-1] not in closing:
        return text
    return text if set(inside) & {whole.text[0], *closing} else whole.part(1, len(whole.text) - 1)


def _answers(text: str) -> list[tuple[int, int]]:
    """Return the bounds of the answer within an object, without its quotation marks."""
    start = len(text) - len(text.lstrip())
    if text.startswith("{'", start) and text.rstrip().endswith("}"):
        fields = {
            m.group(1).lower(): m.span(m.lastindex or 0) for m in _PYTHON_FIELD.finditer(text)
        }
        return next(([fields[name]] for name in ANSWERS if name in fields), [])
    try:
        found, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return []
    return [] if text[end:].strip() or isinstance(found, tuple) else _shown(found, text)


def _shown(node: _Node, text: str) -> list[tuple[int, int]]:
    """Return the bounds of the strings of an answer."""
    if isinstance(node, tuple):
        return [node]
    if isinstance(node, list):
        return [bounds for one in node for bounds in _shown(one, text)]
    if not isinstance(node, dict):
        return []
    kind = node.get("type")
    if isinstance(kind, tuple) and text[slice(*kind)] in _HIDDEN:
        return []
    for name in ANSWERS:
        found = _shown(node.get(name), text)
        if found:
            return found
    strings = [one for name, one in node.items() if isinstance(one, tuple) and name != "type"]
    return strings if len(strings) == 1 and " " in text[slice(*strings[0])].strip() else []


def _read(escape: str) -> str:
    """Return the character of an escape; half of a pair is no character."""
    try:
        character = str(json.loads(f'"{escape}"'))
    except ValueError:
        # Python escapes more than JSON does, such as a single quotation mark.
        return escape[1:]
    return "\ufffd" if "\ud800" <= character <= "\udfff" else character
