"""Blocks of a reply: paragraphs, list items, headings, table rows and lists of sources.

A parser gives the lines (`markdown.py`); in a chat a line break after a short line ends a sentence, and
lines of sources, signatures and times of sending are known by their words.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import normalize

from qsquared.method.plain.markup.html_text import without_html
from qsquared.method.plain.markup.markdown import (
    BAR,
    ENDED,
    HEADING,
    SOURCE,
    TEXT,
    WORDS_OF_HEADING,
    Line,
    read_lines,
)
from qsquared.method.plain.markup.offset_mapping import Edit, Mapped
from qsquared.method.plain.markup.patterns import pattern, words

__all__ = ["HEADING", "SIGNATURE", "SOURCE", "TEXT", "Block", "blocks", "plain_text"]
SIGNATURE = "sign_off"

_BLANKS = re.compile(r"[ \t]*")
_TYPESET = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"'})
_SPELLED = re.compile("[\ufb00-\ufb06]|[\uff01-\uff5e][\u0300-\u036f]?|[A-Za-z][\u0300-\u036f]")
"""Letters of typeset pages, those as wide as Chinese ones, and those apart from their accents."""
_SOFT_WRAP = 45
"""A line that goes on in the next one has at least so many characters."""
_LINES_OF_SIGNATURE, _CHARACTERS_OF_SIGNATURE = 8, 60
_NAME = re.compile(r"[A-Z][\w &'’-]{1,60}")
_TRIGGERS = frozenset("【\ue200[(<^{#\\*¹²³⁰⁴⁵⁶⁷⁸⁹†‡:⁽〔〖⟦［①②③④⑤⑥⑦⑧⑨")
_BETWEEN = re.compile(r"\s*(?:[,;&]|and)?\s*")
"""Stands between two marks of one citation."""
_AT_END = re.compile(r"[.!?,;:]*\s*$|[.!?]+\s|[.!?]|\s?\(\d")
_LAST_WORD = re.compile(r"[^\W\d_]{3,}$")
_SQUARED = frozenset(words("squared"))
_CLOSING = frozenset(".!?,;:\"')”’")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, item, heading or source in its plain text."""

    text: Mapped
    kind: str


def blocks(text: Mapped) -> list[Block]:
    """Return the blocks of a reply or passage in order."""
    read = _joined(_classified(read_lines(without_html(text))))
    plain = (Block(_without_symbols(without_citations(raw.text)), raw.kind) for raw in read)
    return [block for block in plain if block.text.text.strip()]


def plain_text(logged: str) -> Mapped:
    """Return the plain text of a reply or passage; a text without markup is its own."""
    parts: list[Mapped] = []
    for block in blocks(Mapped.of(logged)):
        parts += (*(part.added("\n") for part in parts[-1:]), block.text)
    return Mapped.joined(parts).stripped()


def _joined(lines: Iterator[Line]) -> Iterator[Block]:
    """Join the lines of each block."""
    parts: list[Mapped] = []
    kind = TEXT
    for line in lines:
        joins = parts and line.kind == kind == TEXT and not line.begins
        if joins and _goes_on(parts[-1].text, line.text.text):
            parts += (parts[-1].added("\n"), line.text)
            continue
        if parts:
            yield Block(Mapped.joined(parts), kind)
        parts, kind = [line.text], line.kind
    if parts:
        yield Block(Mapped.joined(parts), kind)


def _goes_on(line: str, following: str) -> bool:
    """Whether a sentence goes on in the next line: it is not ended, and the line was full."""
    if pattern("ends_line").search(line, max(0, len(line) - 20)):
        return False
    if len(line) >= _SOFT_WRAP or pattern("open_word").search(line, max(0, len(line) - 12)):
        return True
    return following[:1].islower() and not line.rstrip().endswith(",")


def _classified(lines: list[Line]) -> Iterator[Line]:
    """Tell the kinds of lines, and leave those out that a program wrote."""
    in_sources = in_signature = in_list = False
    mixed = any(re.search("[a-z]{3}", line.text.text) for line in lines)
    for number, line in enumerate(lines):
        content, last = line.text.text, number == len(lines) - 1
        above = lines[number - 1].text.text if number else ""
        dashes = content.strip() == "--" and _is_signature(lines, number + 1)
        in_signature = in_signature or dashes
        if (
            pattern("left_by_program").match(content)
            or (number == 0 and not last and pattern("sent_above").match(content))
            or (ENDED.search(above) and pattern("sent_below").match(content))
        ):
            if not last:
                lines[number + 1].begins = True
            continue
        signed = last and number and not in_list and pattern("signed").match(content)
        if in_signature or (signed and (line.item or not content[:1].isalpha())):
            line.kind = SIGNATURE
            yield line
            continue
        in_list = in_list or line.item
        note = number > 0 and pattern("note").match(content)
        named = line.linked or line.kind == SOURCE or pattern("source_line").match(content)
        source = bool(note or named)
        # A paragraph below the list is none of it.
        in_sources = in_sources and (source or line.item or not line.begins)
        in_sources = in_sources or bool(pattern("list_of_sources").match(content))
        if in_sources or source:
            line.kind = SOURCE
        elif BAR in content or "|" in (content.strip()[:1], content.strip()[-1:]):
            line.text, line.begins = _row(line.text), True
        elif line.kind == TEXT and not line.item:
            few = len(content.split()) <= WORDS_OF_HEADING
            capitals = mixed and not last and pattern("in_capitals").match(content)
            if (few and (capitals or line.strong)) or pattern("framed").match(content):
                line.kind = HEADING
        yield line


