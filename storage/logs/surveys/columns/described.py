"""Descriptions that are proposed for a log, and the columns that may be parts of a turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from qsquared.storage.logs.fields.field_paths import ABSENT, first_name, value_at
from qsquared.storage.logs.fields.mapping import NAMELESS
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.fields.values import is_name
from qsquared.storage.logs.messages.parts import documents_in
from qsquared.storage.logs.prompts.prompt_parts import split_prompt
from qsquared.storage.logs.surveys.columns.values import Column, Unit, share_of
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")

_PLACE_LIKE = _V["place_like"]
ID_LIKE = _V["id_like"]
_NAMED_TEXT = re.compile(r"\.(?:content|text)\Z")
_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"[A-Za-z]{1,12}[-_.:#]?\d{1,12}")
"""A name that is counted up, such as m001 or MSG-17."""
_BEGIN = 20
"""The characters with which prompts of one program begin alike, also those without passages."""
_HALF, _NEARLY = 0.5, 0.9
_TOLD = 8
"""The mean length of texts, in words, from which on they are more than names."""
_DEEP = 4
"""The names that the paths of what several tools returned have alike."""
_MANY = 5
"""Of so many units, all with another value in a field, the field names units, not conversations."""
NO_KNOWLEDGE = (
    "No field beside the replies holds texts that they could rest on; log with each reply what was "
    "retrieved for it."
)
SURE = 0.55
"""The confidence from which on a proposal is made."""
_OURS = {"more": "knowledge", "question": "history"}
"""The fields of a turn by parts of a description that have other names."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A description that reads a log, with its confidence from 0 to 1; ``lacks`` says what is missing."""

    stated: dict[str, Any] = field(default_factory=dict)
    confidence: float = 0.0
    lacks: str = ""

    @property
    def is_sure(self) -> bool:
        """Whether the confidence is enough to propose it."""
        return self.confidence >= SURE

    @property
    def fields(self) -> dict[str, list[str]]:
        """The paths of each part of a turn, empty if nothing is described."""
        fields: dict[str, list[str]] = self.stated.get("fields", {})
        return fields

    @property
    def rows(self) -> str:
        """The path to the rows, empty if they are those of the file."""
        return "".join(self.stated.get("rows", ()))

    @property
    def mapping(self) -> dict[str, str]:
        """The short form of a description whose rows are turns, empty if there is none."""
        more = self.stated.keys() & {"rows", "line", "lines", "cut", "join", "related", "separator"}
        parts = {"messages", "system"}.intersection(self.fields)
        several = len(self.fields.get("knowledge", ())) > 1
        if self.stated.get("engine") != "records" or more or parts or several:
            return {}
        pairs = (
            (one, _OURS.get(part, part)) for part, paths in self.fields.items() for one in paths
        )
        return {path: part for path, part in pairs if path != part}

    def but(self, **more: Any) -> Proposal:
        """Return the proposal with other keys in its description."""
        return replace(self, stated={**self.stated, **more})


def known_path(units: Sequence[Unit], column: Column) -> str:
    """Return the list that holds the passages of a column with their names, else the column's own path."""
    texts = [text for held in column.values for text in held]
    outer = column.path.rpartition("[]")[0]
    while outer:
        lists = (one for unit in units if (one := value_at(unit, outer)) is not ABSENT)
        found = [one["text"] for held in lists for one in documents_in(_without_flags(held))]
        if found == texts:
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
    read = {text for held in known.values for text in held}
    found = dict[str, None]()
    for path, one in made.items():
        match = _V["returned"].match(path)
        long = one.length >= _TOLD and _V["given"].match(path)
        again = any(text in read for held in one.values for text in held) or one.is_made_of(reply)
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
    own, found = ({text for held in one.values for text in held} for one in (column, other))
    apart = not any(a and b for a, b in zip(column.values, other.values, strict=True))
    return column.is_choice_of(other) or (apart and own < found)


def is_rarer(column: Column, other: Column) -> bool:
    """Whether a column has the texts of few objects of a list, of which many have another text."""
    lists = {one.path.rpartition("[]")[0] for one in (column, other)}
    both = all(there for own, there in zip(column.texts, other.texts, strict=True) if own)
    return both and lists != {""} and len(lists) == 1 and 2 * column.given < other.given


def stands_nearer(column: Column, other: Column) -> bool:
    """Whether a column has the texts of another in fewer lists, which a program logged again with each step."""
    depth, others = (one.path.count("[]") for one in (column, other))
    return depth < others and column.values == other.values


def whole_texts(known: Sequence[Column], asked: Sequence[Column]) -> list[Column]:
    """Return the columns of knowledge without prompts that repeat it, and without excerpts of it.

    A prompt holds the question, too.
    """
    texts = [one for one in known if not any(one.holds(ask) for ask in asked)] or known
    # A text that holds each passage of a list was made of it.
    lists = [one for one in texts if not one.is_single]
    made = [
        one
        for one in texts
        if one.is_single and any(one.holds(held) or one.joins(held) for held in lists)
    ]
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


def beside(made: Mapping[str, Column]) -> dict[str, list[str]]:
    """Return the paths of the units' ids, of the conversation and of the time, as far as values show them."""
    fields: dict[str, list[str]] = {}
    plain = [one for path, one in made.items() if "[]" not in path]
    if times := [one.path for one in plain if one.all_fit(_is_time)]:
        fields["timestamp"] = times[:1]
    names = [one for one in plain if one.all_fit(is_name)]
    # Names without digits, such as "web" and "phone", are of kinds.
    groups = [one for one in names if _V["group_like"].search(one.path)]
    groups = [one for one in groups if not one.filled or one.share(_DIGIT.search) >= 0.5]
    if (own := _own_names(names)) is not None:
        fields["id"] = [own]
        groups = [one for one in groups if one.path != own or len(one.values) < _MANY]
    if groups and len(groups[0].values) > 1:
        best = min(
            groups,
            key=lambda one: (bool(_PLACE_LIKE.search(one.path)), len(_distinct(one)), one.path),
        )
        fields["conversation_id"] = [best.path]
    return fields


def _distinct(column: Column) -> set[str]:
    return {str(value) for held in column.values for value in held}


def _own_names(names: Sequence[Column]) -> str | None:
    """Return the path of the units' own ids: words or numbers of which each unit has another."""
    named = [one for one in names if ID_LIKE.search(one.path) or one.share(_CODE.fullmatch) == 1]
    found = [one.path for one in named if len(_distinct(one)) == len(one.values) > 1]
    # Of conversations of one turn each has an id, too.
    found.sort(key=lambda path: (bool(_V["group_like"].search(path)), path.count(".")))
    return found[0] if found else None


def _is_time(value: Any) -> bool:
    counts = isinstance(value, int | float) and value < 1e9
    return moment_of(value) is not None and not counts


def stated(engine: str, rows: str, fields: dict[str, list[str]], **more: Any) -> dict[str, Any]:
    """Return a description; the fields that its texts begin with are read, and so no metadata."""
    read = [first_name(path) for part in _V.names("read") for path in fields.get(part, ())]
    own = {key: value for key, value in {"rows": [rows] if rows else [], **more}.items() if value}
    return {"engine": engine, **own, "read": list(dict.fromkeys(read)), "fields": fields}
