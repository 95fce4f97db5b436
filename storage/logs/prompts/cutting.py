"""Passages in the text of a prompt or of a tool, cut apart by tags, labels, numbers, rules or blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from qsquared.storage.logs.fields.emptiness import is_null, says_nothing
from qsquared.storage.logs.fields.passages import Passage, passages_of
from qsquared.storage.logs.fields.texts.cells import parsed
from qsquared.storage.logs.prompts.marks import BLOCKS, elements, paragraphs
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("prompts")

LONGEST = 500_000
"""The characters of the longest text that is searched for passages."""

LONE_ITEMS = _V.text("lone_items")
_ITEMS = _V.text("items")
_TEXTS = "document_contents?|content|text|page_content|body|chunk|snippet"
_NAMES = "source|title|url|name"
_BRACKETS = ("(", "[")
_SEVERAL = 2


def split_passages(inner: str) -> list[Passage]:
    """Return the passages in the text between two marks, each apart and without number or bullet."""
    inner = _V["closed"].sub("", inner).strip().strip("`").strip()
    if is_null(inner) or says_nothing(inner):
        return []
    if not isinstance(held := parsed(inner), str):
        return passages_of(held)
    if tagged := elements(inner, _ITEMS):
        return [one for item in tagged for one in item_passages(item.attributes, item.inner)]
    if sourced := split_sourced(inner):
        return sourced
    return [one for one in _cut(inner) if not is_null(one["text"])]


def split_sourced(text: str) -> list[Passage]:
    """Return the passages that LangChain's retrieval tools print as ``Source: …`` and ``Content: …``."""
    parts = _V["cutting_sourced"].split(text)
    if len(parts) < 3 or parts[0].strip():
        return []
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return [_plain(text, {"source": source.strip()}) for source, text in pairs if text.strip()]


def _headed(inner: str) -> list[Passage]:
    """Return the passages under Markdown headings, if the text begins with one."""
    headings = list(_V["headed"].finditer(inner))
    if not headings or inner[: headings[0].start()].strip():
        return []
    ends = [match.start() for match in headings[1:]] + [len(inner)]
    found = []
    for match, end in zip(headings, ends, strict=True):
        title = _V["numbered"].sub("", match[1].strip(), count=1).strip(" *:")
        found.append(_plain(_V["rule"].sub("", inner[match.end() : end]), {"title": title}))
    return [one for one in found if one["text"]]


def split_result(text: str) -> list[Passage] | None:
    """Return the passages that a tool's text lists by tags, labels, numbers or rules; None if it is one."""
    if len(text) > LONGEST:
        return None
    certain = _V["labels"].match(text) or text.lstrip()[:1] in _BRACKETS
    if sourced := split_sourced(text) or (_titled(text) if certain else []):
        return sourced
    for names in (BLOCKS, LONE_ITEMS):
        found = elements(text, names)
        places = [0, *(place for one in found for place in (one.begin, one.end)), len(text)]
        around = [text[a:b] for a, b in zip(places[::2], places[1::2], strict=True)]
        if found and not any(part.strip() for part in around):
            blocks = (split_passages(one.inner) for one in found)
            whole = [one for block in blocks for one in block]
            lone = [one for item in found for one in item_passages(item.attributes, item.inner)]
            return whole if names == BLOCKS else lone
    return _lined(text) or _listed(text) or _ruled(text)


def _lined(text: str) -> list[Passage] | None:
    """Return the passages of a text whose lines are JSON objects."""
    begun = text.lstrip().startswith("{")
    lines = [line for line in text.split("\n") if line.strip()] if begun else []
    if len(lines) < _SEVERAL or not all(line.lstrip().startswith("{") for line in lines):
        return None
    held = [parsed(line) for line in lines]
    return passages_of(held) if all(isinstance(one, dict) for one in held) else None


def _listed(text: str) -> list[Passage] | None:
    """Return the passages of a text that numbers them, also after a line that counts them."""
    if counted := _V["counted"].match(text):
        text = text[counted.end() :]
    numbers = [match for match in _V["numbered"].finditer(text) if match[1] or match[2]]
    if not numbers or text[: numbers[0].start()].strip() or not _counts_up(numbers):
        return None
    # A lone passage may begin with words such as "Document 1 of".
    lone = len(numbers) == 1 and not numbers[0][1] and numbers[0][0].rstrip()[-1] != ":"
    return None if lone else list(_numbered(text, numbers))


