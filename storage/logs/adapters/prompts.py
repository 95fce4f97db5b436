"""Passages that an application put into a prompt, told apart from its instructions and the question.

The usual marks are known: tags (``<context>``, ``<documents>``), a line such as ``Context:`` or
``Context information is below.``, and numbered documents; a person names others with
``--context-between``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from qsquared.storage.logs.adapters.prompt_marks import (
    ANSWER,
    ENDS,
    INSTRUCTION,
    NUMBERED,
    QUESTION,
    RULE,
    elements,
    heading_ends,
    opening_rule,
    paragraphs,
    past_blank,
    section_end,
)
from qsquared.storage.logs.fields.cells import parsed
from qsquared.storage.logs.fields.emptiness import is_null, says_nothing
from qsquared.storage.logs.fields.passages import Passage, passages_of

Marks = tuple[str, str]
"""The texts before and after the passages of a prompt."""

_LONGEST = 500_000
_BLOCKS = (
    "contexts?|documents|docs|knowledge|sources|passages|search_results|results|retrieved_context|"
    "retrieved_documents|knowledge_base|background|references?|excerpts|articles|chunks"
)
_ITEMS = "document|doc|passage|source|chunk|result|item|article|excerpt|snippet"
_LONE_ITEMS = "document|doc|passage|chunk|article|excerpt|snippet"
_TEXTS = "document_contents?|content|text|page_content|body|chunk|snippet"
_NAMES = "source|title|url|name"
_ATTRIBUTE = re.compile(r"""\b(id|title|source|url|name|score)\s{0,4}=\s{0,4}["']([^"']*)["']""")
_LABELS = re.compile(
    r"\s*(?:[ \t]*(?:title|source|url|id|file|filename|score|page)[ \t]*:[ \t]*([^\n]*)\n)+"
    r"[ \t]*(?:content|text|page_content|passage)[ \t]*:[ \t]*",
    re.IGNORECASE,
)
_SOURCED = re.compile(
    r"(?:\A|\n\n)[ \t]*Source:[ \t]*([^\n]*)\n[ \t]*Content:[ \t]*", re.IGNORECASE
)
_DETAILS = re.compile(
    r"(?:(?:file_?path|file_?name|page_label|source|title|url|doc(?:ument)?_?id|file_type|file_size|creation_date|"
    r"last_modified_date|score|author|category|id)[ \t]*:[^\n]*(?:\n|\Z))+",
    re.IGNORECASE,
)
_HEADED = re.compile(r"^[ \t]*#{1,6}[ \t]+([^\n]*)\n", re.MULTILINE)
_BULLET = re.compile(r"[ \t]*[-*•][ \t]+")
_SHORTEST = 12


@dataclass(frozen=True, slots=True)
class PromptParts:
    """A prompt's passages, the text without them (of a user: the question), and what marked them."""

    passages: list[Passage]
    rest: str
    mark: str


def split_prompt(text: str, between: Marks | None = None) -> PromptParts | None:
    """Return the parts of a prompt that holds passages, None if it holds none.

    Args:
        text: the prompt of a system or user message.
        between: the marks that a person named, in place of the usual ones.
    """
    if len(text) > _LONGEST:
        return None
    if between is None:
        return _by_tags(text) or _by_heading(text)
    begin = text.find(between[0])
    end = text.find(between[1], begin + len(between[0])) if begin >= 0 else -1
    if end < 0:
        return None
    inner = text[begin + len(between[0]) : end]
    rest = _question(text[:begin], text[end + len(between[1]) :])
    return PromptParts(split_passages(inner), rest, between[0])


def _by_tags(text: str) -> PromptParts | None:
    found = elements(text, _BLOCKS)
    if found:
        passages = [one for block in found for one in split_passages(block.inner)]
    else:
        found = elements(text, _LONE_ITEMS)
        passages = [one for item in found for one in _item(item.attributes, item.inner)]
    if not found:
        return None
    rest = _question(text[: found[0].begin], text[found[-1].end :])
    return PromptParts(passages, rest, f"<{found[0].tag}>")


def _by_heading(text: str) -> PromptParts | None:
    for start, begin in heading_ends(text):
        inner, end = _until_end(text, start, begin)
        passages = split_passages(inner)
        long = any(len(one["text"]) >= _SHORTEST for one in passages)
        asked = QUESTION.match(text, past_blank(text, end))
        if long or (not passages and (inner.strip() or asked)):
            mark = text[start : max(begin, start + 1)].strip().split("\n")[0][:60]
            return PromptParts(passages, _question(text[:start], text[end:]), mark)
    return None


def _until_end(text: str, heading: int, begin: int) -> tuple[str, int]:
    """Return the text of the passages from ``begin`` on, and its end.

    The section of a Markdown heading, which starts at ``heading``, ends with the next one.
    Else it ends with the last rule before a question if it began with a rule, else with a question, an
    instruction or the prompt.
    """
    opening = opening_rule(text, begin)
    begin = opening.end() if opening else begin
    ending = ENDS.search(text, begin)
    section = section_end(text, heading, begin)
    end = min(ending.start() if ending else len(text), section or len(text))
    rules = [rule for rule in RULE.finditer(text, begin) if rule.start() <= end] if opening else []
    if rules:
        return text[begin : rules[-1].start()], rules[-1].end()
    kept = begin
    for start, stop in paragraphs(text[begin:end]):
        if INSTRUCTION.match(text[begin + start : begin + stop]):
            break
        kept = begin + stop
    return text[begin:kept], kept


