"""Discover how a log of an unknown program is to be read, by what its values are.

A reply shares rare words with its knowledge far more than with that of other rows, and less with its
question; knowledge is the longer, and often a list.
Names of fields only decide between what the values leave open.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean
from typing import Any

from qsquared.storage.logs.engines.conversations import ABSENT_ROLE
from qsquared.storage.logs.fields.field_paths import ABSENT, value_at
from qsquared.storage.logs.fields.levels import levels
from qsquared.storage.logs.fields.mapping import AND
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.messages.messages import documents_in
from qsquared.storage.logs.messages.roles import role_named
from qsquared.storage.logs.surveys.values import Column, Shared, Unit, columns
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")

_REPLY_LIKE = _V.pattern("reply_like")
_KNOWN_LIKE = _V.pattern("known_like")
_NEVER = _V.pattern("never")
_ASKED_LIKE = _V.pattern("asked_like")
_GROUP_LIKE = _V.pattern("group_like")
_LEAST_WORDS = 5
_FEW, _HALF, _MOST = 4, 0.5, 0.8
SURE = 0.55
"""The confidence from which on a proposal is made."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A description that reads a log, with its confidence from 0 to 1; ``lacks`` says what is missing."""

    stated: dict[str, Any]
    confidence: float
    lacks: str = ""

    @property
    def mapping(self) -> dict[str, str]:
        """The short form of a description whose rows are turns, empty if there is none."""
        fields = self.stated.get("fields", {})
        if self.stated.get("engine") != "records" or self.stated.get("rows"):
            return {}
        ours = {"response": "response", "knowledge": "knowledge", "question": "history", "conversation_id": "conversation_id", "timestamp": "timestamp"}  # fmt: skip
        found = {
            path: ours[part]
            for part, paths in fields.items()
            for path in paths
            if path != ours[part]
        }
        return found if all(part in ours for part in fields) else {}


def discover(rows: Sequence[Unit]) -> Proposal:
    """Return the best proposal for the rows of a log; its confidence is below `SURE` if it is in doubt."""
    best = Proposal({}, 0.0, "No field of the rows holds texts that could be replies.")
    for path, held in levels(rows).items():
        units = [unit for _, unit in held]
        if len(units) < len(rows):
            continue
        for made in (_messages(path, held), _records(path, units)):
            if made.confidence > best.confidence or (
                best.confidence == 0 and made.lacks and made.stated
            ):
                best = made
    return best


def _known_path(units: Sequence[Unit], column: Column) -> str:
    """Return the list that holds the passages of a column with their names, else the column's own path."""
    outer = column.path.rpartition("[]")[0]
    while outer:
        values = [value_at(unit, outer) for unit in units]
        read = [
            [p["text"] for p in documents_in(v)] if v is not ABSENT and v is not None else []
            for v in values
        ]
        if [text for one in read for text in one] == [t for one in column.values for t in one]:
            return outer
        outer = outer.rpartition("[]")[0]
    return column.path


def is_known(column: Column, replies: float) -> bool:
    """Whether a column may be texts of knowledge, and no titles, questions or names."""
    return (
        column.is_prose
        and column.asks < 0.5
        and column.length >= max(_LEAST_WORDS, 0.5 * replies)
        and (column.ends >= 0.5 or column.length >= 12)
        and not _NEVER.search(column.path)
    )


def _records(path: str, units: Sequence[Unit]) -> Proposal:
    """Propose that each unit is a question with its answer and the knowledge of it."""
    made = columns(units)
    prose = [one for one in made.values() if one.is_prose and len(one.filled) >= 0.7 * len(units)]
    replies = [
        one for one in prose if one.asks < 0.5 and one.is_single and not _NEVER.search(one.path)
    ]
    known = [one for one in made.values() if len(one.filled) >= 0.4 * len(units)]
    shared = Shared(text for one in prose for text in one.texts)
    found = [
        (_grounded(shared, reply, one), reply, one)
        for reply in replies
        for one in known
        if one is not reply and is_known(one, reply.length)
    ]
    if not found:
        return Proposal(
            {"engine": "records"} if replies else {}, 0.0, _missing(replies, made.values())
        )
    confidence, reply, best = max(found, key=lambda one: one[0])
    fields = {"response": [reply.path], "knowledge": [_known_path(units, best)]}
    asked = [one for one in prose if one not in (reply, best) and one.is_single and (one.asks >= 0.4 or _ASKED_LIKE.search(one.path))]  # fmt: skip
    if asked:
        fields["question"] = [
            max(asked, key=lambda one: one.asks + 0.2 * bool(_ASKED_LIKE.search(one.path))).path
        ]
    fields |= _beside(units, list(made.values()))
    stated = {"engine": "records", "read": _tops(fields), "fields": fields}
    # Without other rows to compare with, shared words say less.
    sure = confidence if len(units) > 1 else 0.6 * confidence
    return Proposal({**stated, **({"rows": [path]} if path else {})}, sure)