def _ruled(text: str) -> list[Passage] | None:
    """Return the passages of a text that puts a rule between each two, among blank lines."""
    parts = [part.strip() for part in _V["apart"].split(text)]
    return [{"text": part} for part in parts if part] if len(parts) >= _SEVERAL else None


def _numbered(inner: str, numbers: list[re.Match[str]]) -> Iterator[Passage]:
    ends = [match.start() for match in numbers[1:]] + [len(inner)]
    for match, end in zip(numbers, ends, strict=True):
        yield _plain(_V["rule"].sub("", inner[match.end() : end]), {})


def _cut(inner: str) -> Iterator[Passage]:
    if headed := _headed(inner):
        yield from headed
        return
    numbers = list(_V["numbered"].finditer(inner))
    if numbers and not inner[: numbers[0].start()].strip() and _counts_up(numbers):
        yield from _numbered(inner, numbers)
        return
    lines = [line for line in inner.split("\n") if line.strip()]
    if len(lines) > 1 and all(_V["bullet"].match(line) for line in lines):
        yield from (_plain(_V["bullet"].sub("", line, count=1), {}) for line in lines)
        return
    ruled = [part for part in _V["rule"].split(inner) if part.strip()]
    if len(ruled) > 1 and _V["instruction"].match(ruled[-1]):
        ruled.pop()
    parts = ruled if len(ruled) > 1 else [inner[start:end] for start, end in paragraphs(inner)]
    if len(ruled) < 2 and (titled := _titled(inner)):
        yield from titled
        return
    if _V["details"].fullmatch(parts[0].strip()):
        parts = _after_details(inner)
    title = ""
    for part in parts:
        if _V["details"].fullmatch(part.strip()):
            title = part.split(":", 1)[1].split("\n")[0].strip()
            continue
        yield _plain(part, {"title": title})
        title = ""


def _titled(inner: str) -> list[Passage]:
    """Return the passages that each begin with a line of the same label, such as ``(Source: a.md)``."""
    places = [start for start, _ in paragraphs(inner)]
    begun = _V["titled"].match(inner, places[0]) if places else None
    if begun is None:
        return []
    heads = [(start, _V["titled"].match(inner, start)) for start in places]
    begins = [start for start, head in heads if head and head[1].lower() == begun[1].lower()]
    found = []
    for begin, end in zip(begins, [*begins[1:], len(inner)], strict=True):
        text = inner[begin:end]
        head = _V["titled"].match(text)
        rest = text if head is None or _V["labels"].match(text) else text[head.end() :]
        found.append(_plain(rest, {"title": head[2].strip()} if head else {}))
    return found


def _after_details(inner: str) -> list[str]:
    """Return the paragraphs of details and, whole, the text between each and the next one."""
    places = paragraphs(inner)
    details = [one for one in places if _V["details"].fullmatch(inner[slice(*one)].strip())]
    begins = [begin for begin, _ in details[1:]] + [len(inner)]
    pairs = zip(details, begins, strict=True)
    return [piece for (begin, end), stop in pairs for piece in (inner[begin:end], inner[end:stop])]


def _counts_up(numbers: list[re.Match[str]]) -> bool:
    values = [int(next(group for group in match.groups() if group)) for match in numbers]
    return values[0] in {0, 1} and all(b - a == 1 for a, b in pairwise(values))


def _plain(text: str, names: dict[str, str]) -> Passage:
    label = _V["labels"].match(text)
    if label:
        names = names | {"title": label[1].strip()}
        text = text[label.end() :]
    return {"text": text.strip(), **{key: value for key, value in names.items() if value}}


def item_passages(attributes: str, inner: str) -> list[Passage]:
    """Return the passage of an element: its text, and the names in its attributes and tags."""
    names = {key.lower(): value for key, value in _V["attribute"].findall(attributes)}
    for element in elements(inner, _NAMES):
        names.setdefault(element.tag, element.inner.strip())
    texts = elements(inner, _TEXTS)
    text = texts[0].inner if texts else inner
    if not texts:
        for element in reversed(elements(inner, _NAMES)):
            text = text[: element.begin] + text[element.end :]
    return [] if is_null(text) else [_plain(text, names)]