def _row(line: Mapped) -> Mapped:
    """Return a row of a table as text: "name: value" of two cells, else the cells with commas."""
    bars = list(re.finditer(rf"[ \t]*[|{BAR}][ \t]*", line.text))
    inner = [bar for bar in bars if bar.start() and bar.end() < len(line.text)]
    between = ": " if len(inner) == 1 else ", "
    return line.edited([(*bar.span(), between if bar in inner else "") for bar in bars])


def _is_signature(lines: list[Line], first: int) -> bool:
    """Whether the lines after the two dashes of an e-mail are few and short."""
    return len(lines) - first <= _LINES_OF_SIGNATURE and all(
        len(line.text.text) <= _CHARACTERS_OF_SIGNATURE for line in lines[first:]
    )


def _without_symbols(text: Mapped) -> Mapped:
    """Return a paragraph without emoji, emoticons and invisible characters.

    Characters that are written in several ways are written in one, so that the words of a reply and
    those of the knowledge are the same.
    """
    text = text.replaced(pattern("invisible"))
    text = text.edited(_emoji(text.text))
    text = text.replaced(_SPELLED, lambda letter: normalize("NFKC", letter[0]))
    return Mapped(text.text.translate(_TYPESET), text.starts, text.ends)


def _emoji(text: str) -> list[Edit]:
    edits: list[Edit] = []
    done = 0
    for match in pattern("emoji").finditer(text):
        start, end = done + len(text[done : match.start()].rstrip(" \t")), match.end()
        blanks = _BLANKS.match(text, end)
        past = blanks.end() if blanks else end
        if start == 0 or (edits and start == done):
            end = past
        # "Sure 😊 The museum …": the emoji stands in place of a full stop.
        stop = (
            start > 0
            and past > end
            and text[start - 1].isalnum()
            and (
                text[past : past + 1].isupper()
                or pattern("interjection").fullmatch(text, done, start)
            )
        )
        edits.append((start, end, "." if stop else ""))
        done = end
    return edits


def without_citations(text: Mapped) -> Mapped:
    """Return a paragraph without its citation marks and the white space before them."""
    if _TRIGGERS.isdisjoint(text.text) and "turn" not in text.text:
        return text
    marks = [match.span() for match in pattern("mark").finditer(text.text)]
    brackets = pattern("brackets").finditer(text.text)
    marks += [match.span() for match in brackets if _cites(match, text.text)]
    raised = {match.span(): match for match in pattern("raised").finditer(text.text)}
    cited: list[tuple[int, int]] = []
    for start, end in sorted({*marks, *raised}):
        if cited and start < cited[-1][1]:
            continue
        beside = bool(cited) and bool(_BETWEEN.fullmatch(text.text, cited[-1][1], start))
        match = raised.get((start, end))
        if match and not _is_raised(match, text.text) and not (beside and match["superscript"]):
            continue
        if beside:
            cited[-1] = (cited[-1][0], end)
        else:
            cited.append((start, end))
    return text.edited(removed(text.text, cited))


def removed(text: str, spans: list[tuple[int, int]]) -> list[Edit]:
    """Remove spans together with the white space before them, or after them at the beginning."""
    edits: list[Edit] = []
    done = 0
    for first, past in spans:
        start, end = done + len(text[done:first].rstrip(" \t")), past
        if start == 0:
            end = len(text) - len(text[end:].lstrip(" \t"))
        edits.append((start, end, ""))
        done = end
    return edits


def _cites(match: re.Match[str], text: str) -> bool:
    """Whether brackets cite, by what stands in them; the interval [0, 1] and "option (2)" do not."""
    kind, start, end = match.lastgroup or "", *match.span()
    if pattern(f"in_{kind}").fullmatch(match[kind]):
        return True
    if kind == "curly" or not _AT_END.match(text, end):
        return False
    if pattern(f"at_end_in_{kind}").fullmatch(match[kind]):
        counted = match[kind][0].isdigit()
        return not (counted and pattern("part").search(text, max(0, start - 20), start))
    last = not text[end:].strip() and text[:start].rstrip().endswith((".", "!", "?"))
    return kind == "square" and last and bool(_NAME.fullmatch(match[kind]))


def _is_raised(match: re.Match[str], text: str) -> bool:
    """Whether a raised number cites; "x^2" and "km²" do not."""
    if not (match["raised"] or match["superscript"]):
        return True
    start = match.start()
    if text[start - 1 : start] in _CLOSING:
        return start > 0
    if match.group() == "\u00b9" and text[start - 1 : start].isalnum():
        # Nobody writes a first power.
        return not text[match.end() : match.end() + 1].isalnum()
    word = _LAST_WORD.search(text, max(0, start - 40), start)
    return word is not None and word.group().lower() not in _SQUARED