def _grounded(shared: Shared, reply: Column, known: Column) -> float:
    """Return how surely a column is the replies to whose knowledge another belongs."""
    same, apart = shared.lift(reply.texts, known.texts)
    back, _ = shared.lift(known.texts, reply.texts)
    listed = "[]" in known.path or any(len(one) > 1 for one in known.values)
    repeats = len(set(known.filled)) < len(set(reply.filled))
    longer = mean(map(len, known.filled)) > mean(map(len, reply.filled))
    named = (
        0.1 * bool(_REPLY_LIKE.search(reply.path))
        - 0.15 * bool(_ASKED_LIKE.search(reply.path))
        - 0.1 * bool(_KNOWN_LIKE.search(reply.path))
    )
    named += 0.1 * bool(_KNOWN_LIKE.search(known.path)) - 0.1 * bool(_REPLY_LIKE.search(known.path))
    equal = any(a and a == b for a, b in zip(reply.texts, known.texts, strict=True))
    return (
        0.0
        if equal
        else max(0.0, same - apart)
        + 0.15 * (same > back)
        + 0.15 * listed
        + 0.1 * longer
        + 0.15 * repeats
        + named
    )


def _missing(replies: Sequence[Column], others: Any) -> str:
    if not replies:
        return "No field of the rows holds texts that could be replies."
    titles = [one.path for one in others if one not in replies and 0 < one.length < _LEAST_WORDS and "[]" in one.path and one.share(str.istitle) > 0.3]  # fmt: skip
    if titles:
        return f"No field holds the texts of the articles, only titles ({titles[0]})."
    return "No field holds texts that the replies could rest on; log what was retrieved for each reply, too."


def _beside(units: Sequence[Unit], made: Sequence[Column]) -> dict[str, list[str]]:
    """Return the paths of the conversation and of the time, as far as values show them."""
    fields: dict[str, list[str]] = {}
    times = [one.path for one in made if "[]" not in one.path and _all(one, lambda value: moment_of(value) is not None and not _is_number(value))]  # fmt: skip
    if times:
        fields["timestamp"] = [times[0]]
    named = [one.path for one in made if "[]" not in one.path and _GROUP_LIKE.search(one.path) and _all(one, lambda value: isinstance(value, str | int) and " " not in str(value) and moment_of(value) is None)]  # fmt: skip
    if named and len(units) > 1:
        counted = {path: len({str(value_at(unit, path)) for unit in units}) for path in named}
        fields["conversation_id"] = [min(named, key=lambda path: (counted[path], path))]
    return fields


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and value < 1e9


def _all(column: Column, fits: Any) -> bool:
    held = [value for one in column.values for value in one]
    return len(held) >= 0.8 * len(column.values) > 0 and all(map(fits, held))


def _tops(fields: dict[str, list[str]]) -> list[str]:
    parts = ("response", "knowledge", "question", "content", "role")
    names = [re.split(r"[.\[]", path)[0] for part in parts for path in fields.get(part, ())]
    return list(dict.fromkeys(names))


def _messages(path: str, held: Sequence[tuple[int, Unit]]) -> Proposal:
    """Propose that each unit is a message of somebody in a conversation."""
    units = [unit for _, unit in held]
    made = columns(units)
    single = [one for one in made.values() if one.is_prose and "[]" not in one.path]
    texts = [one for one in single if len(one.filled) >= 0.25 * len(units)]
    best = Proposal({}, 0.0)
    for text in _spoken(sorted(texts, key=lambda one: -len(one.filled))[:4]):
        for role in _roles(made.values(), len(units)):
            found = _conversation(path, held, made, text, role)
            best = found if found.confidence > best.confidence else best
    return best


def _spoken(texts: Sequence[Column]) -> Iterator[Column]:
    """Yield the columns that may be what is said, each with the one that holds the texts that it lacks."""
    for text in texts:
        if len(text.filled) >= 0.5 * len(text.values):
            yield text
        for other in texts:
            both = any(a and b for a, b in zip(text.texts, other.texts, strict=True))
            apart = not both and not set(text.filled) & set(other.filled)
            if (
                other is not text
                and apart
                and len(other.filled) + len(text.filled) >= 0.7 * len(text.values)
            ):
                joined = [a or b for a, b in zip(text.values, other.values, strict=True)]
                yield Column(f"{text.path}{AND}{other.path}", joined)


