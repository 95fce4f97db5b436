"""Passages in the text of a prompt or tool, divided by tags, labels, numbers, rules or blank lines."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from qsquared.storage.logs.fields.embedded_values import from_lines, parsed
from qsquared.storage.logs.fields.emptiness import is_null, says_nothing
from qsquared.storage.logs.fields.passages import Passage, passages_of
from qsquared.storage.logs.fields.reshaped import LAST_RULE, below_source
from qsquared.storage.logs.prompts.marks import (
    BLOCKS,
    Element,
    elements,
    lists_texts,
    paragraphs,
    without,
)
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("prompts")

LONGEST = 500_000
"""The characters of the longest text that is searched for passages."""

_ITEMS = _V.text("items")
_FIRST = re.compile(r"\s*<([A-Za-z][\w.-]{0,40})[\s>]")
_HTML = {"p", "div", "span", "section", "table", "ul", "ol", "b", "i", "em", "strong", "html", "body"}  # fmt: skip
_TEXTS = "document_contents?|content|text|page_content|body|chunk|snippet"
_NAMES = "source|title|url|name"
_BRACKETS = ("(", "[")
_SEVERAL = 2
_TITLE_LINE = re.compile(
    r"[ \t]*(?:\w[^\n|]{0,60} \| [^\n]{1,80}(?<![.!?,;:])|\S{1,80}\.[a-z]{2,5}(?:[ \t]*\([^()\n]{0,40}\))?)"
    r"[ \t]*\n[ \t]*(?![a-z])\w[^\n]{40}"
)
"""A line with parts between bars, or of a file, above one of a longer text that begins anew."""
_INTRODUCES = re.compile(r"[^\n\[{]{1,200}\n\s*(?=\[\s*\{)")
"""A line before a list of objects."""
_FILE = re.compile(r"[ \t]*\(([^()\s]{1,80}\.[A-Za-z]{2,5})\)[ \t]+")
"""A file in brackets before what follows, such as ``(api-keys.md)``."""


def split_passages(inner: str) -> list[Passage]:
    """Return the passages in the text between two marks, each apart and without number or bullet."""
    inner = _V["closed"].sub("", inner).strip().strip("`").strip()
    if is_null(inner) or says_nothing(inner):
        return []
    plain = LAST_RULE.sub("", inner)
    held = from_lines(plain) or parsed(plain)
    if not isinstance(held, str):
        return passages_of(held)
    if items := _alike(inner) or elements(inner, _ITEMS):
        return [one for item in items for one in _item_passages(item)]
    return split_sourced(inner) or [one for one in _cut(inner) if not is_null(one["text"])]


def _alike(inner: str) -> list[Element]:
    """Return the elements of one name of which a text consists, but for those of HTML."""
    first = _FIRST.match(inner)
    if first is None or first[1].lower() in _HTML:
        return []
    found = elements(inner, re.escape(first[1]))
    return found if not without(inner, found).strip() else []


def tagged(text: str) -> Iterator[tuple[list[Element], list[Passage]]]:
    """Yield the elements that hold passages, and those that are passages, each with what they give."""
    if blocks := elements(text, BLOCKS):
        yield blocks, [one for block in blocks for one in split_passages(block.inner)]
    if lone := elements(text, _V.text("lone_items")):
        yield lone, [one for item in lone for one in _item_passages(item)]


def _parts(text: str, heads: Iterable[re.Match[str]]) -> list[tuple[re.Match[str], str]]:
    """Return heads with the text up to the next one each; none if the text does not begin with the first."""
    found = list(heads)
    begun = found and not text[: found[0].start()].strip()
    ends = [match.start() for match in found[1:]] + [len(text)]
    pairs = zip(found, ends, strict=True) if begun else ()
    return [(match, text[match.end() : end]) for match, end in pairs]


def split_sourced(text: str) -> list[Passage]:
    """Return the passages after ``Source: …`` and ``Content: …``, or after a heading with the address of a page."""
    # All but the path of a file in brackets stand on a line of their own.
    if "\n" not in text and "[" not in text:
        return []
    found = []
    for head, own in _parts(text, _V["cutting_sourced"].finditer(text)):
        names = {"title": head[1], "url": head[2]} if head[2] else {"source": head[1]}
        found += [_plain(own, {key: name.strip() for key, name in names.items()})]
    for name, least in () if found else (("labelled_text", 1), ("coded", _SEVERAL), ("filed", 1)):
        parts = _parts(text, _V[name].finditer(text))
        # Other passages may follow behind rules.
        alone = name == "filed" and len(parts) == 1 and _V["rule"].search(text)
        for head, own in parts if len(parts) >= least and not alone else ():
            title = next(filter(None, reversed(head.groups())), "")
            found.append(_plain(_V["rule"].sub("", own), {"title": title.strip()}))
    return [one for one in found if one["text"]]


def _headed(inner: str) -> list[Passage]:
    """Return the passages under Markdown headings, if the text begins with one."""
    found = []
    for head, text in _parts(inner, _V["headed"].finditer(inner)):
        title = _V["numbered"].sub("", head[1].strip(), count=1).strip(" *:")
        found.append(_plain(_V["rule"].sub("", text), {"title": title}))
    return [one for one in found if one["text"]]


def split_result(text: str) -> list[Passage] | None:
    """Return the passages that a tool's text lists by tags, labels, numbers or rules; None if it is one."""
    if len(text) > LONGEST:
        return None
    if (intro := _INTRODUCES.match(text)) and isinstance(held := parsed(text[intro.end() :]), list):
        return passages_of(held)
    certain = _V["labels"].match(text) or text.lstrip()[:1] in _BRACKETS
    if sourced := split_sourced(text) or (_titled(text) if certain else []):
        return sourced
    for found, passages in tagged(text):
        if not without(text, found).strip():
            return passages
    listed = passages_of(from_lines(text)) or _of_lines(text, ("filed_line",)) or _listed(text)
    return listed or _ruled(text)


