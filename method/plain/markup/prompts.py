"""Tokens, thoughts and steps before the answer, which models and the programs around them leave in a reply."""

import re

from qsquared.method.plain.markup.dress import pattern, words
from qsquared.method.plain.markup.mapped import Edit, Mapped

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
