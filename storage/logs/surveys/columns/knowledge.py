"""Columns that may be the knowledge of replies, and those beside them that hold the same or more of it.

Several columns of a log often have the same passages: as they were found, as they were chosen, within a prompt.
These functions choose the one that a model was given, and the paths to what else it was given.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from qsquared.storage.logs.fields.field_paths import ABSENT, value_at
from qsquared.storage.logs.fields.mapping import AND, NAMELESS
from qsquared.storage.logs.messages.parts import documents_in
from qsquared.storage.logs.prompts.prompt_parts import split_prompt
from qsquared.storage.logs.surveys.columns.texts import are_addresses
from qsquared.storage.logs.surveys.columns.values import Column, Unit, within
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")

_TEXT_OF_DOCUMENT = re.compile(r"\.(?:content|text)\Z")
COUNTS = r"(?<![.\d])\d+|(?<![^\W_])[a-dA-D](?![^\W_])"
"""The numbers or letters by which several of a kind are told apart."""


def known_path(units: Sequence[Unit], column: Column) -> str:
    """Return the path of the list whose documents have a column's values as their texts, else the column's path.

    The list says more than the texts: it has their titles and other names.
    """
    outer = column.path.rpartition("[]")[0]
    while outer:
        lists = [value_at(unit, outer) for unit in units]
        found = [documents_in(_without_flags(held)) for held in lists if held is not ABSENT]
        if [document["text"] for documents in found for document in documents] == column.all_values:
            return outer
        outer = outer.rpartition("[]")[0]
    return column.path


def _without_flags(held: Any) -> Any:
    """Return hits without their flags, such as that one was dropped before the assistant saw it."""

    def without(hit: Any) -> Any:
        if not isinstance(hit, dict):
            return hit
        return {name: value for name, value in hit.items() if not isinstance(value, bool | int)}

    return [without(hit) for hit in held] if isinstance(held, list) else held


def counted_alike(path: str, paths: Iterable[str], counts: str = r"(?<![.\d\[-])\d+") -> list[str]:
    """Return the other paths that differ from one in a count only, such as ``context_2``."""
    parts = re.split(counts, path)
    if len(parts) == 1 or NAMELESS.fullmatch(path):
        return []
    pattern = re.compile(f"(?:{counts})".join(map(re.escape, parts)))
    return [other for other in paths if other != path and pattern.fullmatch(other)]


def given_beside(knowledge: Column, reply: Column, columns: Mapping[str, Column]) -> Iterator[str]:
    """Yield the paths of what other tools returned, and of texts attached to a question, that are no knowledge yet."""
    yield from _of_other_tools(knowledge.path, columns)
    passages = {*knowledge.all_values}
    for path, column in columns.items():
        returned = _V["returned"].match(path)
        # Shorter texts are names of what was attached.
        attached = column.mean_words >= 8 and _V["given"].match(path)
        read = not passages.isdisjoint(column.all_values) or column.is_made_of(reply)
        outer = path.partition("[]")[0]
        if (returned or attached) and not read and not knowledge.path.startswith(outer):
            # A list of documents says more than their texts.
            yield returned[0] if returned and not _TEXT_OF_DOCUMENT.search(returned[0]) else outer


def _of_other_tools(known: str, paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths that differ from that of knowledge in the name of one list, as that of another tool.

    It must stand in the first half of at least five names: near the end names tell a text from a title.
    """
    own = known.split(".")
    for path in paths:
        names = path.split(".")[: len(own)]
        names[-1] = names[-1].removesuffix("[]")
        pairs = zip(own, names, strict=False)
        differing = [place for place, pair in enumerate(pairs) if pair[0] != pair[1]]
        if len(names) != len(own) or len(own) < 5 or len(differing) != 1:
            continue
        (place,) = differing
        lists = own[place].endswith("[]") and names[place].endswith("[]")
        if lists and 2 * place < len(own):
            yield ".".join(names)


def known_beside(text: Column, columns: Mapping[str, Column]) -> list[Column]:
    """Return the columns that may hold what the texts of messages rest on, which stand at other paths."""
    known = [one for path, one in columns.items() if path not in text.path.split(AND)]
    known = [one for one in known if one.may_be_knowledge()]
    # A text with the whole of its knowledge is a prompt, which nobody says; with what is said, a history.
    known = [one for one in known if not one.is_made_of(text) and not text.is_picked_from(one)]
    known = [one for one in known if not any(_is_cited(one, other) for other in known)]
    # Of the texts of a list's objects those that most have are read.
    known = [one for one in known if not any(_is_rarer(one, other) for other in known)]
    return [one for one in known if not (one.is_within(text) or hold_passages(one, user=True))]