def _question(before: str, after: str) -> str:
    """Return what a prompt says beside its passages: the question alone, if it is marked as such."""
    for side in (after, before):
        if match := QUESTION.search(side):
            said = side[match.end() :]
            ending = ENDS.search(said)
            asked = (said[: ending.start()] if ending else said).strip()
            if asked:
                return asked
    for element in elements(f"{before}\n{after}", "question|query|user_question"):
        return element.inner.strip()
    parts = [side[start:end].strip() for side in (before, after) for start, end in paragraphs(side)]
    kept = [ANSWER.sub("", part).strip() for part in parts if not RULE.fullmatch(part)]
    return "\n\n".join(part for part in kept if part)


def split_passages(inner: str) -> list[Passage]:
    """Return the passages in the text between two marks, each apart and without number or bullet."""
    inner = inner.strip().strip("`").strip()
    if is_null(inner) or says_nothing(inner):
        return []
    if not isinstance(held := parsed(inner), str):
        return passages_of(held)
    if tagged := elements(inner, _ITEMS):
        return [one for item in tagged for one in _item(item.attributes, item.inner)]
    if sourced := split_sourced(inner):
        return sourced
    return [one for one in _cut(inner) if not is_null(one["text"])]


def split_sourced(text: str) -> list[Passage]:
    """Return the passages that LangChain's retrieval tools print as ``Source: …`` and ``Content: …``."""
    parts = _SOURCED.split(text)
    if len(parts) < 3 or parts[0].strip():
        return []
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return [_plain(text, {"source": source.strip()}) for source, text in pairs if text.strip()]


def _headed(inner: str) -> list[Passage]:
    """Return the passages under Markdown headings, if the text begins with one."""
    headings = list(_HEADED.finditer(inner))
    if not headings or inner[: headings[0].start()].strip():
        return []
    ends = [match.start() for match in headings[1:]] + [len(inner)]
    found = []
    for match, end in zip(headings, ends, strict=True):
        title = NUMBERED.sub("", match[1].strip(), count=1).strip(" *:")
        found.append(_plain(RULE.sub("", inner[match.end() : end]), {"title": title}))
    return [one for one in found if one["text"]]


def split_result(text: str) -> list[Passage]:
    """Return the passages that a tool's text lists by tags or numbers; none if it is one passage."""
    if len(text) > _LONGEST:
        return []
    if sourced := split_sourced(text):
        return sourced
    for names in (_BLOCKS, _LONE_ITEMS):
        found = elements(text, names)
        places = [0, *(place for one in found for place in (one.begin, one.end)), len(text)]
        around = [text[a:b] for a, b in zip(places[::2], places[1::2], strict=True)]
        if found and not any(part.strip() for part in around):
            blocks = (split_passages(one.inner) for one in found)
            whole = [one for block in blocks for one in block]
            lone = [one for item in found for one in _item(item.attributes, item.inner)]
            return whole if names == _BLOCKS else lone
    numbers = [match for match in NUMBERED.finditer(text) if match[1] or match[2]]
    several = len(numbers) > 1 and not text[: numbers[0].start()].strip() and _counts_up(numbers)
    return list(_numbered(text, numbers)) if several else []


def _numbered(inner: str, numbers: list[re.Match[str]]) -> Iterator[Passage]:
    ends = [match.start() for match in numbers[1:]] + [len(inner)]
    for match, end in zip(numbers, ends, strict=True):
        yield _plain(RULE.sub("", inner[match.end() : end]), {})


def _cut(inner: str) -> Iterator[Passage]:
    if headed := _headed(inner):
        yield from headed
        return
    numbers = list(NUMBERED.finditer(inner))
    if numbers and not inner[: numbers[0].start()].strip() and _counts_up(numbers):
        yield from _numbered(inner, numbers)
        return
    lines = [line for line in inner.split("\n") if line.strip()]
    if len(lines) > 1 and all(_BULLET.match(line) for line in lines):
        yield from (_plain(_BULLET.sub("", line, count=1), {}) for line in lines)
        return
    ruled = [part for part in RULE.split(inner) if part.strip()]
    if len(ruled) > 1 and INSTRUCTION.match(ruled[-1]):
        ruled.pop()
    parts = ruled if len(ruled) > 1 else [inner[start:end] for start, end in paragraphs(inner)]
    title = ""
    for part in parts:
        if _DETAILS.fullmatch(part.strip()):
            title = part.split(":", 1)[1].split("\n")[0].strip()
            continue
        yield _plain(part, {"title": title})
        title = ""


def _counts_up(numbers: list[re.Match[str]]) -> bool:
    values = [int(next(group for group in match.groups() if group)) for match in numbers]
    return values[0] in {0, 1} and all(b - a == 1 for a, b in pairwise(values))


def _plain(text: str, names: dict[str, str]) -> Passage:
    label = _LABELS.match(text)
    if label:
        names = names | {"title": label[1].strip()}
        text = text[label.end() :]
    return {"text": text.strip(), **{key: value for key, value in names.items() if value}}


def _item(attributes: str, inner: str) -> list[Passage]:
    names = {key.lower(): value for key, value in _ATTRIBUTE.findall(attributes)}
    for element in elements(inner, _NAMES):
        names.setdefault(element.tag, element.inner.strip())
    texts = elements(inner, _TEXTS)
    text = texts[0].inner if texts else inner
    if not texts:
        for element in reversed(elements(inner, _NAMES)):
            text = text[: element.begin] + text[element.end :]
    return [] if is_null(text) else [_plain(text, names)]
