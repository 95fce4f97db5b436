"""Rows that a description reshapes: texts cut into their parts at marks, and objects put into those they belong to.

Marks of a template, such as ``[[ ## answer ## ]]``, cut a text into an object: ``0`` is the text before the
first mark, ``1`` what follows it, and so on.
A mark with ``{n}``, such as ``Source {n}:``, stands before passages that count up: the text becomes their list.
With ``{title}`` at its end the rest of its line is the title of each, as in ``[{n}] {title}``.
Lists of a row may refer to each other by ids, as tables of a database or sheets of a workbook do.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial, reduce
from typing import Any

from pydantic import BaseModel, ConfigDict

from qsquared.storage.logs.fields.embedded_values import by_ids, opened, parsed
from qsquared.storage.logs.fields.field_paths import ABSENT, EMPTY, flattened, leads, value_at
from qsquared.storage.logs.fields.hits import given_of
from qsquared.storage.logs.vocabulary import vocabulary

NUMBER, TITLE = "{n}", " {title}"
BULLETS = ("- ", "* ", "• ")
_MOST_WORDS = 12
_LABEL = 120
"""The characters of a text within which its label ends."""
Cuts = Mapping[str, Sequence[str]]
"""The marks of each text that is cut, by its path; a part of a cut text may be cut, too."""

_ENDS = r"\A|[\n.!?…。！？:»”\"')\]|;/–—-]"  # noqa: RUF001 - marks of several scripts
_BETWEEN = " \t\r\n|;/–—"  # noqa: RUF001 - rules between passages
_INTRODUCES = re.compile(r"\s*(?:[^\n]{1,80}[:：]\s*)?")  # noqa: RUF001 - a colon of Chinese texts
LAST_RULE = re.compile(r"\n[ \t]*([-=*_#])\1{2,}\s*\Z")
"""A rule between passages."""
_HEADING = re.compile(r"#{1,6}[ \t]")
_FILE = r"\.(?:pdf|docx?|odt|rtf|xlsx?|pptx?|txt|md|html?|csv|json|xml)\b"
_SOURCE_LINE = re.compile(
    rf"[ \t]*(?:\[(?=\S{{0,80}}[./])([^\[\]\n]{{1,120}})\]"
    rf"|[(（](\S{{1,80}}|[^()\n]{{0,80}}{_FILE}[^()\n]{{0,40}}"  # noqa: RUF001 - brackets of Japanese texts
    rf"|[^()\n]{{1,80}}\b(?:pp?|S|tab|ch|art|sec|fig)\.? ?\d{{1,4}})[)）]"  # noqa: RUF001
    rf"|([^\n:]{{0,80}}{_FILE}[^\n:]{{0,40}}):"
    r"|([^\n]{0,80}[(\[](?:score[ :=]{1,2})?[01]?[.,]\d{1,4}[)\]][^\n]{0,80}(?<![.!?])))[ \t]*\n(?=[ \t]*\S)",
    re.IGNORECASE,
)
"""A line that names the source of what follows: ``[visit/hours.md]``, ``(Meyer2015 p. 3)``, ``faq.docx, p. 2:``,
``KB-7 (0.88) Refunds``."""
_COUNTED = re.compile(
    r"\s*[\[(<]{0,2}(?P<label>[^\W\d_]{2,20})(?: (?:id|no|nr)\.?)?[ _-]?[#\[]?(?P<count>\d{1,3})"
    r"[\])>]{0,2}(?::|[\])>]|\s[-\u2013](?=\s+\D)|\s\[[^\[\]\n]{1,120}\]\([^()\s]{1,500}\))\s+(?=\S)",
    re.IGNORECASE,
)
"""The label of a text in a list that counts its texts: ``Passage 1:``, ``[Quelle 2]:``, ``Passage ID 3:``."""
_COUNTING_WORDS = vocabulary("passages").set("counted")
_SOURCE_LABEL = (
    r"[*_]{0,2}(?:source|url|link|uri|file(?:[ _]?name)?|document)[*_]{0,2}[ \t]*[:=]"
    r"(?=[^\n]{0,200}(?:://|\w\.[a-z]{2,5}\b))[^\n]{1,300}"
)
"""A line with the address or file of a passage: ``Source: https://a.example``, ``Document: a.pdf (Score: 0.8)``."""
_LABELLED = re.compile(
    rf"\s{{0,9}}(?:(?:{_SOURCE_LABEL}\n\s{{0,9}}){{1,4}}(?:(?:content|text|passage)[ \t]*:\s{{0,9}})?"
    rf"|content[ \t]*:\s{{0,9}}|\S{{1,80}}{_FILE}(?:#page=\d{{1,4}})?:[ \t]+)(?=\S)",
    re.IGNORECASE,
)
"""The lines above a text that name its source, ``Content:``, or a file before it (``faq.pdf#page=3: …``)."""
_SOURCE_BELOW = re.compile(_SOURCE_LABEL, re.IGNORECASE)
_CLOSING = {"[": "]", "【": "】", "（": "）", "<": ">"}  # noqa: RUF001 - brackets of Japanese texts
QUOTES = {"«": "»", "“": "”", "„": "“", '"': '"'}


