"""Marks of a prompt: tags, headings, rules between parts, questions and instructions.

Each search takes time in proportion to the text, whatever the text holds.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("prompts")

BLOCKS = _V.text("blocks")
"""Names of the elements that hold passages."""

_LONGEST_LINE = 400
_MOST = 8
_FEW_WORDS, _LEAST_WORDS = 4, 15
"""The most words of a line that names a list, and the fewest of a text in it that is no rule or step."""
_REMARK = re.compile(r"\([^()\n]*\)")


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a markup, with the places of the whole and of what it holds."""

    tag: str
    attributes: str
    begin: int
    end: int
    inner: str


def elements(text: str, names: str) -> list[Element]:
    """Return the elements with one of these tags (``a|b``), none within another, in their order."""
    if "<" not in text:
        return []
    found: list[Element] = []
    never_closed: set[str] = set()
    place = 0
    opening = re.compile(rf"<({names})(?=[\s>])([^<>]{{0,500}})>", re.IGNORECASE)
    while match := opening.search(text, place):
        tag = match[1].lower()
        place = match.end()
        if tag in never_closed:
            continue
        closing = re.compile(rf"</{re.escape(tag)}\s{{0,8}}>", re.IGNORECASE).search(text, place)
        if closing is None:
            never_closed.add(tag)
            continue
        inner = text[match.end() : closing.start()]
        found.append(Element(tag, match[2], match.start(), closing.end(), inner))
        place = closing.end()
    return found


def without(text: str, found: Sequence[Element]) -> str:
    """Return a text without some elements of it."""
    places = [0, *(place for one in found for place in (one.begin, one.end)), len(text)]
    return "".join(text[a:b] for a, b in zip(places[::2], places[1::2], strict=True))


def paragraphs(text: str) -> list[tuple[int, int]]:
    """Return the begin and end of each part of a text that blank lines separate."""
    blanks = [place for blank in _V["blank_lines"].finditer(text) for place in blank.span()]
    places = [0, *blanks, len(text)]
    found = zip(places[::2], places[1::2], strict=True)
    return [(start, end) for start, end in found if text[start:end].strip()]


def heading_ends(text: str) -> list[tuple[int, int]]:
    """Return where each line that announces passages begins, and where its passages may begin.

    A heading of its own comes before a sentence that speaks of passages.
    """
    headings: list[tuple[int, int]] = []
    sourced = _V["sourced"].search(text) if "\n" in text else None
    clauses: list[tuple[int, int]] = []
    lists: list[tuple[int, int]] = []
    begin = tried = 0
    for line in text.split("\n"):
        end = begin + len(line)
        if sourced and begin == sourced.start():
            # The first of several passages, which names its own source.
            headings.append((begin, begin))
            break
        if not lists and lists_texts(text, line, end):
            lists.append((begin, end))
        if len(line) <= _LONGEST_LINE and _V["about"].search(line):
            after = past_blank(text, end)
            announced = _V["rule"].match(text, after) or _first_of_several(text, after)
            heading = _V["heading"].match(line)
            set_off = _V["level"].match(line) or _V["decorated"].match(line)
            if heading and (":" in heading["end"] or announced or set_off):
                headings.append((begin, begin + heading.end()))
            elif tried < _MOST and (_V["clause"].search(line) or announced):
                tried += 1
                clauses.append((begin, end))
            elif tried < _MOST and _V["pieces"].search(line):
                tried += 1
                clauses += [(begin, place) for place in _after_paragraph(text, begin)]
        begin = end + 1
    # The first of several passages that nothing announces (``Document 1:``).
    labelled = _V["labelled"].search(text)
    found = headings[:_MOST] + clauses + ([(labelled.start(),) * 2] if labelled else [])
    return found or lists


def _after_paragraph(text: str, begin: int) -> list[int]:
    """Return the place after the paragraph that begins here, or of a rule within it."""
    ending = _V["blank_lines"].search(text, begin)
    rule = _V["rule"].search(text, begin)
    if rule and (ending is None or rule.start() < ending.start()):
        return [rule.start()]
    return [ending.end()] if ending else []


def lists_texts(text: str, line: str, end: int) -> bool:
    """Whether a line of few words and a colon stands before a list of numbered texts, which instruct nobody."""
    if not line.rstrip().endswith(":"):
        return False
    plain = _REMARK.sub("", line).rstrip(": ")
    if len(plain.split()) > _FEW_WORDS or _V["rules"].search(line):
        return False
    number = _first_of_several(text, past_blank(text, end))
    if number is None:
        return False
    after = text.find("\n", number.end())
    first = text[number.end() : after if after >= 0 else len(text)]
    return len(first.split()) >= _LEAST_WORDS and not instructs(first)


def _first_of_several(text: str, place: int) -> re.Match[str] | None:
    match = _V["numbered"].match(text, place)
    return match if match and next(filter(None, match.groups())) in {"0", "1"} else None


def past_blank(text: str, place: int) -> int:
    """Return the place of the first character from here on that is not blank."""
    while place < len(text) and text[place] in " \t\n\r":
        place += 1
    return place


def section_end(text: str, start: int, begin: int) -> int | None:
    """Return the end of the section whose Markdown heading starts here; None without one or another."""
    level = _V["level"].match(text, start)
    if level is None:
        return None
    following = re.compile(rf"^[ \t]*#{{1,{len(level[1])}}}[ \t]", re.MULTILINE).search(text, begin)
    if following and not text[begin : following.start()].strip():
        # What stands right below a heading is that of a passage, however large.
        following = re.compile(rf"^[ \t]*{level[1]}[ \t]", re.MULTILINE).search(text, begin)
    return following.start() if following else None


def opening_rule(text: str, place: int) -> re.Match[str] | None:
    """Return the rule that begins the passages after a heading, None if there is none."""
    return _V["rule"].match(text, past_blank(text, place))


def instructs(text: str) -> bool:
    """Whether a paragraph tells the model what to do; advice to a reader, as in a manual, does not."""
    told = _V["instruction"].match(text) and _V["of_model"].search(text)
    return bool(told or _V["to_model"].match(text))


def is_persona(text: str) -> bool:
    """Whether a text tells the model who it is."""
    return _V["persona"].match(text) is not None


def surely_announces(text: str, start: int, begin: int, inner: str) -> bool:
    """Whether the line that starts here, up to ``begin``, announces passages as programs do it.

    People write *Documents:* or *I need information:*, and speak of themselves.
    """
    line = text[start : max(begin, text.find("\n", start))]
    set_off = _V["level"].match(line) or _V["decorated"].match(line.split("\n")[0])
    if set_off or _V["labelled"].match(inner.lstrip()) or _V["machine_listed"].match(inner):
        return True
    if _V["first_person"].search(line) or _V["first_person"].search(inner):
        return False
    after = text.find(inner, begin) + len(inner)
    told = _V["told"].search(text, 0, begin) or _V["told"].search(text, after)
    # The user may speak of themselves above a line that tells the model to answer.
    if told and (instructs(line) or not _V["first_person"].search(text, 0, start)):
        return True
    # People describe a situation on the line of the heading itself.
    apart = text[begin : past_blank(text, begin)].count("\n") > 0 or len(paragraphs(inner)) > 1
    return apart and _V["of_programs"].search(text[start:begin]) is not None
