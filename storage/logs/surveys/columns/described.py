"""Proposals of how a log is read, and the columns of its rows that may be ids, times, replies and questions.

Each shape of rows (``shapes/``) chooses columns with these functions, and makes a proposal of them.
Where rows are no records, a sentence says what they lack.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
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
_COUNTED = re.compile(r"[A-Za-z]{1,12}[-_.:#]?\d{1,12}")
"""A name that is counted up, such as m001 or MSG-17."""
_TITLE = re.compile(r"[A-Z][^.!?]* [^.!?]*\Z")
"""Several words with a capital letter, and no sentence."""
NO_KNOWLEDGE = (
    "No field beside the replies holds texts that they could rest on; log with each reply what was "
    "retrieved for it."
)
SURE = 0.55
"""The confidence from which on a proposal is made."""
_FIELDS_OF_TURNS = {"more": "knowledge", "question": "history"}
"""The fields of a turn by the parts of a description that have other names."""


Fields = dict[str, list[str]]
"""The paths of each part of a turn."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A description that reads a log, with its confidence from 0 to 1; ``lacks`` says what is missing."""

    described: dict[str, Any] = field(default_factory=dict)
    confidence: float = 0.0
    lacks: str = ""

    @property
    def is_sure(self) -> bool:
        """Whether the confidence is enough to propose it."""
        return self.confidence >= SURE

    @property
    def fields(self) -> Fields:
        """The paths of each part of a turn, empty if nothing is described."""
        fields: Fields = self.described.get("fields", {})
        return fields

    @property
    def rows(self) -> str:
        """The path to the rows, empty if they are those of the file."""
        return "".join(self.described.get("rows", ()))

    @property
    def mapping(self) -> dict[str, str]:
        """The log's field → ours, which says all that the description does; empty if a mapping cannot."""
        more = {"rows", "line", "lines", "cut", "join", "related", "separator"} & {*self.described}
        parts = {"messages", "system"} & {*self.fields}
        several = len(self.fields.get("knowledge", ())) > 1
        if self.described.get("engine") != "records" or more or parts or several:
            return {}
        pairs = ((path, part) for part, paths in self.fields.items() for path in paths)
        named = ((path, _FIELDS_OF_TURNS.get(part, part)) for path, part in pairs)
        return {path: ours for path, ours in named if ours != path}

    def with_keys(self, **keys: Any) -> Proposal:
        """Return the proposal with other keys in its description."""
        return replace(self, described={**self.described, **keys})


def description(engine: str, rows: str, fields: Fields, **keys: Any) -> dict[str, Any]:
    """Return a description; the fields that its texts begin with are read, and so no metadata."""
    read = [first_name(path) for part in _V.names("read") for path in fields.get(part, ())]
    keys = {"rows": [rows] if rows else [], **keys}
    given = {key: value for key, value in keys.items() if value}
    return {"engine": engine, **given, "read": list(dict.fromkeys(read)), "fields": fields}


def ids_and_times(columns: Mapping[str, Column]) -> Fields:
    """Return the paths of the units' times, ids and conversations by the fields of a turn, those that values show."""
    fields: Fields = {}
    plain = [column for path, column in columns.items() if "[]" not in path]
    if times := [column.path for column in plain if column.all_fit(_is_time)]:
        fields["timestamp"] = times[:1]
    names = [column for column in plain if column.all_fit(is_name)]
    if (ids := _path_of_ids(names)) is not None:
        fields["id"] = [ids]
    groups = [one for one in names if _V["group_like"].search(one.path)]
    # Names without digits, such as "web" and "phone", are of kinds.
    groups = [one for one in groups if not one.filled or one.share(_DIGIT.search) >= 0.5]
    # A field that has another value in each of several units names units, not conversations.
    groups = [one for one in groups if one.path != ids or len(one.values) < 5]

    def preferred(group: Column) -> tuple[bool, int, str]:
        of_place = _V["place_like"].search(group.path) is not None
        return of_place, len({*map(str, group.all_values)}), group.path

    if groups and len(groups[0].values) > 1:
        fields["conversation_id"] = [min(groups, key=preferred).path]
    return fields


def _path_of_ids(names: Sequence[Column]) -> str | None:
    """Return the path of the units' own ids, words or numbers of which each unit has another; None if none has."""
    ids = [one for one in names if ID_LIKE.search(one.path) or one.share(_COUNTED.fullmatch) == 1]
    own = [one.path for one in ids if len({*map(str, one.all_values)}) == len(one.values) > 1]
    # Of conversations of one turn each has an id, too.
    own.sort(key=lambda path: (bool(_V["group_like"].search(path)), path.count(".")))
    return own[0] if own else None


def _is_time(value: Any) -> bool:
    """Whether a value is a time; a small number counts something."""
    counts = isinstance(value, int | float) and value < 1e9
    return moment_of(value) is not None and not counts