def cut(fields: Mapping[str, Any], cuts: Cuts) -> dict[str, Any]:
    """Return a row with the texts at these paths cut into their parts; a text without a mark stays."""
    made = dict(fields)
    for path, marks in cuts.items():
        made = changed(made, path, partial(_parts, marks))
    return made


def changed(held: Any, path: str, change: Callable[[Any], Any]) -> Any:
    """Return an object or list with other values at a path (of each item after ``[]``); itself if there is none."""
    if not path:
        return change(held)
    inner = opened(held)
    inner = (by_ids(inner) if path.startswith("[") else None) or inner
    if isinstance(inner, dict):
        for name in sorted(inner, key=len, reverse=True):
            rest = path.removeprefix(name)
            if path.startswith(name) and rest[:1] in {"", ".", "["}:
                own = rest[1:] if rest[:1] == "." else rest
                return {**inner, name: changed(inner[name], own, change)}
    match = re.match(r"\[(\d*)\]\.?", path)
    if isinstance(inner, list) and match:
        rest = path[match.end() :]
        chosen = [match[1] in {"", str(place)} for place, _ in enumerate(inner)]
        pairs = zip(inner, chosen, strict=True)
        return [changed(one, rest, change) if own else one for one, own in pairs]
    return held


def without_dropped(view: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """Return a row without the hits that a flag says were dropped, where a path leads into a list of hits."""
    listed, _, inner = path.rpartition("[]")
    if not inner or not leads(view, (path,)):
        return view
    held: Mapping[str, Any] = changed(
        view, listed, lambda hits: given_of(hits) if isinstance(hits, list) else hits
    )
    return held


def _parts(marks: Sequence[str], text: Any) -> Any:
    if not isinstance(text, str):
        return text
    if NUMBER in marks[0]:
        return counted_parts(text, marks[0])
    return sections(text, marks) or text


def sections(text: str, marks: Sequence[str]) -> dict[str, str]:
    """Return the parts between marks by their numbers, also where some are missing; none without a mark."""
    found, place, number = {}, 0, 0
    for following, mark in enumerate(marks, start=1):
        begin = text.find(mark, place)
        if begin >= 0:
            found[str(number)] = text[place:begin].strip()
            place, number = begin + len(mark), following
    return {**found, str(number): text[place:].strip()} if found else {}


@lru_cache(maxsize=64)
def _counting(mark: str) -> re.Pattern[str]:
    before, after = mark.split(NUMBER)
    ending = r"\s{0,3}".join(map(re.escape, after.split()))
    space = r"\s*" if ending else r"\s+"
    # A bracket that the mark leaves open closes behind the title of the passage.
    closes = "".join(_CLOSING[one] for one in before + after if one in _CLOSING)
    if closes and closes not in before + after:
        ending += rf"(?P<within>[^{re.escape(closes)}\n]{{1,120}}){re.escape(closes)}"
    return re.compile(
        rf"(?:{_ENDS})\s{{0,20}}(?P<mark>{re.escape(before)}(?P<number>\d{{1,3}})(?!\d)"
        rf"(?:[ \t]*\((?P<title>[^()\n]{{1,120}})\))?\s{{0,2}}{ending}{space})"
    )


def counted_parts(text: str, mark: str) -> list[Any]:
    """Return the passages that a mark counts, from 0 or 1 on; a text without it is one."""
    titled, mark = mark.endswith(TITLE), mark.removesuffix(TITLE)
    found: list[re.Match[str]] = []
    place = 0
    while match := _counting(mark).search(text, max(0, place - 1)):
        number = int(match["number"])
        if number == int(found[-1]["number"]) + 1 if found else number < 2:
            found.append(match)
        place = match.end()
    quote = mark[-1:] if mark[-1:] in QUOTES else ""
    begins = [one.start("mark") for one in found]
    if not found or not _INTRODUCES.fullmatch(text[: begins[0]]):
        return [_plain(text.strip().removeprefix(quote), quote)]
    passages: list[Any] = []
    for one, end in zip(found, [*begins[1:], len(text)], strict=True):
        title, begin = one["title"] or one.groupdict().get("within"), one.end()
        below = text.find("\n", begin, end)
        named = text[begin:below].strip(_BETWEEN)
        heading = titled or _HEADING.match(mark) is not None
        heading = heading and "\n" not in text[one.start("mark") : begin]
        if heading and below >= 0 and text[below:end].strip() and is_title(named):
            title, begin = named, below
        above, inner = below_source(_plain(text[begin:end], quote))
        title = above or title
        passages.append({"title": title, "text": inner} if title else inner)
    return [one for one in passages if one]


def uncounted(texts: Sequence[str]) -> list[str]:
    """Return texts without the labels that count them, as ``Passage 1: …`` and ``Passage 2: …`` in a list do."""
    found: list[re.Match[str]] = []
    for head in map(_COUNTED.match, texts):
        if head is None:
            return [*texts]
        found.append(head)
    labels = {one["label"].lower() for one in found}
    counts = [int(one["count"]) for one in found]
    counted = counts == [*range(1, len(texts) + 1)] or counts == [*range(len(texts))]
    # Articles of a law and steps have numbers of their own.
    if len(labels) != 1 or not labels <= _COUNTING_WORDS or not counted:
        return [*texts]
    return [text[one.end() :] for text, one in zip(texts, found, strict=True)]


def unlabelled(texts: Sequence[str]) -> list[str]:
    """Return texts without the lines that name the source of each, above or below it, if all have such."""
    if not all(":" in text[:_LABEL] or "=" in text[:_LABEL] for text in texts):
        return [*texts]  # to look at every text costs time
    heads = [head for head in map(_LABELLED.match, texts) if head]
    kept = [text[head.end() :] for text, head in zip(texts, heads, strict=False)]
    return [_without_source(text) for text in kept] if 0 < len(heads) == len(texts) else [*texts]


def _without_source(text: str) -> str:
    above, _, last = text.rstrip().rpartition("\n")
    return above.rstrip() if above and _SOURCE_BELOW.fullmatch(last.strip()) else text


def divided(text: str, separator: str) -> list[str]:
    """Return the passages between separators, or those of which each has a bullet on its line; none without any."""
    if separator not in BULLETS:
        parts = text.split(separator) if separator in text else []
        return [part for one in parts if (part := one.strip())]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    whole = all(line.startswith(separator) for line in lines)
    return [line.removeprefix(separator).strip() for line in lines] if whole else []


def is_title(text: str) -> bool:
    """Whether the rest of a heading's line is a title, and no sentence."""
    return 0 < len(text.split()) <= _MOST_WORDS and not text.endswith((".", "!", "?", ":"))


def below_source(text: str) -> tuple[str, str]:
    """Return the source that a line above a text names, empty without such a line, and the text below it."""
    line = _SOURCE_LINE.match(text)
    return (line[line.lastindex or 0], text[line.end() :]) if line else ("", text)


def _plain(text: str, quote: str) -> str:
    own = LAST_RULE.sub("", text.strip())
    return own.rstrip(_BETWEEN).removesuffix(QUOTES.get(quote, ""))


_SEPARATORS = re.compile(r"[;,|]")


class Relation(BaseModel):
    """Objects of a list that belong to an object of another list: their ``key`` is its ``id``, or one of several."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rows: str
    key: str
    into: str
    id: str

    @property
    def name(self) -> str:
        """The field under which an object holds those that belong to it."""
        return self.rows.rpartition(".")[2]


def nested(fields: Mapping[str, Any], relations: Sequence[Relation]) -> dict[str, Any]:
    """Return a row whose lists hold, in each of their objects, the objects of other lists that belong to it."""
    return reduce(_joined, relations, dict(fields))


def _joined(fields: dict[str, Any], one: Relation) -> dict[str, Any]:
    belonging: dict[str, list[Any]] = defaultdict(list)
    for held in given_of(_objects(fields, one.rows)):
        for name in _names(held, one.key):
            belonging[name].append(held)
    holding = [
        {**held, one.name: [part for name in _names(held, one.id) for part in belonging[name]]}
        for held in _objects(fields, one.into)
    ]
    rest = changed(fields, one.rows, lambda _: [])
    made: dict[str, Any] = changed(rest, one.into, lambda _: holding)
    return made


def united(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the object of which each part holds some fields: lists of all, of other values the first."""
    made: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            if isinstance(value, list) and isinstance(made.get(name), list):
                made[name] = [*made[name], *value]
            elif made.get(name) in (None, "", []):
                made[name] = value
    return made


def _objects(fields: Mapping[str, Any], path: str) -> list[dict[str, Any]]:
    held = parsed(value_at(fields, path))
    return [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []


def names_in(value: Any) -> list[str]:
    """Return the ids in a value, which a cell may list (``KB-1; KB-2``)."""
    return [one for part in _SEPARATORS.split(str(value)) if (one := part.strip())]


def _names(held: Mapping[str, Any], path: str) -> list[str]:
    """Return the ids at a path of an object: one, those of a list, or none."""
    listed = flattened([parsed(value_at(held, path))])
    given = (one for one in listed if one is not ABSENT and one not in EMPTY)
    return [name for one in given for name in names_in(one)]
