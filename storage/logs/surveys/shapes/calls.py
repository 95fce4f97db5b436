"""Calls of a model among the units of an unknown log: the messages that were sent, and the reply to them.

The messages have usual roles; the reply is a text beside them, or stands among them with its passages beside them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qsquared.storage.logs.fields.embedded_values import by_ids, parsed
from qsquared.storage.logs.fields.field_paths import value_at
from qsquared.storage.logs.format_engines.units import Overrides
from qsquared.storage.logs.messages.answers import read_said, read_transcript
from qsquared.storage.logs.messages.replies import one_each, replies_in, with_own
from qsquared.storage.logs.surveys.columns.described import Proposal, description, ids_and_times
from qsquared.storage.logs.surveys.columns.knowledge import known_path
from qsquared.storage.logs.surveys.columns.texts import SharedWords, share_of
from qsquared.storage.logs.surveys.columns.values import Column, Unit, columns_of
from qsquared.storage.logs.vocabulary import vocabulary

_HAVE_ROLES = 0.3
"""The confidence that messages with roles give beside the words that a reply shares."""


def talks_in(units: Sequence[Unit]) -> list[str]:
    """Return the paths to lists of messages in which a user speaks, which most units have."""
    paths = dict.fromkeys(path for unit in units[:5] for path in _lists(unit))
    # Other calls of a program may have no messages, as those for embeddings.
    return [path for path in paths if share_of([_asked(unit, path) for unit in units]) >= 0.6]


def _asked(unit: Unit, path: str) -> str:
    """Return the texts of the messages at a path but for the assistant's, empty unless a user speaks there."""
    messages = read_said(value_at(unit, path))
    texts = "\n".join(message.text for message in messages if message.role != "assistant")
    users = any(message.role == "user" and message.text.strip() for message in messages)
    return texts if users else ""


def _lists(value: Mapping[str, Any], path: str = "", depth: int = 0) -> Iterator[str]:
    """Yield the paths to what may be a list of messages in a unit, within up to six objects."""
    for name, inner in value.items() if depth < 6 else ():
        held = parsed(inner)
        listed = isinstance(held, list) and held and isinstance(held[0], dict | list)
        if listed or by_ids(held) or (isinstance(held, str) and read_transcript(held)):
            yield f"{path}{name}"
        elif isinstance(held, dict):
            yield from _lists(held, f"{path}{name}.", depth + 1)


def calls_in(path: str, units: Sequence[Unit]) -> Proposal:
    """Propose that each unit is a call: messages, and a text that answers them or passages of their replies.

    The proposal is empty if no unit has such messages.
    """
    proposals: list[Proposal] = []
    for talk in talks_in(units):
        proposals += _with_passages_of_each(path, units, talk)
        proposals += _with_reply_beside(path, units, talk)
    return max(proposals, key=lambda proposal: proposal.confidence, default=Proposal())


def _with_reply_beside(path: str, units: Sequence[Unit], talk: str) -> Iterator[Proposal]:
    """Yield proposals for texts beside messages, of which each is the reply to these."""
    columns = columns_of(units)
    asked = [_asked(unit, talk) for unit in units]
    shared = SharedWords(asked)
    last = [read_said(value_at(unit, talk))[-1:] for unit in units]
    answers = [end[0].text if end and end[0].role == "assistant" else "" for end in last]
    for reply in columns.values():
        if reply.path.startswith(talk) or not _may_answer(reply, answers):
            continue
        fields = {"messages": [talk], "response": [reply.path], **ids_and_times(columns)}
        named = 0.1 if vocabulary("survey")["reply_like"].search(reply.path) else 0.0
        confidence = shared.lift(reply.texts, asked) + _HAVE_ROLES + named
        yield Proposal(description("messages", path, fields), confidence)


def _may_answer(reply: Column, answers: Sequence[str]) -> bool:
    """Whether texts may be replies to messages, which are answered by no other text if they end with a reply."""
    differs = [text and text != own for text, own in zip(answers, reply.texts, strict=True)]
    said = reply.is_said and reply.share_asking < 0.5 and reply.share_filled >= 0.7
    return said and not reply.is_of_program and share_of(differs) <= 0.5


def _with_passages_of_each(path: str, units: Sequence[Unit], talk: str) -> Iterator[Proposal]:
    """Yield proposals for lists beside the messages that have the passages of one reply in each item."""
    talks = (read_said(value_at(unit, talk)) for unit in units)
    replies = [replies_in(messages, Overrides()) for messages in talks]
    for outer in dict.fromkeys(_lists(units[0])):
        pairs = [(own, one_each(unit, outer)) for own, unit in zip(replies, units, strict=True)]
        if any(with_own(own, [()] * len(items)) is None for own, items in pairs):
            continue
        # The last ones belong together, as a greeting has none.
        texts = [reply.text for own, items in pairs for reply in own[len(own) - len(items) :]]
        items = [item for _, of_unit in pairs for item in of_unit]
        for knowledge in columns_of(items).values():
            if not knowledge.may_be_knowledge():
                continue
            inner = known_path(items, knowledge).removeprefix("each")
            each = {"messages": [talk], "each": [f"{outer}[]{inner}"]}
            fields = {**each, **ids_and_times(columns_of(units))}
            confidence = SharedWords(texts).lift(texts, knowledge.texts) + _HAVE_ROLES
            yield Proposal(description("messages", path, fields), confidence)
