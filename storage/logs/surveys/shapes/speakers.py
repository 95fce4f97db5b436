"""Speakers in the units of an unknown log: who says a text, by the names of roles and by what is said.

`messages.py` tries pairs of a column of texts and a column of roles; these functions say what speaks for and
against such a pair: who asks, whose texts rest on knowledge, which roles are tools, users or the system.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from qsquared.storage.logs.fields.field_paths import grouped
from qsquared.storage.logs.fields.hits import flagged
from qsquared.storage.logs.fields.mapping import AND
from qsquared.storage.logs.fields.values import asks
from qsquared.storage.logs.format_engines.units import ABSENT_ROLE
from qsquared.storage.logs.messages.messages import role_named
from qsquared.storage.logs.surveys.columns.knowledge import hold_passages
from qsquared.storage.logs.surveys.columns.texts import SharedWords, share_of, words_in
from qsquared.storage.logs.surveys.columns.values import USERS_ASK, Column, in_one, within
from qsquared.storage.logs.vocabulary import vocabulary

Role = tuple[str, list[str]]
"""The path of a column that may tell who speaks, and its value in each unit."""


class Row(NamedTuple):
    """A unit: the number of its conversation, who speaks, the text that is said, and what may be knowledge."""

    conversation: int
    speaker: str
    text: str
    passage: str


_V = vocabulary("survey")
_LIKE = {
    "assistant": ("reply_like", "known_like", "asked_like"),
    "user": ("asked_like", "reply_like"),
}
"""The words in the names of each role, before those that its name must not have."""
SET = "True"
"""The value of a flag that is set, such as ``is_user``."""
_THOUGHTS = re.compile(r"reason|think|thought")
LEAST_ROLES = 3
"""The user, the assistant and a tool."""


def is_named_like(value: str, role: str) -> bool:
    """Whether a part of the name of a speaker, or of an event, is usual for a role."""
    if any(role_named(part) == role for part in words_in(value)):
        return True
    like, *unlike = (_V[name] for name in _LIKE[role])
    return like.search(value) is not None and not any(other.search(value) for other in unlike)


def is_named_user(path: str, value: str) -> bool:
    """Whether a speaker is named as users are, or is who a flag is named after, such as ``is_user``."""
    of_flag = value == SET and is_named_like(path.rpartition(".")[2], "user")
    return of_flag or role_named(value) == "user"


def is_named_assistant(path: str, value: str) -> bool:
    """Whether a speaker is named like an assistant, or is who a flag is named after, such as ``from_bot``."""
    return is_named_like(path.rpartition(".")[2] if value == SET else value, "assistant")


def is_tool(value: str) -> bool:
    """Whether a speaker is named after a tool, and not after an assistant."""
    roles = [role_named(part) for part in words_in(value)]
    return roles[:1] in (["tool"], ["function"]) and "assistant" not in roles


def names_tools(paths: Iterable[str]) -> bool:
    """Whether fields, or kinds of messages, are named after tools, as those with what these returned are."""
    return any(word.startswith("tool") for path in paths for word in words_in(path))


def is_dropped(value: str) -> bool:
    """Whether an event is that a hit was dropped before the assistant saw it."""
    return any(flagged(part) == "dropped" for part in words_in(value))


def is_users(column: Column, columns: Mapping[str, Column]) -> bool:
    """Whether the object that holds a text says that a user wrote it."""
    beside = within(column.path.rpartition(".")[0], columns)
    return any(one.all_fit(lambda name: role_named(str(name)) == "user") for one in beside)


def is_spoken(column: Column, columns: Mapping[str, Column]) -> bool:
    """Whether the texts are those of messages in a list, each beside a usual role of its own."""
    outer = column.path.rpartition(".")[0]
    if "[]" not in outer:
        return False
    # Lists in the object hold other things, such as messages of their own.
    beside = [one for one in within(outer, columns) if "[]" not in one.path[len(outer) :]]
    roles = {"user", "assistant", "system"}
    return any(one.all_fit(lambda name: role_named(str(name)) in roles) for one in beside)


def who_speaks(text: Column, values: Sequence[str]) -> dict[str, float]:
    """Return who speaks, by the value of a role, each with the share of texts that do not end as statements do.

    Who always says the same is a program's note, if two others speak.
    """
    by_role = grouped(zip(values, text.values, strict=True))
    columns = [Column(value, texts) for value, texts in by_role.items()]
    spoken = [column for column in columns if column.filled]
    differing = [column for column in spoken if not column.is_constant]
    speakers = differing if len(differing) > 1 else spoken
    return {column.path: column.share_asking + 1 - column.share_ending for column in speakers}


def is_mixed(rows: Sequence[Row]) -> bool:
    """Whether one value of a role stands with what a tool found, and with what somebody says.

    A message that failed says nothing, either, but others of its speaker have both.
    Some programs give a model what tools found in the user's name.
    """
    silent = Counter(row.speaker for row in rows if row.passage and not row.text)
    both = Counter(row.speaker for row in rows if row.passage and row.text)
    speaking = {row.speaker for row in rows if row.text}
    named = (value for value in silent if value in speaking and role_named(value) != "user")
    return any(silent[value] >= both[value] for value in named)


def says_several(rows: Sequence[Row], bot: str) -> bool:
    """Whether a speaker says several things in a conversation."""
    said = [row.conversation for row in rows if row.text and row.speaker == bot]
    return len(set(said)) < len(said)


def says_each_once(said: Sequence[tuple[str, int]], units: int) -> bool:
    """Whether each of several speakers says one thing in a list, as systems do whose replies are compared.

    Args:
        said: the speaker of each text, and its list.
        units: the number of units, of which each must have a text.
    """
    lists = grouped((group, speaker) for speaker, group in said)
    apart = all(len(set(held)) == len(held) > LEAST_ROLES for held in lists.values())
    return apart and len(said) == units


def repeats_itself(rows: Sequence[Row], bot: str) -> bool:
    """Whether a speaker says nothing but the same four times or more, as a server of each request."""
    said = [row.text for row in rows if row.speaker == bot and row.text]
    return len(said) >= 4 and len(set(said)) == 1


def echoes(text: Column, values: Sequence[str], bot: str) -> Iterator[str]:
    """Yield the roles that say nothing but what a speaker says, as the step of a model does before the message."""
    pairs = zip(values, text.texts, strict=True)
    said = grouped((value, of_unit) for value, of_unit in pairs if of_unit)
    for value, texts in said.items():
        if value != bot and share_of([one in said.get(bot, ()) for one in texts]) >= 0.8:
            yield value


def rests_on(
    shared: SharedWords, rows: Sequence[Row], bot: str
) -> tuple[float, float, float, float]:
    """Return how far a speaker's texts rest on passages, those of the unit or of the units since it last spoke.

    These are the mean shares of words with their own passages and with those of others, the share of the passages
    that are the speaker's, and the share of its texts that have any.
    """
    texts, knowledge, waiting, taken = [], [], list[str](), 0
    for row in rows:
        if row.speaker == bot and row.text:
            texts.append(row.text)
            knowledge.append(row.passage or "\n".join(waiting))
            taken += 1 if row.passage else len(waiting)
            waiting = []
        elif row.passage:
            waiting.append(row.passage)
    passages = sum(bool(row.passage) for row in rows)
    same, apart = shared.same_and_apart(texts, knowledge)
    return same, apart, taken / max(passages, 1), share_of(knowledge)


def speak_two(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether two people speak in a column: many of its texts have no knowledge, and ask more than the others.

    Args:
        pairs: the text and the knowledge of each unit; a greeting that a program repeats counts once.
    """
    different = set(pairs)
    with_knowledge = [asks(text) for text, knowledge in different if text and knowledge]
    without = [asks(text) for text, knowledge in different if text and not knowledge]
    many = len(without) >= max(3, 0.4 * len(different))
    return many and share_of(without) - share_of(with_knowledge) >= 0.3


