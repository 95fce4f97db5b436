"""Messages of somebody among the rows of an unknown log: who speaks, what is said, and on what it rests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import mean
from typing import Any

from qsquared.storage.logs.engines.units import ABSENT_ROLE
from qsquared.storage.logs.fields.mapping import AND
from qsquared.storage.logs.messages.messages import role_named
from qsquared.storage.logs.surveys.described import (
    NO_KNOWLEDGE,
    Proposal,
    beside,
    copies,
    holds,
    is_known,
    known_path,
    stated,
)
from qsquared.storage.logs.surveys.values import Column, Shared, Unit, columns

_HALF = 0.5


def messages_in(path: str, held: Sequence[tuple[int, Unit]]) -> Proposal:
    """Propose that each unit is a message of somebody in a conversation."""
    units = [unit for _, unit in held]
    made = columns(units)
    single = [one for one in made.values() if one.is_prose and one.is_single]
    plain = [one for one in single if "[]" not in one.path]
    spoken = max((len(one.filled) for one in plain), default=0) >= 0.5 * len(units)
    # What is said may stand in the parts of a message.
    texts = [one for one in (plain if spoken else single) if len(one.filled) >= 0.15 * len(units)]
    best = Proposal({}, 0.0)
    for text in _spoken(sorted(texts, key=lambda one: -len(one.filled))[:4]):
        for role in enumerated(made.values(), len(units)):
            found = _conversation(path, held, made, text, role)
            best = max(best, found, key=lambda one: (one.confidence, bool(one.lacks)))
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


def enumerated(made: Any, count: int) -> Iterator[tuple[str, list[str]]]:
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
    known = [
        one
        for one in made.values()
        if one.path not in text.path.split(AND)
        and is_known(one, 1)
        and not copies(one, text)
        # A text with the whole of its knowledge is a prompt, which nobody says.
        and not holds(text, one)
    ]
    shared = Shared(text.texts)
    best = Proposal({"engine": "messages"}, 0.0, "" if known else NO_KNOWLEDGE)
    for one in known:
        said = _unrepeated(text, one)
        if _mixed(said, known, values):
            continue
        asks = _speakers(said, values)
        for bot in asks:
            same, apart, of_bot = _follow(shared, said, one, values, bot)
            if not same or of_bot < 0.5:
                continue
            users = [value for value in asks if value != bot]
            says = _says(bot, "assistant"), _says(bot, "user") or bot == ABSENT_ROLE
            margin = mean(asks[value] for value in users) - asks[bot] if users else 0.0
            sure = (
                (same - apart)
                + 0.3 * margin
                + 0.15 * says[0]
                - 0.4 * says[1]
                - 0.05 * len(set(values))
                + 0.2 * mean(changes)
                + 0.1 * of_bot
            )
            if sure > best.confidence:
                best = Proposal(_stated(path, units, made, said, one, role, asks, bot), sure)
    return best


def _unrepeated(text: Column, known: Column) -> Column:
    """Return what is said without the texts that stood in a column of knowledge before: nobody says these."""
    found: set[str] = set()
    values = []
    for said, passages in zip(text.values, known.values, strict=True):
        values.append([one for one in said if one not in found])
        found.update(passages)
    return Column(text.path, values)


def _speakers(text: Column, values: Sequence[str]) -> dict[str, float]:
    """Return who speaks, by the value of a role, each with the share of texts that ask.

    Who always says the same is a program's note, if two others speak.
    """
    said: dict[str, Column] = {}
    for value, texts in zip(values, text.values, strict=True):
        said.setdefault(value, Column(value)).values.append(texts)
    spoken = [one for one in said.values() if one.filled]
    differ = [one for one in spoken if not one.is_constant]
    return {one.path: one.asks for one in (differ if len(differ) > 1 else spoken)}


def _mixed(text: Column, known: Sequence[Column], values: Sequence[str]) -> bool:
    """Whether one value of a role stands with what a tool found, and with what somebody says."""
    silent = {
        value
        for one in known
        for value, passage, said in zip(values, one.texts, text.texts, strict=True)
        if passage and not said
    }
    return not silent.isdisjoint(v for v, said in zip(values, text.texts, strict=True) if said)


def _says(value: str, role: str) -> bool:
    """Whether a part of the name of a speaker is usual for a role."""
    return any(role_named(part) == role for part in re.split(r"[^a-z]+", value.lower()))


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
    role: tuple[str, list[str]],
    speakers: Mapping[str, float],
    bot: str,
) -> dict[str, Any]:
    name, values = role
    # Who never speaks is no user; what stands in place of a text is the data of a program.
    silent = set(values) - set(speakers)
    notes = {v for v, told in zip(values, text.texts, strict=True) if told} & silent
    others = {"tool": sorted(silent - notes), "system": sorted(notes)}
    fields: dict[str, list[str]] = {
        "role": [name],
        "content": text.path.split(AND),
        "knowledge": [known_path(units, known)],
    }
    near = beside(units, made.values())
    group = near.pop("conversation_id", []) if not path else []
    fields |= {part: paths for part, paths in near.items() if part in {"id", "timestamp"}}
    if above := _answered(made, fields.get("id", [""])[0], values):
        fields["parent"] = [above]
    kinds = {"assistant": [bot], **{kind: held for kind, held in others.items() if held}}
    return stated("messages", path, fields, unit="message", group=group, kinds=kinds)


def _answered(made: Mapping[str, Column], name: str, values: Sequence[str]) -> str:
    """Return the path of the ids of the messages that messages answer, if several answer one; else empty.

    Those that answer one are said by the same: what a step of a program holds is by several.
    """
    names = set(made[name].texts) if name in made else set()
    for path, column in made.items():
        by: dict[str, list[str]] = {}
        for above, value in zip(column.texts, values, strict=True):
            by.setdefault(above, []).append(value)
        by.pop("", None)
        linked = path != name and by.keys() < names and len(column.filled) >= _HALF * len(names)
        several = [held for held in by.values() if len(held) > 1]
        if linked and several and all(len(set(held)) == 1 for held in several):
            return path
    return ""
