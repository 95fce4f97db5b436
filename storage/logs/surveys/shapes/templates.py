"""Marks that a program wrote into the texts of a log: those of a template, and those that count passages.

A line, tag or label that stands once in nearly all texts of a column, at the same place among the others, is
the template's; what varies between two of them is a part of its own.
Texts are cut at these marks before columns are made of their parts (`cut_texts`), and the description says so.
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
from qsquared.storage.logs.surveys.columns.values import Column, NumberedUnits, Unit, columns_of

_LEAST_TEXTS = 5
"""Of fewer texts no template is told."""
_LEAST_COUNTED = 3
"""The fewest texts that a mark counts passages in."""
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
"""The begin of a text with the number of its first passage, in the marks around it, below a line that may name it."""
_RULE = re.compile(
    r"(?:^|(?<=\s))(?:([*=_~+/-])\1{2,}|([|¦§;])\2+|\[SEP\]|<sep>)(?=\s|$)"
    r"|(?<=[.!?\u2026\u3002])([`#=|])\3{2,}(?=\w)",
    re.IGNORECASE,
)
"""A mark that stands alone between two passages in a text."""
_ITEM_NUMBER = re.compile(r"\[\d+\]")


def is_framed(text: str) -> bool:
    """Whether a text begins with a mark that only a program writes; a heading between signs is none."""
    return _FRAME.match(text) is not None


def cuts_in(units: Sequence[Unit], whole: AbstractSet[str] = frozenset()) -> dict[str, list[str]]:
    """Return the marks at which the texts of units are to be cut, by the paths of the texts.

    Texts at the paths of ``whole`` are not cut at a template's marks.
    """
    by_path = _texts_by_path(units)
    templates = {path: marks_of(by_path[path]) for path in by_path if path not in whole}
    # The items of a list with the same marks are passages that are laid out alike.
    layouts = {path: (_of_list(path), *marks) for path, marks in templates.items() if marks}
    counts = Counter(layouts.values())
    cuts = {path: templates[path] for path in layouts if counts[layouts[path]] == 1}
    parts = [cut(unit, cuts) for unit in units]
    for path, texts in _texts_by_path(parts, least=0.5).items():
        # Elements say where passages begin and end.
        elements = [text.lstrip().startswith("<") and split_result(text) for text in texts]
        if share_of(elements) < 0.9 and (mark := counting(texts)):
            cuts[path] = [mark]
    return cuts


def _of_list(path: str) -> str:
    """Return a path with brackets in place of the numbers of items."""
    return _ITEM_NUMBER.sub("[]", path)


def _texts_by_path(units: Sequence[Unit], least: float = 0.9) -> dict[str, list[str]]:
    """Return the texts at each path that a share of the units have, items of lists by their numbers."""
    found: dict[str, list[str]] = {}
    for path, value in (leaf for unit in units for leaf in leaves(unit, numbered=True)):
        if isinstance(value, str) and len(value) <= 20_000 and value.strip():
            found.setdefault(path, []).append(value)
    return {path: texts for path, texts in found.items() if len(texts) >= least * len(units)}


def marks_of(texts: Sequence[str]) -> list[str]:
    """Return the marks of the template that nearly all of some texts follow, in their order; empty if they do not."""
    if len(texts) < _LEAST_TEXTS or not _vary(texts):
        return []
    once = Counter(mark for text in texts for mark in _candidates(text) if text.count(mark) == 1)
    usual = [mark for mark, count in once.items() if count >= 0.9 * len(texts)]
    most, count = next(iter(once.most_common(1)), ("", 0))
    alike = [text for text in texts if count >= 0.5 * len(texts) and text.count(most) == 1]
    if not usual and len(alike) < len(texts):
        # Other prompts of the program, such as one that asks for a title, follow another template.
        return marks_of(alike)
    model = next((text for text in texts if all(mark in text for mark in usual)), "")
    marks: list[str] = []
    end = 0
    for place, _, mark in sorted((model.find(mark), -len(mark), mark) for mark in usual):
        if place >= end:
            marks.append(mark)
            end = place + len(mark)
    ordered = share_of([len(sections(text, marks)) == len(marks) + 1 for text in texts])
    return _dividing(texts, marks) if marks and ordered >= 0.9 else []


def _candidates(text: str) -> list[str]:
    """Return the lines, tags and labels of a text that may be marks, each once and in order of the alphabet."""
    lines = [line.strip() for line in text.split("\n")]
    short = {line for line in lines if 1 < len(line) <= 400}
    tags = {tag for tag in _MARK.findall(text) if not any(map(str.isdigit, tag))}
    # A set has another order in each process, and of marks that are as frequent the first counts.
    return sorted(short | tags | {match[0] for line in lines if (match := _LABEL.match(line))})


def _dividing(texts: Sequence[str], marks: Sequence[str]) -> list[str]:
    """Return the marks beside which something varies.

    Marks that people write, too, between two parts that vary say that both are one text, unless one part asks.
    """
    sections_of = [sections(text, marks) for text in texts]
    names = [str(number) for number in range(len(marks) + 1)]
    parts = [Column(name, [[of_text.get(name, "")] for of_text in sections_of]) for name in names]
    varies = [_vary(part.filled) and part.share_filled >= 0.5 for part in parts]
    beside = [*zip(marks, varies[:-1], varies[1:], strict=True)]
    kept = [mark for mark, before, after in beside if before or after]
    between = [mark for mark, before, after in beside if before and after]
    asked = any(part.share_asking >= 0.4 for part in parts)
    if asked or all(map(_HARD.fullmatch, between)):
        return kept
    return [mark for mark in kept if _HARD.fullmatch(mark)]


def _vary(texts: Sequence[str]) -> bool:
    """Whether no text stands in more than 80 % of the places; nothing varies where there is no text."""
    return 0 < max(Counter(texts).values(), default=0) <= 0.8 * len(texts)


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
    if count < max(_LEAST_COUNTED, 0.5 * len(texts)):
        return ""
    counted = (parts for text in texts if len(parts := counted_parts(text, mark)) > 1)
    lists = [[one if isinstance(one, str) else one["text"] for one in parts] for parts in counted]
    items = [item for parts in lists for item in parts]
    passages = len(lists) >= _LEAST_COUNTED and _share_long(items) >= 0.8
    names = any(sign.isalpha() or sign in "[【<{#" for sign in mark.replace(NUMBER, ""))
    if not passages or not (names or _move(lists)):
        return ""
    # Lines above all passages name them.
    lines = [item.partition("\n") for item in items]
    titled = share_of([bool(below) and is_title(above) for above, _, below in lines]) >= 0.9
    return mark + TITLE * titled


def _share_long(texts: Sequence[str]) -> float:
    """Return the share of texts with five words or more, as a passage has and an item of a list of names has not."""
    return share_of([len(spaced(text).split()) >= 5 for text in texts])


def separating(texts: Iterable[str]) -> str:
    """Return the rule between the passages of several texts, or the bullet before each; empty if there is none."""
    # A text that was found again says no more of its lines.
    texts = [*dict.fromkeys(texts)]
    for bullet in BULLETS:
        lists = [divided(text, bullet) for text in texts]
        # A list of a text's own stands in that text alone, what was found for one question also for another.
        counts = Counter(item for items in lists for item in set(items))
        again = sum(count > 1 for count in counts.values())
        long = _share_long([item for items in lists for item in items])
        if all(lists) and again >= 2 and long >= 0.9:
            return bullet
    rules = (dict.fromkeys(match[0] for match in _RULE.finditer(text)) for text in texts)
    marks = Counter(mark for of_text in rules for mark in of_text)
    mark, count = next(iter(marks.most_common(1)), ("", 0))
    parts = [part for text in texts if mark and mark in text for part in text.split(mark)]
    fences = mark.startswith("`") and all(text.count(mark) % 2 == 0 for text in texts)
    return mark if count > 1 and _share_long(parts) >= 0.8 and not fences else ""


def _quote(head: re.Match[str]) -> str:
    """Return the quotation mark behind the number of a passage, with a blank; empty if there is none."""
    return f" {head['quote']}" if head["quote"] in QUOTES else ""


def _move(lists: Sequence[Sequence[str]]) -> bool:
    """Whether a fifth of the items, and two at least, stand at different numbers in different texts."""
    places: dict[str, set[int]] = defaultdict(set)
    for items in lists:
        for number, item in enumerate(items):
            places[item].add(number)
    moved = sum(len(numbers) > 1 for numbers in places.values())
    return moved >= max(2, 0.2 * len(places))


def cut_texts(
    path: str, numbered: NumberedUnits, propose: Callable[..., Iterable[Proposal]]
) -> Iterator[Proposal]:
    """Yield proposals for units whose texts are cut at the marks of their program, else for whole texts.

    Args:
        path: the path of the list of the units.
        numbered: the units.
        propose: makes proposals for such a list.
    """
    whole: set[str] = set()
    while cuts := cuts_in([unit for _, unit in numbered], whole):
        parts = [(number, cut(unit, cuts)) for number, unit in numbered]
        sure = [proposal for proposal in propose(path, parts) if proposal.is_sure]
        # What repeats in the passages alone is knowledge, too, unless only a program writes so.
        columns = columns_of([unit for _, unit in parts])
        more = {place for one in sure for place in _of_knowledge(one, cuts, columns)} - whole
        if not more:
            if sure:
                yield from (_with_cuts(proposal, cuts) for proposal in sure)
                return
            break
        whole |= more
    yield from propose(path, numbered)


def _of_knowledge(proposal: Proposal, cuts: Cuts, columns: Mapping[str, Column]) -> Iterator[str]:
    """Yield the paths of cut texts that hold nothing but knowledge, and no instructions beside it."""
    fields = proposal.fields
    others = [path for part, paths in fields.items() if part != "knowledge" for path in paths]
    for place, marks in cuts.items():
        if not _lead_into(fields.get("knowledge", ()), place) or _lead_into(others, place):
            continue
        columns_within = [column for path, column in columns.items() if _lead_into([path], place)]
        parts = [column for column in columns_within if column.filled]
        instructs = any(part.is_constant and part.mean_words >= 5 for part in parts)
        of_program = any(NUMBER in mark or _HARD.fullmatch(mark) for mark in marks)
        # What stands once before passages that are set apart by a rule names all of them.
        named = len(parts) == 1 and separating(parts[0].filled) != ""
        if not (of_program or instructs or named):
            yield place


def _lead_into(paths: Iterable[str], place: str) -> bool:
    """Whether a path leads into a text that is cut, or to it."""
    text = _of_list(place)
    return any(f"{path}.".startswith((f"{text}.", f"{text}[")) for path in paths)


def _with_cuts(proposal: Proposal, cuts: Cuts) -> Proposal:
    """Return a proposal with the cuts that its fields lie in.

    A reply without a mark counts as a whole. Knowledge beside a question in one text is a prompt, with blank
    lines between its passages.
    """
    fields = {part: list(paths) for part, paths in proposal.fields.items()}
    paths = [path for of_part in fields.values() for path in of_part]
    own = {place: marks for place, marks in cuts.items() if _lead_into(paths, place)}
    keys: dict[str, Any] = {"cut": own} if own else {}
    knowledge, question = fields.get("knowledge", ()), fields.get("question", ())
    for place, marks in own.items():
        is_prompt = _lead_into(knowledge, place) and _lead_into(question, place)
        if _lead_into(fields.get("response", ()), place):
            fields["response"] = [fields["response"][0], _of_list(place)]
        elif is_prompt and NUMBER not in marks[0]:
            keys["separator"] = "\n\n"
    return proposal.with_keys(**keys, fields=fields)
