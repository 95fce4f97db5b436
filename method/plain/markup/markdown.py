"""Lines of a reply in Markdown, read by pulldown-cmark: their words, without the marks.

CommonMark reads some prose as markup, which `_as_prose` settles before the parser reads it: an indented
line is no code, "1986." begins no list and "a)" begins one, a fence holds prose, a rule below a
sentence makes no heading of it, "[Note]:" names no address, and "<" opens no tag (HTML was read before).
"""

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from pyromark import Options, events_with_range

from qsquared.method.plain.markup.offset_mapping import Edit, Mapped
from qsquared.method.plain.markup.patterns import PROSE, pattern

TEXT, HEADING, SOURCE = "text", "heading", "source"
CITED = "\ue200\ue201"
"""Stands in place of a citation that a parser has read; `blocks.py` takes it out."""
BAR = "\x1f"
"""Stands between two cells of a row."""

_OPTIONS = Options.ENABLE_TABLES | Options.ENABLE_FOOTNOTES | Options.ENABLE_STRIKETHROUGH
_WORDS_OF_TITLE, WORDS_OF_HEADING = 12, 6
ENDED = re.compile(r"[.!?…][\"'”’)\]*_]*\s*$")


@dataclass(slots=True)
class Line:
    """A line of words; ``begins`` tells that it does not go on with the paragraph above.

    ``strong`` tells that all its words are bold, ``linked`` that they are links but for a label.
    """

    text: Mapped
    kind: str = TEXT
    begins: bool = True
    item: bool = False
    strong: bool = False
    linked: bool = False


def read_lines(text: Mapped) -> list[Line]:
    """Return the lines of a text that hold words, in order."""
    prose = _as_prose(text)
    byte_offsets = accumulate((len(character.encode()) for character in prose.text), initial=0)
    character_at = {byte: number for number, byte in enumerate(byte_offsets)}
    reader = _Reader(prose)
    for event, span in events_with_range(prose.text, options=_OPTIONS):
        reader.read(event, character_at[span["start"]], character_at[span["end"]])
    return reader.lines


def _as_prose(text: Mapped) -> Mapped:
    for prose in PROSE:
        edits: list[Edit] = []
        for match in prose.pattern.finditer(text.text):
            (start, end), group = match.span(), match.lastindex or 0
            inner, past = match.span(group) if group else (end, end)
            edits += [(start, inner, prose.before), (past, end, prose.after)]
        text = text.edited(edits)
    return text


class _Reader:
    """Collects the lines of one parse."""

    def __init__(self, prose: Mapped) -> None:
        self.lines: list[Line] = []
        self._prose = prose
        self._parts: list[Mapped] = []
        self._line = Line(prose.part(0, 0))
        self._kind = TEXT
        self._opened: list[int] = []
        self._strong = self._lists = 0
        self._weak: list[str] = []
        self._unlinked: list[str] = []

    def read(self, event: Any, start: int, end: int) -> None:
        """Read an event of the parser, with the bounds of its characters."""
        name, value = (event, "") if isinstance(event, str) else next(iter(event.items()))
        tag = value if isinstance(value, str) else next(iter(value))
        if name in ("Text", "Code", "InlineHtml", "Html"):
            self._words(value, start, end)
        elif name == "FootnoteReference":
            self._add(start, end, CITED)
        elif name in ("SoftBreak", "HardBreak"):
            self._end_line(begins=False)
        elif tag in ("Emphasis", "Strong"):
            self._strong += (tag == "Strong") * (1 if name == "Start" else -1)
            self._keep_mark(tag, start, end, opens=name == "Start")
        elif tag in ("Link", "Image", "Strikethrough"):
            self._open_or_close(tag, start, end, opens=name == "Start")
        elif tag == "TableCell":
            if name == "Start" and self._parts:
                self._add(start - 1, start, BAR)
        else:
            self._end_line()
            self._begin_block(tag, opens=name == "Start")

    def _begin_block(self, tag: str, *, opens: bool) -> None:
        if tag in ("Heading", "TableHead", "FootnoteDefinition"):
            self._kind = (SOURCE if tag == "FootnoteDefinition" else HEADING) if opens else TEXT
        if tag == "List":
            if opens and self._lists and self.lines and self.lines[-1].item:
                # "- **Opening hours**", with its items below.
                self.lines[-1].kind = HEADING if self.lines[-1].strong else TEXT
            self._lists += 1 if opens else -1
        self._line.item = opens and (tag == "Item" or (tag == "Paragraph" and self._line.item))

    def _words(self, words: str, start: int, end: int) -> None:
        # In code over several lines the parser reads line breaks as spaces.
        source = self._prose.text[start:end]
        offset = source.find(words) if words in source else source.replace("\n", " ").find(words)
        if offset < 0:
            self._add(start, end, words.replace("\xa0", " "))
        else:
            part = self._prose.part(start + offset, start + offset + len(words))
            self._parts.append(Mapped(words, part.starts, part.ends))
        for outside, words_outside in ((self._strong, self._weak), (self._opened, self._unlinked)):
            if not outside:
                words_outside.append(words)

    def _add(self, start: int, end: int, words: str) -> None:
        self._parts.append(self._prose.part(start, end).edited([(0, end - start, words)]))

    def _keep_mark(self, tag: str, start: int, end: int, *, opens: bool) -> None:
        """Keep the marks of "5*3*2" and "N*E*R*D"."""
        text, size = self._prose.text, 1 if tag == "Emphasis" else 2
        if text[start - 1 : start].isalnum() and text[end : end + 1].isalnum():
            position = start if opens else end - size
            self._parts.append(self._prose.part(position, position + size))

    def _open_or_close(self, tag: str, start: int, end: int, *, opens: bool) -> None:
        """Take images, struck words and links that only cite out."""
        if opens:
            self._opened.append(len(self._parts))
            return
        first = self._opened.pop()
        text = self._prose.text
        cites = pattern("cites").search(text, max(0, start - 10), start)
        words = "".join(part.text for part in self._parts[first:]) if tag == "Link" else ""
        if (cites and text[end : end + 1] == ")") or pattern("mere_mark").fullmatch(words):
            del self._parts[first:]
            self._add(start, end, CITED)

    def _end_line(self, *, begins: bool = True) -> None:
        line, text = self._line, Mapped.joined(self._parts)
        if text.text.strip():
            line.text = text
            ended = ENDED.search(text.text, max(0, len(text.text) - 20))
            title = begins and not ended and len(text.text.split()) <= _WORDS_OF_TITLE
            if self._kind == SOURCE or title:
                line.kind = self._kind
            line.strong = not ended and not any(map(str.isalnum, "".join(self._weak)))
            unlinked = "".join(self._unlinked)
            line.linked = unlinked != text.text and bool(pattern("label").fullmatch(unlinked))
            self.lines.append(line)
            line = Line(text, begins=False)
        self._parts, self._weak, self._unlinked = [], [], []
        self._line = Line(text.part(0, 0), begins=begins or line.begins, item=line.item)