def unrepeated(text: Column, knowledge: Column) -> Column:
    """Return what is said without the texts that stood in a column of knowledge before: nobody says these."""
    passages: set[str] = set()
    said = Column(text.path)
    for texts, found in zip(text.values, knowledge.values, strict=True):
        said.values.append([one for one in texts if one not in passages])
        passages.update(found)
    return said


def found_by_tools(text: Column, values: Sequence[str]) -> Iterator[tuple[Column, Column]]:
    """Yield the texts of each role that may be what tools found, beside what the other roles say in the same field."""
    for value in sorted(set(values)) if len(set(values)) >= LEAST_ROLES else ():
        if role_named(value) in {"user", "assistant", "system"} or is_dropped(value):
            continue
        found = _where(text, [own == value for own in values])
        others = _where(text, [own != value for own in values])
        known = found.may_be_knowledge() and found.share_asking < USERS_ASK
        echo = share_of([one in others.filled for one in found.filled]) >= 0.8
        if known and not (echo or found.is_constant):
            yield found, others


def prompts_in(text: Column, values: Sequence[str]) -> Iterator[Column]:
    """Yield the texts of each role that says nothing but prompts with passages."""
    for value in sorted(set(values)):
        said = _where(text, [own == value for own in values])
        if said.filled and hold_passages(said, user=True):
            yield said