def may_be_replies(
    prose: Sequence[Column], asking: Sequence[Column], listed: Sequence[Column],
    columns: Mapping[str, Column], *, several: bool,
) -> list[Column]:  # fmt: skip
    """Return the columns that may be replies: said anew in each unit, by nobody who asks, and picked from no list.

    Args:
        prose: the columns of texts.
        asking: those of them that users may have written.
        listed: the columns whose lists of texts may hold passages.
        columns: all columns.
        several: whether there are several units; of several objects in a log's only row each may have a reply.
    """
    said = [one for one in prose if one.is_said and (several or "[]" not in one.path)]
    replies = [one for one in said if one.has_sentences and one.share_asking < 0.5]
    replies = [one for one in replies if not (one.is_of_program or one.is_constant or one.is_typed)]
    replies = [one for one in replies if not any(map(one.holds, asking))]
    replies = [one for one in replies if not any(map(one.is_picked_from, listed))]
    replies = [one for one in replies if not _is_searched_for(one, replies)]
    # What a model wrote may be logged within what it answered, with its marks.
    replies = [one for one in replies if not any(_is_deeper_copy(one, other) for other in replies)]
    # Texts that are counted are listed, and one beside them that is not is made of them.
    single = [one for one in replies if not counted_alike(one.path, columns, COUNTS)]
    return single or replies


def _is_searched_for(column: Column, texts: Sequence[Column]) -> bool:
    """Whether texts are what was searched for: without a full stop, beside sentences that are twice as long."""
    single = [one for one in texts if one.share_ending >= 0.5 and "[" not in one.path]
    longer = any(2 * column.mean_words < one.mean_words for one in single)
    return longer and column.share_ending <= 0.3 and not _V["reply_like"].search(column.path)


def _is_deeper_copy(column: Column, other: Column) -> bool:
    """Whether texts repeat those of another column that stands less deep in its units."""
    depth, others = (one.path.count(".") + one.path.count("[]") for one in (column, other))
    return others < depth and column.copies(other)


def question_of(
    prose: Sequence[Column], asking: Sequence[Column], reply: Column, knowledge: Column
) -> Column | None:
    """Return the column of what was asked before the replies, None if there is none.

    It is one of the texts that ask (``asking``), or that are named like a question.
    """
    named = [one for one in prose if one.is_single and _V["asked_like"].search(one.path)]
    asked = [one for one in prose if one in asking or one in named]
    asked = [one for one in asked if one not in (reply, knowledge) and not one.is_constant]
    # A prompt may be logged twice, once with its names masked.
    asked = [one for one in asked if not any(map(one.copies, (reply, knowledge)))]
    # What a program makes of a question is often left out where there was nothing to look up.
    most = max((len(one.filled) for one in asked), default=0)
    asked = [one for one in asked if len(one.filled) >= 0.9 * most]

    def fit(column: Column) -> float:
        return column.share_asking + 0.2 * (column in named) - 0.3 * column.holds(knowledge)

    return max(asked, key=fit, default=None)


def last_of_growing(column: Column) -> Column | None:
    """Return the last texts of lists that grow by one text with each unit of a conversation; None if others do not.

    Of what was asked in a conversation, the last is a unit's own question.
    """
    if column.is_single or column.path.count("[]") != 1:
        return None
    earlier: set[tuple[Any, ...]] = {()}
    for values in filter(None, column.values):
        if tuple(values[:-1]) not in earlier:
            return None
        earlier.add(tuple(values))
    return Column(column.path.replace("[]", "[-1]"), [values[-1:] for values in column.values])


def why_no_records(
    columns: Mapping[str, Column], replies: Sequence[Column], shared: SharedWords
) -> str:
    """Return why units are no records, by the columns that may be replies; empty if nothing in them is like one."""
    if replies:
        return _words_alone(columns, replies) or _titles_alone(columns) or NO_KNOWLEDGE
    return _words_alone(columns, replies) or _several_replies(columns, shared)


def _titles_alone(columns: Mapping[str, Column]) -> str:
    """Return that the lists of a log hold titles and no texts, empty if they do not."""
    listed = [one for one in columns.values() if "[]" in one.path and not one.has_sentences]
    titles = [one.path for one in listed if one.share(_TITLE.match) > 0.5]
    return f"No field holds the texts of the articles, only titles ({titles[0]})." if titles else ""


def _several_replies(columns: Mapping[str, Column], shared: SharedWords) -> str:
    """Return that each row has a list of replies, empty if it has none.

    Replies share words with another column of texts, and more of their own than that has of its own with them.
    """
    texts = [one for one in columns.values() if one.may_be_knowledge() and len(one.values) > 1]
    listed = [one for one in texts if not one.is_single]
    for replies, other in product(listed, texts):
        lift = shared.lift(replies.texts, other.texts)
        if replies is not other and lift >= max(0.2, shared.lift(other.texts, replies.texts)):
            return f"A row holds several replies ({replies.path}); write a row for each."
    return ""


def _words_alone(columns: Mapping[str, Column], replies: Sequence[Column]) -> str:
    """Return that single words, which stand in the only texts of their rows, could be the replies; else empty."""
    single = [one for one in columns.values() if one.is_single]
    word_columns = [one for one in single if not (one.is_prose or one.is_constant)]
    texts = [one for one in columns.values() if one.is_prose]
    texts = [one for one in texts if one.share_ending >= 0.5 and one.share_asking < 0.5]
    # Another text that could be the reply makes the words mere tags.
    only = [text for text in texts if all(reply is text for reply in replies)]
    for text, words in product(only, word_columns):
        pairs = [(word, whole) for word, whole in words.paired(text) if word.isalpha()]
        within = [word.lower() in whole.lower() for word, whole in pairs]
        if len(within) >= 0.5 * len(words.values) and share_of(within) > 0.5:
            return (
                f"Only words ({words.path}) could be replies that rest on {text.path}; "
                "name both with --map if they are."
            )
    return ""
