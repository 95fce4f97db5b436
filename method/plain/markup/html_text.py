"""HTML of a reply turned into the Markdown that says the same.

Tags of HTML count, and others that are closed, such as those that a prompt asked for
("<answer>…</answer>"): "5 < 6" and "List<String>" stay.
Nothing is loaded or run, and each pass takes linear time.
"""

# ruff: noqa: SIM905  # names of elements read better as running text

import re
from html import unescape

from qsquared.method.plain.markup.mapped import Edit, Mapped, without_overlaps

_TAG = re.compile(r"<(/?)([a-zA-Z](?:[\w.-]|:\w){0,30})((?:\s[^<>]{0,2000})?)/?>")
_DECLARATION = re.compile(
    r"<\?xml\b[^<>]{0,200}\?>|<!doctype\b[^<>]{0,200}>|<!\[CDATA\[|\]\]>", re.IGNORECASE
)
_ENTITY = re.compile(r"&(?:amp;){0,2}(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
"""An entity, which may have been escaped again."""
_ESCAPED_TAG = re.compile(r"&lt;/(?:p|div|span|strong|b|em|i|u|ul|ol|li|a|h[1-6])&gt;")

_SILENT = tuple(
    (
        "script style head title svg template noscript iframe ref at button follow_up follow_ups "
        "followups follow_up_questions related_questions suggestions suggested_questions confidence "
        "tool_call tool_calls tool_response tool_result tool_use function_call function_calls "
        "function_result function_results"
    ).split()
)
"""Elements whose content nobody sees, or sees as a footnote, a mention or a button, and calls of tools."""
_OF_SOURCES = frozenset(("sources citations references source_documents").split())
_COHERE = re.compile(r"</?co:\s?[\d,\s]{1,20}>")
"""Marks of Cohere's models around what they cite."""
_ALONE_BEFORE = re.compile(r"(?:^|[\n>])[ \t]{0,20}$")
_ALONE_AFTER = re.compile(r"[ \t]{0,20}(?:[\r\n<]|$)")
_INLINE = frozenset(
    (
        "a abbr acronym b bdi bdo big center cite code data del dfn em font i ins kbd label mark q s "
        "samp small span strike strong sub sup time tt u var wbr nobr img input button link meta body "
        "html svg path iframe ref script style head title template noscript picture source video audio"
    ).split()
)
_BREAKS = frozenset(
    (
        "p div section article aside header footer main nav table thead tbody tfoot caption ul ol dl "
        "dd dt blockquote pre figure figcaption hr form fieldset details summary address center"
    ).split()
)
_MARKDOWN = {
    "br": ("\n", "\n"),
    "li": ("\n- ", "\n"),
    "tr": ("\n\n", "\n\n"),
    "td": ("", " | "),
    "th": ("", " | "),
    **{f"h{level}": ("\n\n# ", "\n\n") for level in range(1, 7)},
}
"""Markdown in place of an element's beginning and end."""
_SUPERSCRIPT = re.compile(
    r"<sup\b[^<>]{0,200}>\s*(?:<a\b[^<>]{0,500}>)?\s*\[?\d{1,3}(?:[,;–-]\s?\d{1,3}){0,9}\]?\s*(?:</a>)?\s*</sup>"
)
_NUMBER = re.compile(r"(?<=[>\[\s])\d{1,3}")
_DETAILS_BEFORE = re.compile(r"<details[^<>]{0,40}>\s{0,20}<summary[^<>]{0,20}>$", re.IGNORECASE)
_HEAD_CELL = re.compile(r"\s*<th\b")
_UNIT_BEFORE = re.compile(r"(?:^|[^a-zA-Z])(?!(?<=\d)s$)[a-zA-Z]{1,2}$")
_CITED = re.compile(r"\s*(?:\[|\d{1,3}\s*$|source)", re.IGNORECASE)
_CHARACTERS_CITED = 100


def without_html(text: Mapped) -> Mapped:
    """Return the text with tags turned into line breaks and marks of Markdown, and entities read."""
    if _ESCAPED_TAG.search(text.text):
        text = text.edited(_entities(text.text))
    if "<" in text.text:
        text = text.edited(without_overlaps(_hidden(text.text)))
        text = text.edited(_tags(text.text))
    if "&" in text.text:
        text = text.edited(_entities(text.text))
    return text


def _hidden(text: str) -> list[Edit]:
    """Find comments, elements that nobody sees, and footnote marks in superscript."""
    edits = _between(text, "<!--", "-->")
    lower = text.lower() if len(text.lower()) == len(text) else text
    for name in _SILENT:
        if f"</{name}" in lower:
            found = _between(lower, f"<{name}", f"</{name}>", "> \t\n/")
            edits += [(_space_before(text, start, end), end, new) for start, end, new in found]
    edits += [(*match.span(), "") for match in _DECLARATION.finditer(text)]
    edits += [(*match.span(), "") for match in _COHERE.finditer(text)]
    for name in ("cite", "citation"):
        for start, end, _ in _between(lower, f"<{name}", f"</{name}>", "> \t\n"):
            inside = text[text.find(">", start) + 1 : end - len(name) - 3]
            behind = text[max(0, start - 5) : start].rstrip().endswith((".", "!", "?"))
            named = name == "citation" and " " not in inside.strip()
            if len(inside) <= _CHARACTERS_CITED and (behind or named or _CITED.match(inside)):
                edits.append((start, end, ""))
    for match in _SUPERSCRIPT.finditer(text):
        # "m<sup>2</sup>" is a unit, "invoice<sup>2</sup>" a footnote.
        if "<a" in match.group() or not _UNIT_BEFORE.search(
            text, max(0, match.start() - 3), match.start()
        ):
            # At the beginning of a line it is the number of a note.
            begins = (
                text[max(0, match.start() - 5) : match.start()].rstrip(" \t")[-1:]
                in ("", "\n", ">")
                and "\n" in text
            )
            number = _NUMBER.search(match.group()) if begins else None
            edits.append((*match.span(), f"[{number.group()}]" if number else ""))
    return edits


def _space_before(text: str, start: int, end: int) -> int:
    """Return where an element begins, with the space before it where a full stop follows."""
    while text[end : end + 1] in (".", "!", "?", ",") and text[start - 1 : start] == " ":
        start -= 1
    return start


def _between(text: str, opening: str, closing: str, after: str = "") -> list[Edit]:
    found: list[Edit] = []
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        past = start + len(opening)
        if not after or text[past : past + 1] in after:
            past = end + len(closing)
            found.append((start, past, ""))
        start = text.find(opening, past)
    return found


def _tags(text: str) -> list[Edit]:
    edits: list[Edit] = []
    found = list(_TAG.finditer(text))
    closed = {match.group(2).lower() for match in found if match.group(1)}
    opened = {match.group(2).lower() for match in found if not match.group(1)}
    for match in found:
        name, start = match.group(2).lower(), match.start()
        new = _instead(name, bool(match.group(1)), text, match.end())
        if new is None and name in closed & opened:
            new = _instead_of_wrapper(name, match, text)
        elif new is None and match.group().endswith("/>"):
            new = ""
            while text[start - 1 : start] == " " and start > (edits[-1][1] if edits else 0):
                start -= 1
        if new is not None:
            edits.append((start, match.end(), new))
    return edits


def _instead(name: str, closing: bool, text: str, end: int) -> str | None:
    """Return the Markdown in place of a tag; None for an unknown one."""
    if name == "summary" and not closing and _DETAILS_BEFORE.search(text, max(0, end - 80), end):
        return "\n\n# "
    if name == "tr" and not closing:
        return "\n\n# " if _HEAD_CELL.match(text, end) else "\n\n"
    if name in _MARKDOWN:
        return _MARKDOWN[name][closing]
    if name in _BREAKS:
        return "\n\n"
    return "" if name in _INLINE else None


def _instead_of_wrapper(name: str, tag: re.Match[str], text: str) -> str:
    """Return the Markdown in place of a tag that is not of HTML, such as `<answer>`."""
    closing = bool(tag.group(1))
    if name in _OF_SOURCES:
        return "\n\n" if closing else "\n\nSources:\n"
    if closing:
        return "\n\n" if _ALONE_AFTER.match(text, tag.end()) else ""
    before = text[max(0, tag.start() - 21) : tag.start()]
    return "\n\n" if _ALONE_BEFORE.search(before) else ""


def _entities(text: str) -> list[Edit]:
    edits: list[Edit] = []
    for match in _ENTITY.finditer(text):
        read = unescape(unescape(unescape(match.group()))).replace("\xa0", " ")
        if read != match.group():
            edits.append((*match.span(), read))
    return edits