def found_beside(
    knowledge: Column,
    known: Sequence[Column],
    columns: Mapping[str, Column],
    of_bot: Sequence[bool],
) -> Iterator[tuple[str, Column]]:
    """Yield the columns of knowledge that the assistant's messages have beside another one, as of another search.

    Each comes after the part of a turn that it is: `knowledge` where the other has none, or `more` for what was found
    at addresses; ``of_bot`` says of each message whether it is the assistant's.
    """
    filled = {place for place, text in enumerate(knowledge.texts) if text}
    passages = {*knowledge.all_values}
    for other in known:
        own = {place for place, text in enumerate(other.texts) if text}
        # The same search may be logged twice.
        again = not passages.isdisjoint(other.all_values)
        others_say = not all(of_bot[place] for place in own | filled)
        if not own or others_say or again or other.is_constant:
            continue
        apart = own.isdisjoint(filled)
        if apart or _are_of_pages(other, knowledge, columns):
            filled |= own
            yield "knowledge" if apart else "more", other


def _are_of_pages(column: Column, other: Column, columns: Mapping[str, Column]) -> bool:
    """Whether texts stand beside addresses of pages, in another list than those of another column."""
    own_list, other_list = (one.path.partition("[]")[0] for one in (column, other))
    beside = within(column.path.rpartition(".")[0], columns)
    pages = any(one.filled and one.share(are_addresses) == 1 for one in beside)
    return "[]" in column.path and own_list != other_list and pages


def is_reranked(column: Column, other: Column) -> bool:
    """Whether a column has what a reranker chose of another one."""
    return _V["reranked"].search(column.path) is not None and column.is_choice_of(other)


def _is_cited(column: Column, other: Column) -> bool:
    """Whether a column has what a reply cites of another one, which has all that was found.

    What was found may stand in a message of a tool before the reply.
    """
    if _V["cited"].search(column.path) is None or _V["cited"].search(other.path):
        return False
    both = any(own and its for own, its in zip(column.values, other.values, strict=True))
    fewer = {*column.all_values} < {*other.all_values}
    return column.is_choice_of(other) or (fewer and not both)


def _is_rarer(column: Column, other: Column) -> bool:
    """Whether a column has the texts of few objects of a list, while twice as many have another text."""
    lists = {one.path.rpartition("[]")[0] for one in (column, other)}
    within = all(its for own, its in zip(column.texts, other.texts, strict=True) if own)
    same_list = len(lists) == 1 and lists != {""}
    return within and same_list and 2 * column.share_filled < other.share_filled


def _is_nearer(column: Column, other: Column) -> bool:
    """Whether a column has the texts of another in fewer lists, which a program logged again with each step."""
    depth, others = (one.path.count("[]") for one in (column, other))
    return depth < others and column.values == other.values


def may_be_known(columns: Sequence[Column]) -> list[Column]:
    """Return the columns that may have knowledge: not what was only cited, or not chosen, of another."""
    # Not each unit must have knowledge.
    known = [one for one in columns if one.share_filled >= 0.4]
    known = [one for one in known if not any(_is_nearer(other, one) for other in known)]
    known = [one for one in known if not any(is_reranked(other, one) for other in known)]
    known = [one for one in known if not any(_is_cited(one, other) for other in known)]
    # One article may be the knowledge of all replies, but no short line beside texts that differ.
    articles = [one for one in known if one.mean_words >= 20]
    if any(one.is_prose and not one.is_constant for one in articles):
        known = [one for one in known if one in articles or not one.is_constant]
    return known


def whole_texts(known: Sequence[Column], asking: Sequence[Column]) -> list[Column]:
    """Return the columns of knowledge without prompts that repeat it, and without excerpts of it.

    A prompt holds the question (of one of the columns that ask), too, or words of its own before the knowledge.
    """
    texts = [one for one in known if not any(map(one.holds, asking))] or known
    texts = [one for one in texts if not any(map(one.frames, texts))]
    # A text that holds each passage of a list was made of it.
    lists = [one for one in texts if not one.is_single]
    single = [one for one in texts if one.is_single]
    made = [one for one in single if any(one.holds(held) or one.joins(held) for held in lists)]
    texts = [one for one in texts if one not in made]
    return [one for one in texts if not any(other.holds(one) for other in texts)]


def hold_passages(column: Column, *, user: bool) -> bool:
    """Whether texts are prompts with passages: nearly all, or half if the others begin like them or are short.

    Prompts of one program begin alike, also those without passages.

    Args:
        column: the texts, one of each unit.
        user: whether the prompts are a user's, with a question beside the passages.
    """
    prompts = [text for text in column.filled if _is_prompt(text, user=user)]
    begins = {text[:20] for text in prompts}
    short = fmean(map(len, prompts)) / 2 if prompts else 0.0
    alike = all(text[:20] in begins or len(text) < short for text in column.filled)
    share = len(prompts) / max(len(column.filled), 1)
    return column.is_single and share >= (0.5 if alike else 0.9)


def _is_prompt(text: str, *, user: bool) -> bool:
    """Whether a text holds passages, and something beside them."""
    parts = split_prompt(text, user=user)
    return bool(parts and parts.passages and parts.rest.strip())


def part_of_prompts(column: Column, question: Column | None) -> str | None:
    """Return the part of a turn that a column of prompts is, ``system`` or ``question``; None if it has no prompts.

    A prompt of the system holds passages among instructions, one of a user passages before the question.
    """
    if question is not None and not column.holds(question) and hold_passages(column, user=False):
        return "system"
    return "question" if not column.is_expected and hold_passages(column, user=True) else None
