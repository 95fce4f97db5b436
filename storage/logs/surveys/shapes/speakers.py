"""Who speaks in the units of an unknown log: by the names of roles, and by what is said."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from qsquared.storage.logs.fields.field_paths import grouped
from qsquared.storage.logs.fields.hits import flagged
from qsquared.storage.logs.fields.mapping import AND
from qsquared.storage.logs.fields.values import asks
from qsquared.storage.logs.format_engines.units import ABSENT_ROLE
from qsquared.storage.logs.messages.messages import role_named
from qsquared.storage.logs.surveys.columns.knowledge import hold_passages
from qsquared.storage.logs.surveys.columns.texts import SharedWords, share_of
from qsquared.storage.logs.surveys.columns.values import USERS_ASK, Column
from qsquared.storage.logs.vocabulary import vocabulary

Role = tuple[str, list[str]]
"""The path of a column that may tell who speaks, and its value in each unit."""
Row = tuple[int, str, str, str]
"""A conversation, who speaks in a unit of it, what is said, and what may be knowledge."""

_V = vocabulary("survey")
_LIKE = {
    "assistant": ("reply_like", "known_like", "asked_like"),
    "user": ("asked_like", "reply_like"),
}
_MANY, _HALF, _MOST = 4, 0.5, 0.8
_SPEAKERS = 2
SET = "True"
"""The value of a flag that is set, such as ``is_user``."""
_APART = 0.3
_THOUGHTS = re.compile(r"reason|think|thought")
_HUMP = re.compile(r"([a-z])([A-Z])")
LEAST_ROLES = 3
"""The user, the assistant and a tool."""
_GOES_ON = (",", ".", ";", ":", "!", "?", ")")
"""The marks before which no text begins anew."""


def who_speaks(text: Column, values: Sequence[str]) -> dict[str, float]:
    """Return who speaks, by the value of a role, each with the share of texts that do not end as statements do.

    Who always says the same is a program's note, if two others speak.
    """
    said = grouped(zip(values, text.values, strict=True))
    spoken = [one for value, texts in said.items() if (one := Column(value, texts)).filled]
    differ = [one for one in spoken if not one.is_constant]
    found = differ if len(differ) > 1 else spoken
    return {one.path: one.share_asking + 1 - one.share_ending for one in found}


def is_mixed(rows: Sequence[Row]) -> bool:
    """Whether one value of a role stands with what a tool found, and with what somebody says.

    A message that failed says nothing, either, but others of its speaker have both.
    Some programs give a model what tools found in the user's name.
    """
    silent = Counter(value for _, value, said, found in rows if found and not said)
    both = Counter(value for _, value, said, found in rows if found and said)
    speaks = {value for _, value, said, _ in rows if said and role_named(value) != "user"}
    return any(count >= both[value] for value, count in silent.items() if value in speaks)


def says_several(rows: Sequence[Row], bot: str) -> bool:
    """Whether a speaker says several things in a conversation."""
    said = [group for group, value, text, _ in rows if text and value == bot]
    return len(set(said)) < len(said)


def says_each_once(told: Sequence[tuple[str, int]], units: int) -> bool:
    """Whether each of several speakers says one thing in a list, as systems do whose replies are compared."""
    lists = grouped((group, value) for value, group in told)
    apart = all(len(set(held)) == len(held) > LEAST_ROLES for held in lists.values())
    return apart and len(told) == units


def is_named_like(value: str, role: str) -> bool:
    """Whether a part of the name of a speaker, or of an event, is usual for a role."""
    likes = [_V[name].search(value) for name in _LIKE.get(role, ())]
    return any(role_named(part) == role for part in words_in(value)) or (
        bool(likes) and likes[0] is not None and not any(likes[1:])
    )


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


def words_in(value: str) -> list[str]:
    """Return the words of a name in small letters; ``isUser`` has two."""
    return re.findall(r"[^\W\d_]+", _HUMP.sub(r"\1 \2", value).lower())


def within(path: str, made: Mapping[str, Column]) -> list[Column]:
    """Return the columns in the object at a path; none of the rows themselves."""
    return [one for where, one in made.items() if path and where.startswith(f"{path}.")]


def is_users(column: Column, made: Mapping[str, Column]) -> bool:
    """Whether the object that holds a text says that a user wrote it."""
    beside = within(column.path.rpartition(".")[0], made)
    return any(one.all_fit(lambda name: role_named(str(name)) == "user") for one in beside)


def is_spoken(column: Column, made: Mapping[str, Column]) -> bool:
    """Whether the texts are those of messages, each beside a usual role of its own."""
    outer = column.path.rpartition(".")[0]
    roles = {"user", "assistant", "system"}
    # Lists in the object hold other things, such as messages of their own.
    beside = [one for one in within(outer, made) if "[]" not in one.path[len(outer) :]]
    beside = beside if "[]" in outer else []
    return any(one.all_fit(lambda name: role_named(str(name)) in roles) for one in beside)


def repeats_itself(rows: Sequence[Row], bot: str) -> bool:
    """Whether a speaker says nothing but the same, as a server of each request."""
    said = [text for _, value, text, _ in rows if value == bot and text]
    return len(said) >= _MANY and len(set(said)) == 1


def echoes(text: Column, values: Sequence[str], bot: str) -> Iterator[str]:
    """Yield the roles that say nothing but what a speaker says, as the step of a model does before the message."""
    said = grouped((v, one) for v, one in zip(values, text.texts, strict=True) if one)
    for value, texts in said.items():
        if value != bot and share_of([one in said.get(bot, ()) for one in texts]) >= _MOST:
            yield value


def in_one(column: Column, glue: str | None = None) -> Column:
    """Return a column with the texts of each unit as one, as those of the parts of a message."""
    glue = glue_of(column) if glue is None else glue
    values = [[glue.join(map(str, held))] if held else [] for held in column.values]
    return Column(column.path, values)


def glue_of(column: Column) -> str:
    """Return what joins the texts of a unit: nothing if they were cut at blanks or marks, else a line break."""
    cuts = [pair for held in column.values for pair in pairwise(map(str, held))]
    told = (a[-1:].isspace() or b[:1].isspace() or b.startswith(_GOES_ON) for a, b in cuts)
    return "" if cuts and all(told) else "\n"


def unrepeated(text: Column, known: Column) -> Column:
    """Return what is said without the texts that stood in a column of knowledge before: nobody says these."""
    found: set[str] = set()
    said = Column(text.path)
    for texts, passages in zip(text.values, known.values, strict=True):
        said.values.append([one for one in texts if one not in found])
        found.update(passages)
    return said


def found_by_tools(text: Column, values: Sequence[str]) -> Iterator[tuple[Column, Column]]:
    """Yield the texts of each role that may be what tools found, beside what the other roles say in the same field."""
    for value in sorted(set(values)) if len(set(values)) >= LEAST_ROLES else ():
        if role_named(value) in {"user", "assistant", "system"} or is_dropped(value):
            continue
        theirs = _said_by(text, [own == value for own in values])
        others = _said_by(text, [own != value for own in values])
        known = (
            theirs.may_be_knowledge() and theirs.share_asking < USERS_ASK and not theirs.is_constant
        )
        echo = share_of([one in others.filled for one in theirs.filled]) >= _MOST
        if known and not echo:
            yield theirs, others


def _said_by(text: Column, own: Sequence[bool]) -> Column:
    """Return what is said without that of other units."""
    said = zip(text.values, own, strict=True)
    return Column(text.path, [held if its else [] for held, its in said])


def prompts_in(text: Column, values: Sequence[str]) -> Iterator[Column]:
    """Yield the texts of each role that says nothing but prompts with passages."""
    for value in sorted(set(values)):
        theirs = _said_by(text, [own == value for own in values])
        if theirs.filled and hold_passages(theirs, user=True):
            yield theirs


def rests_on(
    shared: SharedWords, rows: Sequence[Row], bot: str
) -> tuple[float, float, float, float]:
    """Return how far a speaker's texts rest on a column, of the unit or of those since another spoke.

    After the shares of words with their own knowledge and with that of others come the share of the knowledge
    that is a speaker's, and that of the texts which have any.
    """
    said, found, waiting, taken = [], [], list[str](), 0
    for _, value, text, passage in rows:
        if value == bot and text:
            said.append(text)
            found.append(passage or "\n".join(waiting))
            taken += 1 if passage else len(waiting)
            waiting = []
        elif passage:
            waiting.append(passage)
    filled = sum(bool(passage) for *_, passage in rows)
    known = sum(map(bool, found))
    return *shared.same_and_apart(said, found), taken / max(filled, 1), known / max(len(said), 1)


def speak_two(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether two people speak in a column: many of its texts have no knowledge, and ask more than the others.

    A greeting that a program repeats counts once.
    """
    asking: dict[bool, list[bool]] = {True: [], False: []}
    for text, known in set(pairs):
        asking[bool(known)] += [asks(text)] if text else []
    many = len(asking[False]) >= max(3, 0.4 * len(set(pairs)))
    return many and share_of(asking[False]) - share_of(asking[True]) >= _APART