def _where(text: Column, kept: Sequence[bool]) -> Column:
    """Return a column with the values of some units alone."""
    pairs = zip(text.values, kept, strict=True)
    return Column(text.path, [values if own else [] for values, own in pairs])


def as_one_text(columns: Mapping[str, Column]) -> list[Column]:
    """Return columns with those of messages that are a text with some speakers, and a list of parts with others.

    The lists that nearly all units have are added, too, as one text of each unit.
    """
    in_two_forms: list[Column] = []
    for path, plain in columns.items():
        parts = columns.get(f"{path}[].text")
        if parts and not plain.paired(parts):
            pairs = zip(plain.values, in_one(parts).values, strict=True)
            in_two_forms.append(Column(path, [text or joined for text, joined in pairs]))
    lists = [one for one in columns.values() if not one.is_single and one.share_filled >= 0.8]
    return [*in_two_forms, *columns.values(), *map(in_one, lists)]


def told_by_path(texts: Sequence[Column]) -> list[tuple[Column, Role]]:
    """Return as one column what is said at several paths, with the path of each unit as its role.

    Of these columns no unit has a text in two; nothing is returned if there is one alone.
    """
    apart: list[Column] = []
    for text in texts:
        if not any(other.paired(text) for other in apart):
            apart.append(text)
    if len(apart) < 2:
        return []
    values: list[list[str]] = []
    paths: list[str] = []
    for number in range(len(apart[0].values)):
        given = [text for text in apart if text.values[number]]
        values.append([one for text in given for one in text.values[number]])
        paths.append(given[0].path if given else ABSENT_ROLE)
    return [(Column(AND.join(text.path for text in apart), values), ("", paths))]


def spoken_in(texts: Sequence[Column]) -> Iterator[Column]:
    """Yield the columns that may be what is said, each also with another one that has the texts which it lacks."""
    for text in texts:
        yield text
        for other in texts:
            apart = not text.paired(other) and set(text.filled).isdisjoint(other.filled)
            enough = len(other.filled) + len(text.filled) >= 0.5 * len(text.values)
            if apart and enough and not other.path.startswith(f"{text.path}."):
                joined = [own or its for own, its in zip(text.values, other.values, strict=True)]
                yield Column(f"{text.path}{AND}{other.path}", joined)


def tells_of(role: str, knowledge: Column) -> bool:
    """Whether a column is named after a list of knowledge, as ``has_sources`` is: a reply may have none."""
    named = words_in(knowledge.path.partition("[]")[0].rpartition(".")[2])
    own = words_in(role.rpartition(".")[2])
    return len(own) > len(named) > 0 and own[-len(named) :] == named


def is_of_tool(known: Column, said_at: Sequence[str]) -> bool:
    """Whether some of the texts that would be said stand in one list with what a tool found, and are the tool's."""
    listed, marks, _ = known.path.partition("[]")
    its = [path for path in said_at if marks and path.startswith(f"{listed}[]")]
    return 0 < len(its) < len(said_at)


def parts_at(columns: Mapping[str, Column], path: str) -> str:
    """Return the path of the parts of a message in place of that of their texts, if some are thoughts."""
    parts = path.removesuffix("[].text")
    kinds = columns.get(f"{parts}[].type") if parts != path else None
    named = {*kinds.all_values} if kinds else set()
    thinks = any(isinstance(kind, str) and _THOUGHTS.search(kind) for kind in named)
    return parts if thinks and "text" in named else path
