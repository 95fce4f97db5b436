"""Replies of the assistant in a conversation, each with the history and knowledge before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from qsquared.storage.logs.engines.units import Overrides
from qsquared.storage.logs.fields.field_paths import ABSENT, value_at
from qsquared.storage.logs.fields.objects import Passage, distinct, items
from qsquared.storage.logs.messages.messages import TOOLS, Message, documents_in
from qsquared.storage.logs.prompts.splitting import split_prompt

_SPOKEN = {"user", "assistant"}
_PROMPTS = {"user", "system"}


@dataclass(frozen=True, slots=True)
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
        return replace(self, knowledge=distinct([*self.knowledge, *passages]))


def marked(messages: Sequence[Message], overrides: Overrides) -> list[Message]:
    """Return messages whose prompts are told apart from the passages within them."""
    found: list[Message] = []
    for message in messages:
        prompt = message.role in _PROMPTS and message.role not in overrides.roles
        asked = message.role == "user"
        parts = split_prompt(message.text, overrides.between, user=asked) if prompt else None
        if parts is None:
            found.append(message)
            continue
        # A prompt of the system after a question brings what was retrieved for it.
        lasting = not asked and all(one.role != "user" for one in found)
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
