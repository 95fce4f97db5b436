"""Marks of Markdown within a line: links, images, emphasis, code, escapes."""

import re

from qsquared.method.plain.markup.mapped import Edit, Mapped, without_overlaps

_TARGET = r"\((?:<[^<>\n]{0,500}>|[^()\s]{0,500}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?)(?:\s{1,3}[\"'][^\"'\n]{0,200}[\"'])?\)"
_CITING_LINK = re.compile(
    rf"\(\s?(?:see\s|via\s|source:\s)?\[[^\[\]]{{1,200}}\]{_TARGET}\s?\)", re.IGNORECASE
)
_LINK = re.compile(rf"(!?)\[((?:[^\[\]]|\[[^\[\]]{{0,50}}\]){{0,300}})\]{_TARGET}")
_CITING_SLACK_LINK = re.compile(r"\(\s?<https?://[^\s<>|]{1,500}\|[^<>|\n]{1,200}>\s?\)")
_REFERENCE = re.compile(r"\[([^\[\]]{1,200})\]\[([^\[\]]{0,50})\]")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^\s<>|]{1,500})>")
_SLACK_LINK = re.compile(r"<(?:https?://|mailto:)[^\s<>|]{1,500}\|([^<>|\n]{1,200})>")
_MENTION = re.compile(
    r"<(?:@[!&]?|[!#])\w[\w|.^-]{0,80}>[:,]?|<a?:\w{2,32}:\d{3,25}>|\[~[\w.@:-]{2,60}\]"
)
"""A mention, or an emoji of a server, as chat programs write them."""
_MERE_MARK = re.compile(
    r"\W*(?:\^?\d{1,3}|sources?\W*\d{0,3}|links?|ref(?:erence)?s?\W*\d{0,3}|doc\W*\d{1,3})?\W*",
    re.IGNORECASE,
)
"""The words of a link that only cites."""
_DELIMITERS = re.compile(r"\*{1,3}|_{1,3}|~~|==|`{1,3}")
_STRUCK = re.compile(r"~~(?=\S)[^~\n]{1,300}(?<=\S)~~")
"""Words that are struck out, and so taken back."""
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_LATEX_COMMAND = r"\\(?:textbf|textit|emph|text|boxed|underline|mathbf|mathrm)\{([^{}\n]{0,2000})\}"
_OF_LATEX = re.compile(
    rf"(?:\\[\[(]|\${{1,2}})\s?{_LATEX_COMMAND}\s?(?:\\[\])]|\${{1,2}})|{_LATEX_COMMAND}"
)
"""Words in a command of LaTeX, and the marks of a formula around them."""
_NESTED = 3
_LETTER_MARK = re.compile(r"[A-Za-z]{1,6}[:_#-]?\d{1,5}")
"""A mark such as "S1" or "web:1"; two in a row are no link."""
_TRIGGERS = frozenset("[*_~`<\\=")


def without_marks(text: Mapped) -> Mapped:
    """Return a paragraph with the words of its links and of its emphasis only."""
    if _TRIGGERS.isdisjoint(text.text):
        return text
    for pattern in (_CITING_LINK, _CITING_SLACK_LINK):
        spans = [match.span() for match in pattern.finditer(text.text)]
        text = text.edited(removed(text.text, spans))
    text = text.edited(without_overlaps([*_links(text.text), *_autolinks(text.text)]))
    text = text.edited(removed(text.text, [m.span() for m in _STRUCK.finditer(text.text)]))
    text = text.edited(_emphasis(text.text))
    for _ in range(_NESTED if "\\" in text.text else 0):
        text = text.edited(_latex(text.text))
    return text.edited([(*m.span(), m.group(1)) for m in _ESCAPE.finditer(text.text)])


def _latex(text: str) -> list[Edit]:
    edits: list[Edit] = []
    for one in _OF_LATEX.finditer(text):
        group = 1 if one.group(1) is not None else 2
        edits += [(one.start(), one.start(group), ""), (one.end(group), one.end(), "")]
    return edits


def removed(text: str, spans: list[tuple[int, int]]) -> list[Edit]:
    """Remove spans together with the white space before them, or after them at the beginning."""
    edits: list[Edit] = []
    done = 0
    for first, past in spans:
        start, end = first, past
        while start > done and text[start - 1] in " \t":
            start -= 1
        if start == 0:
            while end < len(text) and text[end] in " \t":
                end += 1
        edits.append((start, end, ""))
        done = end
    return edits


def _links(text: str) -> list[Edit]:
    edits: list[Edit] = []
    for match in _LINK.finditer(text):
        words = match.group(2)
        if match.group(1) or _MERE_MARK.fullmatch(words):
            edits += removed(text, [match.span()])
        else:
            edits += [
                (match.start(), match.start(2), ""),
                (match.end(2), match.end(), ""),
            ]
    for match in _REFERENCE.finditer(text):
        words = match.group(1)
        if not (_MERE_MARK.fullmatch(words) or _LETTER_MARK.fullmatch(words)):
            edits += [(match.start(), match.start() + 1, ""), (match.end(1), match.end(), "")]
    return edits


def _autolinks(text: str) -> list[Edit]:
    edits = removed(text, [match.span() for match in _MENTION.finditer(text)])
    for pattern in (_AUTOLINK, _SLACK_LINK):
        for match in pattern.finditer(text):
            if _MERE_MARK.fullmatch(match.group(1)):
                edits += removed(text, [match.span()])
                continue
            edits += [(match.start(), match.start(1), ""), (match.end(1), match.end(), "")]
    return edits


def _emphasis(text: str) -> list[Edit]:
    """Find pairs of delimiters that open before a word and close after one.

    A delimiter between two digits, or an underscore between two letters, is none.
    """
    waiting: dict[str, list[tuple[int, int]]] = {}
    edits: list[Edit] = []
    for match in _DELIMITERS.finditer(text):
        start, end = match.span()
        before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
        mark = text[start]
        if before == "\\" or (before.isdigit() and after.isdigit()):
            continue
        # "N*E*R*D" is a name.
        within = (mark == "_" and before.isalnum() and after.isalnum()) or (
            before.isupper() and after.isupper()
        )
        opened = waiting.setdefault(match.group(), [])
        if not within and not before.isspace() and opened:
            edits += [(*opened.pop(), ""), (start, end, "")]
        elif not within and not after.isspace() and len(opened) < 100:
            opened.append((start, end))
        elif mark == "`" and opened:
            edits += [(*opened.pop(), ""), (start, end, "")]
    return sorted(edits)
