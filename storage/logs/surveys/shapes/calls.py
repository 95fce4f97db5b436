"""Calls of a model among the rows of an unknown log: messages that were sent, and the reply to them."""

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
from qsquared.storage.logs.surveys.columns.values import Unit, columns_of
from qsquared.storage.logs.vocabulary import vocabulary

_REPLY_LIKE = vocabulary("survey")["reply_like"]
_MOST_DEPTH = 6
_MOST = 0.6
"""The share of the units that have messages: other calls of a program may have none, as of embeddings."""
_LOOKED_AT, _HALF = 5, 0.5
_NAMED = 0.1
"""The confidence that the name of a reply gives."""
_SENT = 0.3
"""The confidence that messages with roles give beside the words that a reply shares with them."""


def talks_in(units: Sequence[Unit]) -> list[str]:
    """Return the paths to lists of messages with usual roles, which most units have."""
    paths = dict.fromkeys(path for unit in units[:_LOOKED_AT] for path in _lists(unit, "", 0))
    return [path for path in paths if share_of([_asked(unit, path) for unit in units]) >= _MOST]


def _asked(unit: Unit, path: str) -> str:
    """Return the texts of the messages at a path, empty unless a user speaks there."""
    said = read_said(value_at(unit, path))
    texts = "\n".join(one.text for one in said if one.role != "assistant")
    return texts if any(one.role == "user" and one.text.strip() for one in said) else ""


def _lists(value: Mapping[str, Any], path: str, depth: int) -> Iterator[str]:
    for name, inner in value.items() if depth < _MOST_DEPTH else ():
        held = parsed(inner)
        listed = isinstance(held, list) and held and isinstance(held[0], dict | list)
        if listed or by_ids(held) or (isinstance(held, str) and read_transcript(held)):
            yield f"{path}{name}"
        elif isinstance(held, dict):
            yield from _lists(held, f"{path}{name}.", depth + 1)


def calls_in(path: str, units: Sequence[Unit]) -> Proposal:
    """Propose that each unit is a call: messages, and a text that answers them or passages of their replies."""
    ways = [(way, place) for place in talks_in(units) for way in (_one_each, _answering)]
    found = [one for way, place in ways for one in way(path, units, place)]
    return max(found, key=lambda one: one.confidence, default=Proposal())


def _answering(path: str, units: Sequence[Unit], place: str) -> Iterator[Proposal]:
    """Yield proposals for texts beside messages, of which each is the reply to these."""
    made = columns_of(units)
    texts = [_asked(unit, place) for unit in units]
    shared = SharedWords(texts)
    ends = [read_said(value_at(unit, place))[-1:] for unit in units]
    told = [one[0].text if one and one[0].role == "assistant" else "" for one in ends]
    for reply in made.values():
        said = reply.is_said and reply.share_asking < 0.5 and reply.share_filled >= 0.7
        # Messages that end with a reply are answered by no other text.
        other = share_of([a and a != b for a, b in zip(told, reply.texts, strict=True)]) > _HALF
        said = said and not (other or reply.is_of_program)
        if said and not reply.path.startswith(place):
            fields = {"messages": [place], "response": [reply.path], **ids_and_times(made)}
            named = _NAMED if _REPLY_LIKE.search(reply.path) else 0.0
            sure = shared.lift(reply.texts, texts) + _SENT + named
            yield Proposal(description("messages", path, fields), sure)


def _one_each(path: str, units: Sequence[Unit], place: str) -> Iterator[Proposal]:
    """Yield proposals for lists beside the messages that have the passages of one reply in each item."""
    said = (read_said(value_at(unit, place)) for unit in units)
    replies = [replies_in(messages, Overrides()) for messages in said]
    for outer in dict.fromkeys(_lists(units[0], "", 0)):
        pairs = [(own, one_each(unit, outer)) for own, unit in zip(replies, units, strict=True)]
        if any(with_own(own, [()] * len(found)) is None for own, found in pairs):
            continue
        # The last ones belong together, as a greeting has none.
        texts = [one.text for own, found in pairs for one in own[len(own) - len(found) :]]
        held = [one for _, found in pairs for one in found]
        for known in filter(lambda one: one.may_be_knowledge(), columns_of(held).values()):
            inner = known_path(held, known).removeprefix("each")
            fields = {
                "messages": [place],
                "each": [f"{outer}[]{inner}"],
                **ids_and_times(columns_of(units)),
            }
            sure = SharedWords(texts).lift(texts, known.texts) + _SENT
            yield Proposal(description("messages", path, fields), sure)
