"""Texts of a row that are cut into their parts, at the marks that a description names.

Marks of a template, such as ``[[ ## answer ## ]]``, cut a text into an object: ``0`` is the text before the
first mark, ``1`` what follows it, and so on.
A mark with ``{n}``, such as ``Source {n}:``, stands before passages that count up: the text becomes their list.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from qsquared.storage.logs.fields.texts.cells import by_ids, opened

NUMBER = "{n}"
Cuts = Mapping[str, Sequence[str]]
"""The marks of each text that is cut, by its path; a part of a cut text may be cut, too."""

_ENDS = r"\A|[\n.!?…。！？:»”\"')\]|;/–—-]"  # noqa: RUF001 - marks of several scripts
_BETWEEN = " \t\r\n|;/–—"  # noqa: RUF001 - rules between passages
_INTRODUCES = re.compile(r"\s*(?:[^\n]{1,80}[:：]\s*)?")  # noqa: RUF001 - a colon of Chinese texts
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
    return re.compile(
        rf"(?:{_ENDS})\s{{0,20}}(?P<mark>{re.escape(before)}(?P<number>\d{{1,3}})(?!\d)"
        rf"(?:[ \t]*\((?P<title>[^()\n]{{1,120}})\))?\s{{0,2}}{ending}{space})"
    )


def counted_parts(text: str, mark: str) -> list[Any]:
    """Return the passages that a mark counts, from 0 or 1 on; a text without it is one."""
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
        inner = _plain(text[one.end() : end], quote)
        passages.append({"title": one["title"], "text": inner} if one["title"] else inner)
    return [one for one in passages if one]


def _plain(text: str, quote: str) -> str:
    return text.strip().rstrip(_BETWEEN).removesuffix(QUOTES.get(quote, ""))
