"""Replies of the assistant in a conversation, each with the history and knowledge before it.

The messages may be a tree, known by values: each names the one that it answers, and several answer the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from qsquared.storage.logs.fields.field_paths import ABSENT, grouped, value_at
from qsquared.storage.logs.fields.objects import Passage, distinct, items
from qsquared.storage.logs.fields.values import is_name
from qsquared.storage.logs.format_engines.units import Overrides
from qsquared.storage.logs.messages.messages import TOOLS, Message, read_message, role_named
from qsquared.storage.logs.messages.parts import documents_in
from qsquared.storage.logs.prompts.prompt_parts import split_prompt

_SPOKEN = {"user", "assistant"}
_PROMPTS = {"user", "system"}
_NOWHERE = -1
"""The place of a message that is not in the conversation."""
_HALF = 0.5
_PLAIN = {"role", "content", "name", "type"}
_TOOL = "tool"
_Name = tuple[int, str] | None
"""A conversation and an id in it, None where a message has none."""
Tree = tuple[str, str, Sequence[int | None]]
"""The fields of the messages' ids and of those that they answer, and the place of the message that each answers."""


@dataclass(slots=True)  # frozen ones take six times as long to make
class Reply:
    """An assistant's text with the history, knowledge and system prompt before it."""

    text: str
    history: list[str]
    knowledge: list[Passage]
    system: str
    mark: str = ""
    time: Any = None

    def with_more(self, passages: Sequence[Passage]) -> Reply:
        """Return the reply with further passages as its knowledge."""
        if not passages:
            return self
        return replace(self, knowledge=distinct([*self.knowledge, *passages]))


def marked(messages: Sequence[Message], overrides: Overrides) -> list[Message]:
    """Return messages whose prompts are told apart from the passages within them."""
    found: list[Message] = []
    prompts = _PROMPTS - overrides.roles
    for message in messages:
        prompt = message.role in prompts
        asked = message.role == "user"
        parts = split_prompt(message.text, overrides.between, user=asked) if prompt else None
        if parts is None:
            found.append(message)
            continue
        # A prompt of the system after a question brings what was retrieved for it.
        lasting = message.lasting or (not asked and all(one.role != "user" for one in found))
        own = (*message.passages, *parts.passages)
        whole = replace(message, text=parts.rest, passages=own, lasting=lasting, mark=parts.mark)
        found.append(whole)
    return found


def is_reply(messages: Sequence[Message], number: int) -> bool:
    """Whether a message is the assistant's reply to the user.

    One that calls a tool is a step on the way; an empty text is a reply to the user's message right
    before it, if no other message of the assistant or a tool follows it.
    """
    message = messages[number]
    if message.role != "assistant" or message.calls:
        return False
    if message.text.strip():
        return True
    before = messages[number - 1].role if number else ""
    after = messages[number + 1].role if number + 1 < len(messages) else "user"
    return message.blank and before in {"user", *TOOLS} and after == "user"


def context_of(messages: Sequence[Message], overrides: Overrides, text: str) -> Reply:
    """Return a reply with the history and knowledge in the messages before it.

    Knowledge is what was retrieved since the user last spoke, what the prompts of the system hold,
    and the texts of the roles that a person named (see `Overrides.roles`).
    The last message may be the reply itself, which may bring passages with it.
    """
    last = messages[-1] if messages else None
    own = last if last is not None and last.role == "assistant" and last.text == text else None
    before = messages[:-1] if own else messages
    spoken = [n for n, m in enumerate(before) if m.role == "user" and m.text.strip()]
    known: list[Passage] = []
    history, prompts, mark = [], [], ""
    roles, begin = overrides.roles, spoken[-1] if spoken else 0
    for number, message in enumerate(messages):
        said, named = bool(message.text.strip()), message.role in roles
        if named and said:
            known.append({"text": message.text})
        elif message.lasting or number >= begin:
            known += message.passages
        if said and message is not own:
            if message.role in _SPOKEN and not named:
                history.append(message.text)
            if message.role == "system":
                prompts.append(message.text)
        mark = message.mark if message.mark and message.passages else mark
    return Reply(text, history, distinct(known), "\n".join(prompts), mark, own and own.time)


def replies_in(messages: Sequence[Message], overrides: Overrides) -> list[Reply]:
    """Return the replies in a conversation, each with its context."""
    places = [number for number, _ in enumerate(messages) if is_reply(messages, number)]
    return [context_of(messages[: n + 1], overrides, messages[n].text) for n in places]


def with_own(replies: Sequence[Reply], lists: Sequence[Sequence[Passage]]) -> list[Reply] | None:
    """Return replies with the lists of passages that stand beside them, one for each; None if their numbers differ.

    A greeting, before anything was asked, may have no list.
    """
    missing = len(replies) - len(lists)
    if not replies or missing not in {0, int(not replies[0].history)}:
        return None
    owned = zip(replies, [[]] * missing + [*lists], strict=True)
    return [reply.with_more(own) for reply, own in owned]