def _roles(made: Any, count: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the columns that may tell who speaks, with the value of each unit; absence is a value, too."""
    for column in made:
        if "[]" in column.path or count < 4:
            continue
        values = [str(one[0]) if one else ABSENT_ROLE for one in column.values]
        counted = Counter(values)
        if (
            2 <= len(counted) <= 8
            and counted.most_common(1)[0][1] <= 0.8 * count
            and max(map(len, counted)) <= 60
        ):
            yield column.path, values


def _conversation(
    path: str,
    held: Sequence[tuple[int, Unit]],
    made: dict[str, Column],
    text: Column,
    role: tuple[str, list[str]],
) -> Proposal:
    name, values = role
    units, groups = [unit for _, unit in held], [group for group, _ in held]
    changes = [
        a != b
        for (a, b), (g, h) in zip(pairwise(values), pairwise(groups), strict=True)
        if g == h or not path
    ]
    if not changes or mean(changes) < 0.5 or name in text.path.split(AND):
        return Proposal({}, 0.0)
    asks = {
        value: _share(
            [
                t.rstrip().endswith("?")
                for t, v in zip(text.texts, values, strict=True)
                if v == value and t
            ]
        )
        for value in set(values)
    }
    spoken = [
        value
        for value in asks
        if any(t for t, v in zip(text.texts, values, strict=True) if v == value)
    ]
    known = [
        one for one in made.values() if one.path not in text.path.split(AND) and is_known(one, 1)
    ]
    shared = Shared(text.texts)
    best = Proposal({}, 0.0)
    for bot in spoken:
        for one in known:
            same, apart, of_bot = _follow(shared, text, one, values, bot)
            if not same or of_bot < 0.5:
                continue
            users = [value for value in spoken if value != bot]
            says = _says(bot, "assistant"), _says(bot, "user") or bot == ABSENT_ROLE
            margin = mean(asks[value] for value in users) - asks[bot] if users else 0.0
            sure = (
                (same - apart)
                + 0.3 * margin
                + 0.15 * says[0]
                - 0.4 * says[1]
                - 0.05 * len(asks)
                + 0.2 * mean(changes)
                + 0.1 * of_bot
            )
            if sure > best.confidence:
                best = Proposal(_stated(path, units, made, text, one, name, values, bot), sure)
    return best


def _says(value: str, role: str) -> bool:
    """Whether a part of the name of a speaker is usual for a role."""
    return any(role_named(part) == role for part in re.split(r"[^a-z]+", value.lower()))


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 0.0


def _follow(
    shared: Shared, text: Column, known: Column, values: Sequence[str], bot: str
) -> tuple[float, float, float]:
    """Return how far a speaker's texts rest on a column, of the unit or of those since another spoke."""
    said, found, waiting, own = [], [], "", 0
    for spoken, passage, value in zip(text.texts, known.texts, values, strict=True):
        if value == bot and spoken:
            said.append(spoken)
            found.append(passage or waiting)
            own += bool(passage or waiting)
            waiting = ""
        elif passage:
            waiting = f"{waiting}\n{passage}".strip()
    filled = len(known.filled)
    same, apart = shared.lift(said, found)
    return same, apart, own / max(filled, 1) if said else 0.0


def _stated(
    path: str,
    units: Sequence[Unit],
    made: dict[str, Column],
    text: Column,
    known: Column,
    name: str,
    values: Sequence[str],
    bot: str,
) -> dict[str, Any]:
    tools = {
        v
        for v, passage, t in zip(values, known.texts, text.texts, strict=True)
        if v != bot and passage and not t
    }
    fields: dict[str, list[str]] = {
        "role": [name],
        "content": text.path.split(AND),
        "knowledge": [_known_path(units, known)],
    }
    beside = _beside(units, list(made.values()))
    group = beside.pop("conversation_id", []) if not path else []
    fields |= {part: paths for part, paths in beside.items() if part == "timestamp"}
    ids = [
        one.path
        for one in made.values()
        if "[]" not in one.path
        and _all(one, lambda v: isinstance(v, str) and " " not in v)
        and len(set(one.texts)) == len(units)
    ]
    fields |= {"id": ids[:1]} if ids and moment_of(made[ids[0]].texts[0]) is None else {}
    kinds = {"assistant": [bot], **({"tool": sorted(tools)} if tools else {})}
    return {
        "engine": "messages", "unit": "message", **({"rows": [path]} if path else {}), **({"group": group} if group else {}),
        "read": _tops(fields), "fields": fields, "kinds": kinds,
    }  # fmt: skip


def doubts(turns: Sequence[dict[str, Any]]) -> str:
    """Return why turns look misread, empty if they do not: replies that are questions, ids, or their knowledge."""
    replied = [turn for turn in turns if turn["response"].strip()]
    if not replied:
        return ""
    texts = [turn["response"].strip() for turn in replied]
    known = [[p.strip() for p in turn["knowledge"]] for turn in replied]
    asked = [turn["history"][-1].strip() if turn["history"] else None for turn in replied]
    passages = [one for held in known for one in held]
    names = [len(one.split()) < _FEW and not one.endswith((".", "!", "?")) for one in passages]
    found = {
        "the replies are single words, numbers or ids": len(texts) > 2
        and any(known)
        and _share([" " not in text for text in texts]) > _MOST,
        "the replies equal the questions": _share(
            [a == b for a, b in zip(texts, asked, strict=True)]
        )
        > _HALF,
        "the replies are questions": len(texts) > 2
        and _share([text.endswith("?") for text in texts]) > _MOST,
        "the replies are times": _share([moment_of(text) is not None for text in texts]) > _HALF,
        "the replies equal their knowledge": len(texts) > 1
        and _share([text in held for text, held in zip(texts, known, strict=True)]) > _HALF,
        "the knowledge is titles or names, and no texts": len(passages) > 2
        and _share(names) > _MOST,
    }
    return next((told for told, doubtful in found.items() if doubtful), "")
