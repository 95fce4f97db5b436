"""Columns of an unknown log that may be the knowledge of its replies, beside others that hold the same."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from qsquared.storage.logs.fields.field_paths import ABSENT, value_at
from qsquared.storage.logs.fields.mapping import NAMELESS
from qsquared.storage.logs.messages.parts import documents_in
from qsquared.storage.logs.prompts.prompt_parts import split_prompt
from qsquared.storage.logs.surveys.columns.texts import share_of
from qsquared.storage.logs.surveys.columns.values import Column, Unit
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")

_NAMED_TEXT = re.compile(r"\.(?:content|text)\Z")
_BEGIN = 20
"""The characters with which prompts of one program begin alike, also those without passages."""
_HALF, _NEARLY = 0.5, 0.9
_SOME_GIVEN = 0.4
"""The share of the units that have knowledge."""
_ARTICLE = 20
"""The words of a text that may be the knowledge of all replies."""
_TOLD = 8
"""The mean length of texts, in words, from which on they are more than names."""
_DEEP = 4
"""The names that the paths of what several tools returned have alike."""

COUNTS = r"(?<![.\d])\d+|(?<![^\W_])[a-dA-D](?![^\W_])"
"""The numbers or letters by which several of a kind are told apart."""


def known_path(units: Sequence[Unit], column: Column) -> str:
    """Return the list that holds the passages of a column with their names, else the column's own path."""
    outer = column.path.rpartition("[]")[0]
    while outer:
        lists = (one for unit in units if (one := value_at(unit, outer)) is not ABSENT)
        found = [one["text"] for held in lists for one in documents_in(_without_flags(held))]
        if found == column.all_values:
            return outer
        outer = outer.rpartition("[]")[0]
    return column.path


def _without_flags(held: Any) -> Any:
    """Return hits without their flags, such as that one was dropped before the assistant saw it."""
    if not isinstance(held, list):
        return held
    return [
        {name: value for name, value in one.items() if not isinstance(value, bool | int)}
        if isinstance(one, dict)
        else one
        for one in held
    ]


def counted_alike(path: str, paths: Iterable[str], counts: str = r"(?<![.\d\[-])\d+") -> list[str]:
    """Return the other paths that differ from one in a count only, such as ``context_2``."""
    parts = re.split(counts, path)
    pattern = re.compile(f"(?:{counts})".join(map(re.escape, parts)))
    counted = len(parts) > 1 and not NAMELESS.fullmatch(path)
    return [one for one in paths if counted and one != path and pattern.fullmatch(one)]