def in_two_forms(made: Mapping[str, Column]) -> Iterator[Column]:
    """Yield the contents of messages that are texts with some speakers, and lists of parts with others."""
    for path, plain in made.items():
        parts = made.get(f"{path}[].text")
        if parts and not plain.paired(parts):
            held = zip(plain.values, in_one(parts).values, strict=True)
            yield Column(path, [text or joined for text, joined in held])


def told_by_path(texts: Sequence[Column]) -> list[tuple[Column, Role]]:
    """Return what is said at several paths, of which each message has one, with that path; else nothing."""
    own: list[Column] = []
    for text in texts:
        if not any(one.paired(text) for one in own):
            own.append(text)
    if len(own) < _SPEAKERS:
        return []
    said = [[one for one in own if one.values[n]] for n in range(len(own[0].values))]
    values = [[text for one in several for text in one.values[n]] for n, several in enumerate(said)]
    paths = [several[0].path if several else ABSENT_ROLE for several in said]
    return [(Column(AND.join(one.path for one in own), values), ("", paths))]


def spoken_in(texts: Sequence[Column]) -> Iterator[Column]:
    """Yield the columns that may be what is said, each with the one that holds the texts that it lacks."""
    for text in texts:
        yield text
        for other in (one for one in texts if not one.path.startswith(f"{text.path}.")):
            apart = not text.paired(other) and set(text.filled).isdisjoint(other.filled)
            if apart and len(other.filled) + len(text.filled) >= _HALF * len(text.values):
                joined = [a or b for a, b in zip(text.values, other.values, strict=True)]
                yield Column(f"{text.path}{AND}{other.path}", joined)


def is_of_tool(known: Column, said_at: Sequence[str]) -> bool:
    """Whether some of the texts that would be said stand in one list with what a tool found, and are the tool's."""
    listed, each, _ = known.path.partition("[]")
    its = [path for path in said_at if each and path.startswith(f"{listed}[]")]
    return 0 < len(its) < len(said_at)


def parts_at(made: Mapping[str, Column], path: str) -> str:
    """Return the path of the parts of a message in place of that of their texts, if some are thoughts."""
    parts = path.removesuffix("[].text")
    kinds = made.get(f"{parts}[].type") if parts != path else None
    named = {*kinds.all_values} if kinds else set()
    thinks = any(isinstance(kind, str) and _THOUGHTS.search(kind) for kind in named)
    return parts if thinks and "text" in named else path
