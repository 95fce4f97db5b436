"""Wrappings around the answer: tokens, thoughts and steps, a JSON object with the answer in it, quotation marks.

Models and the programs around them leave the first in a reply; programs that ask a model for JSON log
what it gave, and so the answer stands in a field, escaped.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import TypeAlias

from qsquared.method.plain.markup.offset_mapping import Edit, Mapped
from qsquared.method.plain.markup.patterns import pattern, words

_Node: TypeAlias = "tuple[int, int] | list[_Node] | dict[str, _Node] | None"

ANSWERS, _HIDDEN = words("answers"), words("hidden")
_BEFORE_OBJECT = re.compile(
    r"\A\s*(?=[\[{])|^[ \t]{0,20}```\w{0,10}[ \t]*\r?\n(?=\s{0,50}[\[{])|[:\n]\s{0,20}(?=\{\s{0,50}\")",
    re.MULTILINE,
)
_FENCE = re.compile(r"^[ \t]{0,20}```[ \t]*(?:\n|$)", re.MULTILINE)
_TRIED = 4
_PYTHON_FIELD = re.compile(
    r"'(\w{1,30})': (?:'((?:[^'\\]|\\.){0,20000})'|\"((?:[^\"\\]|\\.){0,20000})\")(?=[,}])"
)
_ESCAPED = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
)
_QUOTES = {'"': '"', "“": "”", "„": "“”", "«": "»", "'": "'", "‘": "’"}
_THOUGHTS = frozenset(words("thoughts"))
_WRITTEN_BREAK = re.compile(r"(?<!\\)(?<![A-Za-z]:)(?:\\r)?\\n")
_OBJECT = re.compile(r"(?:^|:)\s{0,20}(?:```\w{0,10}\s{0,5})?[\[{]\s{0,50}[\"'{\[]")
"""JSON, in which written line breaks are read with its strings."""
_BREAKS_A_LINE = re.compile(r"\\n\\n|[.!?,:]\\n")


def without_prompt(text: Mapped) -> Mapped:
    """Return a reply without tokens of models, thoughts, and the steps that led to its answer."""
    written = _BREAKS_A_LINE.search(text.text)
    if "\n" not in text.text and written and not _OBJECT.search(text.text, 0, written.start()):
        text = text.replaced(_WRITTEN_BREAK, "\n")
    text = text.edited(_thoughts(text.text))
    section = pattern("section").search(text.text)
    if section:
        text = text.part(*section.span(1))
    turn = _last(pattern("turn"), text)
    if turn and text.text[turn.end() :].strip():
        text = text.part(turn.end(), len(text.text))
    text = text.replaced(pattern("token"))
    if "[/" in text.text:
        text = text.replaced(pattern("forum_tag"))
    tags = list(pattern("answer_tag").finditer(text.text))
    alone = [tag[1] for tag in tags] == ["", "/"]
    if alone and pattern("other_tag").search(text.text, 0, tags[0].start()):
        # The one element that a prompt asked the answer to stand in.
        text = text.part(tags[0].start(), len(text.text))
    speaker = pattern("speaker").match(text.text)
    labels = speaker and speaker[0].rstrip(" *_").endswith(":")
    if speaker and not (labels and pattern("labelled").search(text.text, speaker.end())):
        text = text.part(speaker.end(), len(text.text))
    answer = _last(pattern("answer"), text) if pattern("steps").match(text.text) else None
    if answer:
        text = text.part(answer.start(), len(text.text))
    reasons = pattern("reasons").search(text.text) if pattern("answer").match(text.text) else None
    return text.part(0, reasons.start()) if reasons else text


def _last(sought: re.Pattern[str], text: Mapped) -> re.Match[str] | None:
    return max(sought.finditer(text.text), key=re.Match.start, default=None)


def _thoughts(text: str) -> list[Edit]:
    """Find thoughts; the beginning of the first may stand in the prompt."""
    edits: list[Edit] = []
    start: int | None = 0
    for mark in pattern("thought").finditer(text):
        if mark["name"].lower() not in _THOUGHTS:
            continue
        if not (mark["end"] or mark["ended"]):
            start = start or mark.start()
        elif start is not None:
            edits.append((start, mark.end(), ""))
            start = None
    return edits


def _bounds(text: str, start: int, strict: bool) -> tuple[tuple[int, int], int]:
    _, end = scanstring(text, start, strict)
    return (start, end - 1), end


_DECODER = json.JSONDecoder(
    # Of equal keys the first counts.
    object_pairs_hook=lambda pairs: {key.lower(): value for key, value in reversed(pairs)}
)
"""A decoder that gives the bounds of strings in place of the strings."""
_DECODER.parse_string = _bounds  # type: ignore[attr-defined]
_DECODER.scan_once = py_make_scanner(_DECODER)  # type: ignore[attr-defined]


def unwrapped(text: Mapped) -> Mapped:
    """Return a reply without its wrapping; the text itself where it has none."""
    for start, end, past in _objects(text.text):
        answers = _answers(text.text[start:end])
        if answers:
            parts = [text.part(0, start)]
            for first, last in answers:
                inside = text.part(start + first, start + last)
                parts += (inside.replaced(_ESCAPED, _read), inside.added("\n\n"))
            return Mapped.joined([*parts, text.part(past, len(text.text))])
    return _unquoted(text)


def _objects(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield the bounds of what may be an object with the answer, and where the text goes on."""
    for before in islice(_BEFORE_OBJECT.finditer(text), _TRIED):
        fence = _FENCE.search(text, before.end()) if "`" in before.group() else None
        if fence:
            yield before.end(), fence.start(), fence.end()
        elif text.rstrip().endswith(("}", "]")):
            yield before.end(), len(text), len(text)


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
        node, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return []
    return [] if text[end:].strip() or isinstance(node, tuple) else _shown(node, text)


def _shown(node: _Node, text: str) -> list[tuple[int, int]]:
    """Return the bounds of the strings of an answer."""
    if isinstance(node, tuple):
        return [node]
    if isinstance(node, list):
        return [bounds for child in node for bounds in _shown(child, text)]
    if not isinstance(node, dict):
        return []
    kind = node.get("type")
    if isinstance(kind, tuple) and text[slice(*kind)] in _HIDDEN:
        return []
    for name in ANSWERS:
        spans = _shown(node.get(name), text)
        if spans:
            return spans
    strings = [value for name, value in node.items() if isinstance(value, tuple) and name != "type"]
    return strings if len(strings) == 1 and " " in text[slice(*strings[0])].strip() else []


def _read(escape: re.Match[str]) -> str:
    """Return the character of an escape; half of a pair is no character."""
    try:
        character = str(json.loads(f'"{escape[0]}"'))
    except ValueError:
        # Python escapes more than JSON does, such as a single quotation mark.
        return escape[0][1:]
    return "\ufffd" if "\ud800" <= character <= "\udfff" else character
