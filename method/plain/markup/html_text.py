"""HTML of a reply turned into the Markdown that says the same, by the tags that Python's parser finds.

Tags of HTML count, and others that are closed, such as those that a prompt asked for
("<answer>…</answer>"): "5 < 6" and "List<String>" stay.
Nothing is loaded or run.
"""

import re
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser

from qsquared.method.plain.markup.markdown import CITED
from qsquared.method.plain.markup.offset_mapping import Edit, Mapped
from qsquared.method.plain.markup.patterns import ELEMENTS, words

_ENTITY = re.compile(r"&(?:amp;){0,2}(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
"""An entity, which may have been escaped again."""
_ESCAPED_TAG = re.compile(r"&lt;/(?:p|div|span|strong|b|em|i|u|ul|ol|li|a|h[1-6])&gt;")
_SILENT = frozenset(words("silent"))
_COMMENT = re.compile(r"<!--[\s\S]*?-->")
_MARKS = re.compile(
    r"<\?xml\b[^<>]{0,200}\?>|<!doctype\b[^<>]{0,200}>|<!\[CDATA\[|\]\]>", re.IGNORECASE
)
_NO_TAG = re.compile(r"&|<(?!/?[a-zA-Z][^<>]*>)")
_FOOTNOTE = re.compile(r"\s*\[?(\d{1,3})(?:[,;–-]\s?\d{1,3}){0,9}\]?\s*")
_UNIT_BEFORE = re.compile(r"(?:^|[^a-zA-Z])(?!(?<=\d)s$)[a-zA-Z]{1,2}$")
_CITED = re.compile(r"\s*(?:\[|\d{1,3}\s*$|source)", re.IGNORECASE)
_TAGS = re.compile(r"<[^<>]*>")
_CHARACTERS, _CHARACTERS_CITED = 1000, 100
"""A citation is no longer with its tags, and without them."""


@dataclass(slots=True)
class _Run:
    """A tag or a stretch of words, by its bounds; ``name`` is empty for words."""

    start: int
    end: int
    name: str = ""
    closes: bool = False
    alone: bool = False


class _Reader(HTMLParser):
    """Reads a text as runs, each of which ends where the parser goes on."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.runs = [_Run(0, len(text))]
        # Before 3.11.13 the parser searches all that follows for the end of each "<", and drops
        # what follows "&#"; in one line places are those in the text.
        self.feed(_NO_TAG.sub(".", text).replace("\n", " "))
        self.close()

    def set_cdata_mode(self, *_: object, **__: object) -> None:
        """Read on behind "<script>": in prose it is the name of a tag."""

    def handle_data(self, _data: str) -> None:
        self._begin()

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        self._begin(tag)

    def handle_startendtag(self, tag: str, _attrs: object) -> None:
        self._begin(tag, alone=True)

    def handle_endtag(self, tag: str) -> None:
        self._begin(tag, closes=True)

    def _begin(self, name: str = "", *, closes: bool = False, alone: bool = False) -> None:
        start, last = self.getpos()[1], self.runs[-1]
        self.runs.append(_Run(start, last.end, name, closes, alone))
        last.end = start


def without_html(text: Mapped) -> Mapped:
    """Return the text with tags turned into line breaks and marks of Markdown."""
    if _ESCAPED_TAG.search(text.text) or "&amp;" in text.text:
        # The parser of Markdown reads what was escaped once.
        text = text.replaced(_ENTITY, _unescaped)
    if "<" not in text.text:
        return text
    comments = _COMMENT.finditer(text.text, 0, text.text.rfind("-->") + 3)
    text = text.edited((*comment.span(), "") for comment in comments).replaced(_MARKS)
    return text.edited(_edits(text.text))


def _unescaped(entity: re.Match[str]) -> str:
    return unescape(unescape(unescape(entity[0]))).replace("\xa0", " ")


def _edits(text: str) -> list[Edit]:
    edits: list[Edit] = []
    runs = [run for run in _Reader(text).runs if text[run.start : run.end].strip()]
    opened = {run.name for run in runs if not run.closes}
    closers: dict[str, _Run] = {}
    for number in reversed(range(len(runs))):
        run = runs[number]
        closer = closers.get(run.name)
        if run.closes:
            closers[run.name] = run
        elif closer and not run.alone:
            start, past, hidden = run.start, closer.end, _hidden(run, closer, text)
            if hidden is not None:
                while text[past : past + 1] in (".", "!", "?", ",") and text[start - 1] == " ":
                    start -= 1
                edits.append((start, past, hidden))
                continue
        beside = [
            neighbour.name
            for neighbour in (*runs[number - 1 : number], *runs[number + 1 : number + 2])
        ]
        paired = bool(closer or run.closes) and run.name in opened
        new = _instead(run, beside, text, paired=paired) if run.name else None
        if new is not None:
            edits.append((run.start, run.end, new))
    return edits


def _hidden(run: _Run, closer: _Run, text: str) -> str | None:
    """Return the text that replaces an element that is not shown, or that cites; None for others."""
    if run.name in _SILENT:
        return ""
    inside = text[run.end : closer.start] if closer.start - run.end <= _CHARACTERS else None
    if inside is None or run.name not in ("cite", "citation", "sup"):
        return None
    if run.name != "sup":
        behind = text[max(0, run.start - 5) : run.start].rstrip().endswith((".", "!", "?"))
        named = run.name == "citation" and " " not in inside.strip()
        cites = len(inside) <= _CHARACTERS_CITED and (behind or named or _CITED.match(inside))
        return "" if cites else None
    number = _FOOTNOTE.fullmatch(_TAGS.sub("", inside))
    unit = "<a" not in inside and _UNIT_BEFORE.search(text, max(0, run.start - 3), run.start)
    if number is None or unit:
        # "m<sup>2</sup>" is a unit, "invoice<sup>2</sup>" has a footnote.
        return None
    return f"[{number[1]}]" if "\n" in text and _begins_line(text, run.start) else CITED


def _instead(run: _Run, beside: list[str], text: str, *, paired: bool) -> str | None:
    """Return the Markdown in place of a tag; None for an unknown one.

    Args:
        run: the tag.
        beside: the names of what stands before and behind it.
        text: the whole text.
        paired: whether the element is opened and closed.
    """
    for name, inner in (("tr", "th"), ("summary", "details")):
        if run.name == name and inner in beside and not run.closes:
            return "\n\n# "
    element = ELEMENTS.get(run.name)
    if element and (paired or not element.own):
        return element.end if run.closes else element.begin
    if not paired:
        return CITED if run.alone and not run.name.endswith(":") else None
    following = text[run.end : run.end + 21].lstrip(" \t")[:1] in ("", "\r", "\n", "<")
    return "\n\n" if (following if run.closes else _begins_line(text, run.start)) else ""


def _begins_line(text: str, position: int) -> bool:
    """Whether nothing but tags is before a position in its line."""
    return text[max(0, position - 21) : position].rstrip(" \t")[-1:] in ("", "\n", ">")