def one_each(fields: Mapping[str, Any], path: str) -> list[dict[str, Any]]:
    """Return the values of the list that a path enters first, each as the field ``each``."""
    value = value_at(fields, path.partition("[]")[0])
    return [{"each": one} for one in (items(value) if value is not ABSENT else [])]


def lists_beside(fields: Mapping[str, Any], path: str) -> list[list[Passage]]:
    """Return the passages in each item of the list that a path enters first."""
    inner = f"each{path.partition('[]')[2]}"
    return [documents_in(value_at(one, inner), texts=True) for one in one_each(fields, path)]


def replayed(messages: Sequence[Message | None]) -> set[int]:
    """Return the places of questions and answers that stood before, as a log of requests repeats what was said."""
    seen: set[tuple[str, str]] = set()
    found: set[int] = set()
    asked = 0
    for place, message in enumerate(messages):
        if message is None or not message.text.strip():
            continue
        question = messages[asked]
        if message.role == "user":
            asked = place
        elif message.role == "assistant" and question and question.role == "user":
            if (question.text, message.text) in seen:
                found |= {asked, place}
            seen.add((question.text, message.text))
    return found


def tree_of(messages: Sequence[Mapping[str, Any]]) -> Tree | None:
    """Return the tree of the messages of one conversation, None if none is answered several times."""
    # Each message of a tree has an id.
    if not messages or not set(messages[0]).intersection(*messages[1:]) - _PLAIN:
        return None
    names = {name for one in messages for name in one if name not in _PLAIN}
    held = {name: [one.get(name) for one in messages] for name in sorted(names)}
    return find_tree(held, lambda place: _speaker(messages[place]), [0] * len(messages), "id")


def _speaker(message: Mapping[str, Any]) -> str:
    # What calls a tool is a step on the way, and no other answer.
    one = read_message(message)
    return one.role if one and one.text.strip() and not one.calls else _TOOL


def find_tree(
    held: Mapping[str, Sequence[Any]],
    speaker: Callable[[int], str],
    groups: Sequence[int],
    named: str,
) -> Tree | None:
    """Return the tree of messages by the fields whose values are ids of others, None if none is answered several times.

    Args:
        held: the values of each field, None where a message has none.
        speaker: says who speaks at a place.
        groups: the number of the conversation of each.
        named: the field of ids that is named so, empty if there is none.
    """
    names: dict[str, list[_Name]] = {
        field: [None if one is None else (group, str(one)) for group, one in zip(groups, values, strict=True)]
        for field, values in held.items()
        if all(value is None or is_name(value) for value in values)
    }  # fmt: skip
    own = [field for field, ids in names.items() if len({*ids} - {None}) == len(groups)]
    for field in sorted(own, key=lambda one: one != named):
        places = {one: place for place, one in enumerate(names[field])}
        # Numbers count many things.
        counted = field != named and all(one and one[1].isdecimal() for one in names[field])
        for other in (one for one in names if one != field):
            above = [places.get(up, _NOWHERE) if up else None for up in names[other]]
            if _branches(above, speaker, groups, counted=counted):
                return field, other, above
    return None


def _branches(
    above: Sequence[int | None],
    speaker: Callable[[int], str],
    groups: Sequence[int],
    *,
    counted: bool,
) -> bool:
    """Whether places are those of the messages that messages answer, of which some are answered several times.

    Those that answer one are said by the same: what a step of a program holds is by several, or by tools.
    If ids are numbers, each message but the first of a conversation answers an earlier one.
    """
    linked = [(up, place) for place, up in enumerate(above) if up is not None]
    least = len(groups) - len(set(groups)) if counted else _HALF * len(groups)
    wrong = (up in {_NOWHERE, place} or (counted and up > place) for up, place in linked)
    if len(linked) < least or any(wrong):
        return False
    several = [{*map(speaker, held)} for held in grouped(linked).values() if len(held) > 1]
    return bool(several) and all(
        len(held) == 1 and not any(role_named(one) == _TOOL for one in held) for held in several
    )


def ways(above: Sequence[int | None]) -> Iterator[tuple[list[int], int]]:
    """Yield the places on the way to each message without an answer, and how many of them came before.

    Args:
        above: the place of the message that each message answers, None for the first of a conversation.
    """
    came: set[int] = set()
    for last in (n for n, _ in enumerate(above) if n not in above):
        way: dict[int, None] = {}
        place: int | None = last
        while place is not None and place not in way:
            way[place] = None
            place = above[place]
        yield [*reversed(way)], len(came & way.keys())
        came |= way.keys()
    # Messages that answer each other in a circle.
    if around := [n for n, _ in enumerate(above) if n not in came]:
        yield around, 0
