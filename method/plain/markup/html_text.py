"""HTML of a reply turned into the Markdown that says the same.

Tags of HTML count, and others that are closed, such as those that a prompt asked for
("<answer>…</answer>"): "5 < 6" and "List<String>" stay.
Nothing is loaded or run, and each pass takes linear time.
Python's own parser is no help: before 3.11.13 it takes minutes for 300 KB of "<a ".
"""

import re
from html import unescape

from qsquared.method.plain.markup.dress import words
from qsquared.method.plain.markup.mapped import Edit, Mapped, without_overlaps
from qsquared.method.plain.markup.markdown import BAR, CITED

_ENTITY = re.compile(r"&(?:amp;){0,2}(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
"""An entity, which may have been escaped again."""
_ESCAPED_TAG = re.compile(r"&lt;/(?:p|div|span|strong|b|em|i|u|ul|ol|li|a|h[1-6])&gt;")
_SILENT, _OF_SOURCES, _INLINE, _BREAKS = (
    frozenset(words(name)) for name in ("silent", "of_sources", "inline", "breaks")
)
_MARKDOWN = {
    "br": ("\n", "\n"),
    "li": ("\n- ", "\n"),
    "td": ("", BAR),
    "th": ("", BAR),
    **{f"h{level}": ("\n\n# ", "\n\n") for level in range(1, 7)},
}
"""Markdown in place of an element's beginning and end."""
_COMMENT = re.compile(r"<!--[\s\S]*?-->")
_MARKS = re.compile(
    r"<\?xml\b[^<>]{0,200}\?>|<!doctype\b[^<>]{0,200}>|<!\[CDATA\[|\]\]>", re.IGNORECASE
)
_SUMMARY = re.compile(r"<details[^<>]{0,40}>\s{0,20}<summary[^<>]{0,20}>$", re.IGNORECASE)
_HEAD_CELL = re.compile(r"\s*<th\b", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-zA-Z](?:[\w.-]|:\w){0,30}:?)((?:\s[^<>]{0,2000})?)/?>")
_ALONE_BEFORE = re.compile(r"(?:^|[\n>])[ \t]{0,20}$")
_ALONE_AFTER = re.compile(r"[ \t]{0,20}(?:[\r\n<]|$)")
_FOOTNOTE = re.compile(r"\s*\[?(\d{1,3})(?:[,;–-]\s?\d{1,3}){0,9}\]?\s*")
_UNIT_BEFORE = re.compile(r"(?:^|[^a-zA-Z])(?!(?<=\d)s$)[a-zA-Z]{1,2}$")
_CITED = re.compile(r"\s*(?:\[|\d{1,3}\s*$|source)", re.IGNORECASE)
_CHARACTERS, _CHARACTERS_CITED = 1000, 100
"""A citation is no longer with its tags, and without them."""


def without_html(text: Mapped) -> Mapped:
    """Return the text with tags turned into line breaks and marks of Markdown."""
    if _ESCAPED_TAG.search(text.text) or "&amp;" in text.text:
        text = text.edited(_entities(text.text))
    if "<" in text.text:
        text = text.edited(without_overlaps(_edits(text.text)))
    return text


def _edits(text: str) -> list[Edit]:
    comments = _COMMENT.finditer(text, 0, text.rfind("-->") + 3)
    edits: list[Edit] = [(*match.span(), "") for match in (*comments, *_MARKS.finditer(text))]
    tags = list(_TAG.finditer(text))
    opened = {tag[2].lower() for tag in tags if not tag[1]}
    closers: dict[str, re.Match[str]] = {}
    for tag in reversed(tags):
        name, start, end = tag[2].lower(), *tag.span()
        closer = closers.get(name)
        closes_itself = tag[0].endswith("/>")
        if tag[1]:
            closers[name] = tag
        elif closer and not closes_itself:
            inside = text[end : closer.start()] if closer.start() - end <= _CHARACTERS else None
            hidden = _hidden(name, inside, text, start)
            if hidden is not None:
                past = closer.end()
                while text[past : past + 1] in (".", "!", "?", ",") and text[start - 1] == " ":
                    start -= 1
                edits.append((start, past, hidden))
                continue
        new = _instead(name, tag, text, known=bool(closer or tag[1]) and name in opened)
        if new is None and closes_itself:
            new = CITED
        if new is not None:
            edits.append((start, end, new))
    return edits


def _hidden(name: str, inside: str | None, text: str, start: int) -> str | None:
    """Return what stands for an element that nobody sees, or that cites; None for others."""
    if name in _SILENT or inside is None:
        return "" if name in _SILENT else None
    if name in ("cite", "citation") and len(inside) <= _CHARACTERS_CITED:
        behind = text[max(0, start - 5) : start].rstrip().endswith((".", "!", "?"))
        named = name == "citation" and " " not in inside.strip()
        return "" if behind or named or _CITED.match(inside) else None
    number = _FOOTNOTE.fullmatch(_TAG.sub("", inside)) if name == "sup" else None
    unit = "<a" not in inside and _UNIT_BEFORE.search(text, max(0, start - 3), start)
    if number is None or unit:
        # "m<sup>2</sup>" is a unit, "invoice<sup>2</sup>" has a footnote.
        return None
    begins = text[max(0, start - 5) : start].rstrip(" \t")[-1:] in ("", "\n", ">") and "\n" in text
    return f"[{number[1]}]" if begins else CITED


def _instead(name: str, tag: re.Match[str], text: str, *, known: bool) -> str | None:
    """Return the Markdown in place of a tag; None for an unknown one."""
    closing = bool(tag[1])
    head = name == "tr" and _HEAD_CELL.match(text, tag.end())
    if not closing and (head or _SUMMARY.search(text, max(0, tag.end() - 80), tag.end())):
        new: str | None = "\n\n# "
    elif name in _MARKDOWN:
        new = _MARKDOWN[name][closing]
    elif name in _BREAKS:
        new = "\n\n"
    elif name in _INLINE or not known:
        new = "" if name in _INLINE else None
    elif name in _OF_SOURCES:
        new = "\n\n" if closing else "\n\nSources:\n"
    else:
        before = text[max(0, tag.start() - 21) : tag.start()]
        alone = _ALONE_AFTER.match(text, tag.end()) if closing else _ALONE_BEFORE.search(before)
        new = "\n\n" if alone else ""
    return new


def _entities(text: str) -> list[Edit]:
    found = (
        (match.span(), unescape(unescape(unescape(match[0])))) for match in _ENTITY.finditer(text)
    )
    return [(*span, character.replace("\xa0", " ")) for span, character in found]
