"""Descriptions that are proposed for a log, the columns that may be parts of a turn, and what records lack."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from qsquared.storage.logs.fields.field_paths import first_name
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.fields.values import is_name
from qsquared.storage.logs.surveys.columns.knowledge import COUNTS, counted_alike
from qsquared.storage.logs.surveys.columns.texts import SharedWords, share_of
from qsquared.storage.logs.surveys.columns.values import Column
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")

ID_LIKE = _V["id_like"]
_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"[A-Za-z]{1,12}[-_.:#]?\d{1,12}")
"""A name that is counted up, such as m001 or MSG-17."""
_TITLE = re.compile(r"[A-Z][^.!?]* [^.!?]*\Z")
"""Several words with a capital letter, and no sentence."""
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
_HALF, _NEARLY, _APART = 0.5, 0.9, 0.3
"""The share of texts that end as a sentence, up to which they may be what was searched for."""


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
        pairs = ((one, part) for part, paths in self.fields.items() for one in paths)
        return {path: ours for path, part in pairs if (ours := _OURS.get(part, part)) != path}

    def but(self, **more: Any) -> Proposal:
        """Return the proposal with other keys in its description."""
        return replace(self, stated={**self.stated, **more})


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
        places = {one.path: bool(_V["place_like"].search(one.path)) for one in groups}
        best = min(
            groups, key=lambda one: (places[one.path], len({*map(str, one.all_values)}), one.path)
        )
        fields["conversation_id"] = [best.path]
    return fields


def _own_names(names: Sequence[Column]) -> str | None:
    """Return the path of the units' own ids: words or numbers of which each unit has another."""
    named = [one for one in names if ID_LIKE.search(one.path) or one.share(_CODE.fullmatch) == 1]
    found = [one.path for one in named if len({*map(str, one.all_values)}) == len(one.values) > 1]
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


def may_be_replies(
    prose: Sequence[Column], asking: Sequence[Column], listed: Sequence[Column],
    made: Mapping[str, Column], *, several: bool,
) -> list[Column]:  # fmt: skip
    """Return the texts that may be replies: said anew in each unit, by nobody who asks, and picked from no list."""
    replies = [one for one in prose if one.is_said and not one.is_of_program]
    replies = [one for one in replies if one.share_asking < 0.5 and one.has_sentences]
    replies = [one for one in replies if not one.is_constant]
    replies = [one for one in replies if not (one.is_typed or any(map(one.holds, asking)))]
    replies = [one for one in replies if not any(map(one.is_picked_from, listed))]
    # What was searched for has no sentence, beside longer texts that have some.
    told = [one for one in replies if one.share_ending >= _HALF]
    replies = [
        one
        for one in replies
        if one.share_ending > _APART
        or _V["reply_like"].search(one.path)
        or not any(_says_more(one, other) for other in told)
    ]
    # Of several objects in a log's only row each may have a reply.
    replies = [one for one in replies if several or "[]" not in one.path]
    # What a model wrote may be logged within what it answered, with its marks.
    replies = [
        one
        for one in replies
        if not any(one.copies(other) and _depth(other) < _depth(one) for other in replies)
    ]
    # Texts that are counted are listed, and one beside them that is not is made of them.
    single = [one for one in replies if not counted_alike(one.path, made, COUNTS)]
    return single or replies


def _depth(column: Column) -> int:
    return column.path.count(".") + column.path.count("[]")


def _says_more(column: Column, other: Column) -> bool:
    """Whether another column has texts twice as long, one of each unit."""
    return "[" not in other.path and 2 * column.mean_words < other.mean_words


def question_of(
    prose: Sequence[Column], asking: Sequence[Column], reply: Column, best: Column
) -> Column | None:
    """Return the texts that were asked before replies, None if none are."""
    named = [one for one in prose if one.is_single and _V["asked_like"].search(one.path)]
    asked = [one for one in prose if one in asking or one in named]
    asked = [one for one in asked if one not in (reply, best) and not one.is_constant]
    # A prompt may be logged twice, once with its names masked.
    asked = [one for one in asked if not any(map(one.copies, (reply, best)))]
    # What a program makes of a question is often left out where there was nothing to look up.
    least = _NEARLY * max((len(one.filled) for one in asked), default=0)

    def fits(one: Column) -> float:
        return one.share_asking + 0.2 * (one in named) - 0.3 * one.holds(best)

    return max((one for one in asked if len(one.filled) >= least), key=fits, default=None)


def reason_unread(
    made: Mapping[str, Column], replies: Sequence[Column], shared: SharedWords
) -> str:
    """Return why rows cannot be read as records, empty if they are no records at all.

    Args:
        made: the columns of the rows.
        replies: those that could be the replies.
        shared: the words that columns share.
    """
    alone = _titles_alone(made) if replies else _several_replies(made, shared)
    return _words_alone(made, replies) or alone or (NO_KNOWLEDGE if replies else "")


def _titles_alone(made: Mapping[str, Column]) -> str:
    """Return that the lists of a log hold titles and no texts, empty if they do not."""
    listed = [one for one in made.values() if "[]" in one.path and not one.has_sentences]
    titles = [one.path for one in listed if one.share(_TITLE.match) > 0.5]
    return f"No field holds the texts of the articles, only titles ({titles[0]})." if titles else ""


def _several_replies(made: Mapping[str, Column], shared: SharedWords) -> str:
    """Return that each row has a list of replies, empty if it has none.

    Replies share words with another column of texts, and more of their own than that has of its own with them.
    """
    known = [one for one in made.values() if one.may_be_knowledge() and len(one.values) > 1]
    listed = [one for one in known if not one.is_single]
    for one, other in ((one, other) for one in listed for other in known if one is not other):
        back = shared.lift(other.texts, one.texts)
        if shared.lift(one.texts, other.texts) >= max(0.2, back):
            return f"A row holds several replies ({one.path}); write a row for each."
    return ""


def _words_alone(made: Mapping[str, Column], replies: Sequence[Column]) -> str:
    """Return that single words could be the replies, which stand in the only texts of their rows; else empty."""
    told = [
        one
        for one in made.values()
        if one.is_prose and one.share_ending >= 0.5 and one.share_asking < 0.5
    ]
    single = [one for one in made.values() if one.is_single]
    word_columns = [one for one in single if not (one.is_prose or one.is_constant)]
    for other in told:
        # Another text that could be the reply makes the words mere tags.
        for one in word_columns if all(reply is other for reply in replies) else ():
            stand = [a.lower() in b.lower() for a, b in one.paired(other) if a.isalpha()]
            if len(stand) >= 0.5 * len(one.values) and share_of(stand) > 0.5:
                return (
                    f"Only words ({one.path}) could be replies that rest on {other.path}; "
                    "name both with --map if they are."
                )
    return ""