def _listed(text: str) -> list[Passage]:
    """Return the passages of a text that numbers them, also after a line that counts or names them."""
    text = text.lstrip()
    head = text.partition("\n")[0]
    named = lists_texts(text, head, len(head))
    if named:
        text = text[len(head) :]
    elif counted := _V["counted"].match(text):
        text = text[counted.end() :]
    found = _V["numbered"].finditer(text)
    numbers = (one for one in found if named or any(one.groups()[:-1]))
    parts = _parts(text, numbers)
    # A lone passage may begin with words such as "Document 1 of".
    one = parts[0][0] if len(parts) == 1 and not named else None
    return [] if one and not one[1] and one[0].rstrip()[-1] != ":" else _numbered(parts)


def _ruled(text: str) -> list[Passage] | None:
    """Return the passages of a text that puts a rule between each two, among blank lines."""
    counted = _V["counted"].match(text) or _V["numbered_finds"].match(text)
    parts = _V["apart"].split(text[counted.end() :] if counted else text)
    several = counted or len(parts) >= _SEVERAL
    return [_plain(one, {}) for one in parts if one.strip()] if several else None


def _numbered(parts: list[tuple[re.Match[str], str]]) -> list[Passage]:
    """Return the passages after numbers that count up; none if they do not."""
    values = [int(next(group for group in head.groups() if group)) for head, _ in parts]
    counted = values[:1] in ([0], [1]) and all(b - a == 1 for a, b in pairwise(values))
    named = all(_TITLE_LINE.match(text) for _, text in parts)
    found = []
    for _, text in parts if counted else ():
        title, _, rest = text.partition("\n") if named else ("", "", text)
        found.append(_plain(_V["rule"].sub("", rest), {"title": title.strip()}))
    return found


def _cut(inner: str) -> list[Passage]:
    numbered = _parts(inner, _V["numbered"].finditer(inner))
    if found := _headed(inner) or _numbered(numbered):
        return found
    if found := _of_lines(inner, ("bullet", "coded_line", "filed_line")):
        return found
    parts = [part for part in _V["rule"].split(inner) if part.strip()]
    if len(parts) > 1 and _V["instruction"].match(parts[-1]):
        parts.pop()
    if len(parts) < _SEVERAL:
        if found := _titled(inner):
            return found
        parts = [inner[start:end] for start, end in paragraphs(inner)]
    if _V["details"].fullmatch(parts[0].strip()):
        parts = _after_details(inner)
    title = ""
    for part in parts:
        if _V["details"].fullmatch(part.strip()):
            title = part.split(":", 1)[1].split("\n")[0].strip()
        else:
            found.append(_plain(part, {"title": title}))
            title = ""
    return found


def _of_lines(inner: str, labels: Iterable[str]) -> list[Passage]:
    """Return the passage of each line behind its label, if all lines have labels of one kind; a lone bullet is none."""
    lines = [line for line in inner.split("\n") if line.strip()]
    for name in labels:
        least = _SEVERAL if name == "bullet" else 1
        if len(lines) >= least and all(map(_V[name].match, lines)):
            return [_plain(_V[name].sub("", line, count=1), {}) for line in lines]
    return []


def _titled(inner: str) -> list[Passage]:
    """Return the passages that each begin with a line of the same label, such as ``(Source: a.md)``."""
    heads = [_V["titled"].match(inner, start) for start, _ in paragraphs(inner)]
    begun = heads[0] if heads else None
    alike = (head for head in heads if begun and head and head[1].lower() == begun[1].lower())
    found = []
    for head, text in _parts(inner, alike):
        labelled = _V["labels"].match(head[0] + text)
        whole = head[0] + text if labelled else text
        found.append(_plain(whole, {"title": head[2].strip()}))
    return found


def _after_details(inner: str) -> list[str]:
    """Return the paragraphs of details and, whole, the text between each and the next one."""
    places = paragraphs(inner)
    details = [one for one in places if _V["details"].fullmatch(inner[slice(*one)].strip())]
    stops = [*(place for one in details for place in one), len(inner)]
    return [inner[begin:end] for begin, end in pairwise(stops)]


def _plain(text: str, names: dict[str, str]) -> Passage:
    title, text = below_source(text)
    if line := None if title else _FILE.match(text):
        title, text = line[1], text[line.end() :]
    if title:
        names = {"source" if names.get("title") else "title": title, **names}
    if label := _V["labels"].match(text):
        names = names | {"title": label[1].strip()}
        text = text[label.end() :]
    elif above := _V["above"].match(text):
        names = {"title": (above["title"] or "").strip(), **names}
        text = text[above.end() :]
    return {"text": text.strip(), **{key: value for key, value in names.items() if value}}


def _item_passages(item: Element) -> list[Passage]:
    """Return the passage of an element: its text, and the names in its attributes and tags."""
    names = {key.lower(): value for key, value in _V["attribute"].findall(item.attributes)}
    named = elements(item.inner, _NAMES)
    for element in named:
        names.setdefault(element.tag, element.inner.strip())
    texts = elements(item.inner, _TEXTS)
    text = texts[0].inner if texts else without(item.inner, named)
    return [] if is_null(text) else [_plain(text, names)]
