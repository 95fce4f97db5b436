"""Marks that a program wrote into the texts of a log: those of a template, and those that count passages.

A line, tag or label that stands once in nearly all texts of a column, at the same place among the others, is
the template's; what varies between two of them is a part of its own.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from qsquared.storage.logs.fields.field_paths import leaves
from qsquared.storage.logs.fields.reshaped import (
    BULLETS,
    NUMBER,
    QUOTES,
    TITLE,
    Cuts,
    counted_parts,
    cut,
    divided,
    is_title,
    sections,
)
from qsquared.storage.logs.prompts.divide_passages import split_result
from qsquared.storage.logs.surveys.columns.described import Proposal
from qsquared.storage.logs.surveys.columns.texts import share_of, spaced
from qsquared.storage.logs.surveys.columns.values import Column, Unit, columns_of

_NEARLY, _MOST, _HALF = 0.9, 0.8, 0.5
_LEAST_TEXTS = 5
_LEAST_COUNTED = 3
_LEAST_MOVED, _SOME_MOVED = 2, 0.2
_LONGEST_TEXT = 20_000
_LONGEST_MARK = 400
_LEAST_WORDS = 5
_ASKED = 0.4
_HARD_MARKS = r"\[\[[^\[\]\n]{1,60}\]\]|\{\{[^{}\n]{1,60}\}\}|<\|[^|\n]{1,60}\|>"
_FRAME = re.compile(_HARD_MARKS)
_HARD = re.compile(rf"{_HARD_MARKS}|([=~_#-])\1+[ \t]?[^\W_][^\n]{{0,80}}?\1{{2,}}")
"""A mark that no person writes, and that is no markup."""
_MARK = re.compile(rf"{_HARD_MARKS}|<[^<>\n]{{1,60}}>|\[[^\[\]\n]{{1,60}}\]|【[^【】\n]{{1,60}}】")
_LABEL = re.compile(r"[*#]{0,4} ?[^\W\d][^\n\d:：]{0,40}[:：]\**(?=\s|\Z)")  # noqa: RUF001
_HEAD = re.compile(
    r"\s*(?:[^\n]{1,80}[:：][ \t]*\n\s*)?"  # noqa: RUF001
    r"(?P<before>[^\d\n:：]{0,30}?)[01](?!\d)(?:[ \t]*\([^()\n]{1,120}\))?"  # noqa: RUF001
    r"(?P<after>[ \t]{0,2}[^\w\s«“„\"(¿¡]{1,3}(?:[ \t]?[^\W\d_]{2,20}[:：])?)?\s?(?P<quote>[«“„\"])?"  # noqa: RUF001
)
_RULE = re.compile(
    r"(?:^|(?<=\s))(?:([*=_~+/-])\1{2,}|([|¦§;])\2+|\[SEP\]|<sep>)(?=\s|$)"
    r"|(?<=[.!?\u2026\u3002])([`#=|])\3{2,}(?=\w)",
    re.IGNORECASE,
)
"""A mark that stands alone between two passages in a text."""
_LISTED = re.compile(r"\[\d+\]")
_NAMING = set("[【<{#")


def is_framed(text: str) -> bool:
    """Whether a text begins with a mark that only a program writes; a heading between signs is none."""
    return _FRAME.match(text) is not None


def cuts_in(units: Sequence[Unit], lost: AbstractSet[str] = frozenset()) -> dict[str, list[str]]:
    """Return the marks at which the texts of units are to be cut, by the paths of the texts.

    Texts at ``lost`` paths have no template.
    """
    made = {path: marks_of(texts) for path, texts in _columns(units).items() if path not in lost}
    # The items of a list with the same marks are passages that are laid out alike.
    listed = Counter((_LISTED.sub("[]", path), *marks) for path, marks in made.items())
    alone = {path for path, marks in made.items() if listed[_LISTED.sub("[]", path), *marks] < 2}
    cuts = {path: marks for path, marks in made.items() if marks and path in alone}
    inner = [cut(unit, cuts) for unit in units]
    counted = {
        path: counting(texts)
        for path, texts in _columns(inner, _HALF).items()
        # Elements say where passages begin and end.
        if share_of([text.lstrip().startswith("<") and split_result(text) for text in texts])
        < _NEARLY
    }
    return cuts | {path: [mark] for path, mark in counted.items() if mark}


def _columns(units: Sequence[Unit], least: float = _NEARLY) -> dict[str, list[str]]:
    """Return the texts at each path that a share of the units have, items of lists by their numbers."""
    found: dict[str, list[str]] = {}
    for path, value in (leaf for unit in units for leaf in leaves(unit, numbered=True)):
        if isinstance(value, str) and len(value) <= _LONGEST_TEXT and value.strip():
            found.setdefault(path, []).append(value)
    return {path: texts for path, texts in found.items() if len(texts) >= least * len(units)}


def marks_of(texts: Sequence[str]) -> list[str]:
    """Return the marks of the template that nearly all of some texts follow, in their order."""
    if len(texts) < _LEAST_TEXTS or not _varies(texts):
        return []
    once = Counter(mark for text in texts for mark in _candidates(text) if text.count(mark) == 1)
    usual = [mark for mark, count in once.items() if count >= _NEARLY * len(texts)]
    often = next((mark for mark, count in once.most_common(1) if count >= _HALF * len(texts)), "")
    alike = [text for text in texts if often and text.count(often) == 1]
    if not usual and len(alike) < len(texts):
        # Other prompts of the program, such as one that asks for a title, follow another template.
        return marks_of(alike)
    pattern = next((text for text in texts if all(mark in text for mark in usual)), "")
    marks: list[str] = []
    end = 0
    for place, _, mark in sorted((pattern.find(one), -len(one), one) for one in usual):
        if place >= end:
            marks.append(mark)
            end = place + len(mark)
    ordered = share_of([len(sections(text, marks)) == len(marks) + 1 for text in texts])
    return _dividing(texts, marks) if marks and ordered >= _NEARLY else []


def _candidates(text: str) -> list[str]:
    """Return the lines, tags and labels of a text that may be marks, each once and in order of the alphabet."""
    lines = [line.strip() for line in text.split("\n")]
    whole = {line for line in lines if 1 < len(line) <= _LONGEST_MARK}
    tags = {tag for tag in _MARK.findall(text) if not any(map(str.isdigit, tag))}
    # A set has another order in each process, and of marks that are as frequent the first counts.
    return sorted(whole | tags | {match[0] for line in lines if (match := _LABEL.match(line))})


def _dividing(texts: Sequence[str], marks: Sequence[str]) -> list[str]:
    """Return the marks beside which something varies.

    Marks that people write, too, between two parts that vary say that both are one text, unless one part asks.
    """
    cut_texts = [sections(text, marks) for text in texts]
    names = [str(n) for n in range(len(marks) + 1)]
    parts = [Column(name, [[one.get(name, "")] for one in cut_texts]) for name in names]
    varies = [_varies(part.filled) and part.share_filled >= _HALF for part in parts]
    kept = [mark for n, mark in enumerate(marks) if varies[n] or varies[n + 1]]
    hard = [mark for mark in kept if _HARD.fullmatch(mark)]
    between = [mark for n, mark in enumerate(marks) if varies[n] and varies[n + 1]]
    asked = any(part.share_asking >= _ASKED for part in parts)
    return kept if asked or set(between) <= set(hard) else hard


def _varies(texts: Sequence[str]) -> bool:
    return 0 < max(Counter(texts).values(), default=0) <= _MOST * len(texts)


def counting(texts: Sequence[str]) -> str:
    """Return the mark that counts up the passages of most texts, empty if none does.

    A list of steps has short items, or numbers alone before items that keep their number; passages that were
    found for several questions stand at several numbers.
    """
    heads = Counter(
        f"{head['before'].lstrip()}{NUMBER}{head['after'] or ''}{_quote(head)}"
        for head in map(_HEAD.match, texts)
        if head and (head["before"].strip() or head["after"])
    )
    mark, count = next(iter(heads.most_common(1)), ("", 0))
    if count < max(_LEAST_COUNTED, _HALF * len(texts)):
        return ""
    parts = (held for text in texts if len(held := counted_parts(text, mark)) > 1)
    several = [[one if isinstance(one, str) else one["text"] for one in held] for held in parts]
    whole = [len(spaced(one).split()) >= _LEAST_WORDS for held in several for one in held]
    passages = len(several) >= _LEAST_COUNTED and share_of(whole) >= _MOST
    names = any(one.isalpha() or one in _NAMING for one in mark.replace(NUMBER, ""))
    # Lines above all passages name them.
    lines = [one.partition("\n") for held in several for one in held]
    titled = share_of([bool(below) and is_title(above) for above, _, below in lines]) >= _NEARLY
    return mark + TITLE * titled if passages and (names or _move(several)) else ""


def separating(texts: Iterable[str]) -> str:
    """Return the rule between the passages of several texts, or the bullet before each; empty if there is none."""
    # A text that was found again says no more of its lines.
    texts = [*dict.fromkeys(texts)]
    for bullet in BULLETS:
        held = [divided(text, bullet) for text in texts]
        whole = [len(spaced(one).split()) >= _LEAST_WORDS for items in held for one in items]
        # A list of a text's own stands in that text alone, what was found for one question also for another.
        found = Counter(one for items in held for one in set(items))
        again = sum(count > 1 for count in found.values())
        if all(held) and again >= _LEAST_MOVED and share_of(whole) >= _NEARLY:
            return bullet
    marks = Counter(
        mark for text in texts for mark in dict.fromkeys(one[0] for one in _RULE.finditer(text))
    )
    mark, count = next(iter(marks.most_common(1)), ("", 0))
    parts = [part for text in texts if mark and mark in text for part in text.split(mark)]
    fences = mark.startswith("`") and all(text.count(mark) % 2 == 0 for text in texts)
    long = share_of([len(spaced(part).split()) >= _LEAST_WORDS for part in parts])
    return mark if count > 1 and long >= _MOST and not fences else ""


def _quote(head: re.Match[str]) -> str:
    return f" {head['quote']}" if head["quote"] in QUOTES else ""


def _move(several: Sequence[Sequence[str]]) -> bool:
    """Whether a share of the items stand at different numbers in different texts."""
    places: dict[str, set[int]] = defaultdict(set)
    for parts in several:
        for number, one in enumerate(parts):
            places[one].add(number)
    moved = sum(len(found) > 1 for found in places.values())
    return moved >= max(_LEAST_MOVED, _SOME_MOVED * len(places))


def cut_texts(
    path: str, held: Sequence[tuple[int, Unit]], propose: Callable[..., Iterable[Proposal]]
) -> Iterator[Proposal]:
    """Yield proposals for units whose texts are cut at the marks of their program, else for whole texts."""
    lost: set[str] = set()
    while cuts := cuts_in([unit for _, unit in held], lost):
        units = [cut(unit, cuts) for _, unit in held]
        groups = zip((group for group, _ in held), units, strict=True)
        found = [one for one in propose(path, list(groups)) if one.is_sure]
        # What repeats in the passages alone is knowledge, too, unless only a program writes so.
        made = columns_of(units)
        more = {where for one in found for where in _of_knowledge(one, cuts, made)} - lost
        lost |= more
        if found and not more:
            yield from (_with_cuts(one, cuts) for one in found)
            return
        if not more:
            break
    yield from propose(path, held)


def _of_knowledge(found: Proposal, cuts: Cuts, made: Mapping[str, Column]) -> Iterator[str]:
    """Yield the paths of cut texts that hold nothing but knowledge, and no instructions beside it."""
    fields = found.fields
    others = [path for part, paths in fields.items() if part != "knowledge" for path in paths]
    for where, marks in cuts.items():
        parts = [one for path, one in made.items() if one.filled and _within([path], where)]
        plain = any(NUMBER in mark or _HARD.fullmatch(mark) for mark in marks)
        plain = plain or any(one.is_constant and one.mean_words >= _LEAST_WORDS for one in parts)
        # What stands once before passages that are set apart by a rule names all of them.
        plain = plain or (len(parts) == 1 and separating(parts[0].filled) != "")
        if not plain and _within(fields.get("knowledge", ()), where) and not _within(others, where):
            yield where


def _within(paths: Iterable[str], where: str) -> bool:
    """Whether a path leads into a text that is cut."""
    place = _LISTED.sub("[]", where)
    return any(f"{path}.".startswith((f"{place}.", f"{place}[")) for path in paths)


def _with_cuts(found: Proposal, cuts: Cuts) -> Proposal:
    """Return a proposal with the cuts that its fields lie in.

    A reply without a mark counts as a whole. Knowledge beside a question in one text is a prompt, with blank
    lines between its passages.
    """
    fields = {part: list(paths) for part, paths in found.fields.items()}
    paths = [path for held in fields.values() for path in held]
    own = {where: marks for where, marks in cuts.items() if _within(paths, where)}
    more: dict[str, Any] = {"cut": own} if own else {}
    known, question = fields.get("knowledge", ()), fields.get("question", ())
    for where, marks in own.items():
        if _within(fields.get("response", ()), where):
            place = _LISTED.sub("[]", where)
            fields["response"] = [fields["response"][0], place]
        elif NUMBER not in marks[0] and _within(known, where) and _within(question, where):
            more["separator"] = "\n\n"
    return found.with_keys(**more, fields=fields)