def of_other_tools(known: str, paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths that differ from that of knowledge in one name far from their ends, as that of another tool."""
    own = known.split(".")
    for path in paths:
        names = path.split(".")[: len(own)]
        names[-1] = names[-1].removesuffix("[]")
        same = [a == b for a, b in zip(own, names, strict=False)]
        # Names near the end tell a text from a title, those near the beginning one tool from another.
        differs = same.index(False) if False in same else len(own)
        deep = len(same) == len(own) and sum(same) == len(own) - 1 >= _DEEP
        if (
            deep
            and 2 * differs < len(own)
            and own[differs].endswith("[]")
            and names[differs].endswith("[]")
        ):
            yield ".".join(names)


def given_beside(known: Column, reply: Column, made: Mapping[str, Column]) -> Iterator[str]:
    """Yield the paths of what other tools returned, and of texts attached to a question, that are no knowledge yet."""
    yield from of_other_tools(known.path, made)
    read = {*known.all_values}
    found = dict[str, None]()
    for path, one in made.items():
        match = _V["returned"].match(path)
        long = one.mean_words >= _TOLD and _V["given"].match(path)
        again = not read.isdisjoint(one.all_values) or one.is_made_of(reply)
        if (match or long) and not again and not known.path.startswith(path.partition("[]")[0]):
            # A list of documents says more than their texts.
            found[
                path.partition("[]")[0] if not match or _NAMED_TEXT.search(match[0]) else match[0]
            ] = None
    yield from found


def is_reranked(column: Column, other: Column) -> bool:
    """Whether a column has what a reranker chose of another one."""
    return _V["reranked"].search(column.path) is not None and column.is_choice_of(other)


def is_cited(column: Column, other: Column) -> bool:
    """Whether a column has what a reply cites of what another one has, which is all that was found.

    What was found may stand in a message of a tool before the reply.
    """
    if _V["cited"].search(column.path) is None or _V["cited"].search(other.path):
        return False
    own, found = ({*one.all_values} for one in (column, other))
    apart = not any(a and b for a, b in zip(column.values, other.values, strict=True))
    return column.is_choice_of(other) or (apart and own < found)


def is_rarer(column: Column, other: Column) -> bool:
    """Whether a column has the texts of few objects of a list, of which many have another text."""
    lists = {one.path.rpartition("[]")[0] for one in (column, other)}
    both = all(there for own, there in zip(column.texts, other.texts, strict=True) if own)
    return (
        both and lists != {""} and len(lists) == 1 and 2 * column.share_filled < other.share_filled
    )


def stands_nearer(column: Column, other: Column) -> bool:
    """Whether a column has the texts of another in fewer lists, which a program logged again with each step."""
    depth, others = (one.path.count("[]") for one in (column, other))
    return depth < others and column.values == other.values


def whole_texts(known: Sequence[Column], asked: Sequence[Column]) -> list[Column]:
    """Return the columns of knowledge without prompts that repeat it, and without excerpts of it.

    A prompt holds the question, too, or words of its own before the knowledge.
    """
    texts = [one for one in known if not any(map(one.holds, asked))] or known
    texts = [one for one in texts if not any(map(one.frames, texts))]
    # A text that holds each passage of a list was made of it.
    lists = [one for one in texts if not one.is_single]
    single = [one for one in texts if one.is_single]
    made = [one for one in single if any(one.holds(held) or one.joins(held) for held in lists)]
    texts = [one for one in texts if one not in made]
    return [one for one in texts if not any(other.holds(one) for other in texts)]


def hold_passages(column: Column, *, user: bool) -> bool:
    """Whether texts are prompts: nearly all hold passages, or many and the others begin so or are short."""
    parts = [split_prompt(text, user=user) for text in column.filled]
    told = [bool(one and one.passages and one.rest.strip()) for one in parts]
    begun = {text[:_BEGIN] for text, one in zip(column.filled, told, strict=True) if one}
    long = [len(text) for text, one in zip(column.filled, told, strict=True) if one]
    short = fmean(long) / 2 if long else 0.0
    alike = all(text[:_BEGIN] in begun or len(text) < short for text in column.filled)
    return column.is_single and share_of(told) >= (_HALF if alike else _NEARLY)


def may_be_known(given: Sequence[Column]) -> list[Column]:
    """Return the columns that may have knowledge: not what was only cited, or not chosen, of another."""
    known = [one for one in given if one.share_filled >= _SOME_GIVEN]
    known = [one for one in known if not any(stands_nearer(other, one) for other in known)]
    known = [one for one in known if not any(is_reranked(other, one) for other in known)]
    known = [one for one in known if not any(is_cited(one, other) for other in known)]
    # One article may be the knowledge of all replies, but no short line beside texts that differ.
    if any(one.is_prose and one.mean_words >= _ARTICLE and not one.is_constant for one in known):
        known = [one for one in known if one.mean_words >= _ARTICLE or not one.is_constant]
    return known


def part_of_prompts(column: Column, question: Column | None) -> str | None:
    """Return whether nearly all texts are prompts of a ``system`` or of users (``question``), None if they are not.

    Passages stand in them, among instructions to the model or between these and a question.
    """
    if question is not None and not column.holds(question) and hold_passages(column, user=False):
        return "system"
    return "question" if not column.is_expected and hold_passages(column, user=True) else None
