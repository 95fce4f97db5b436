"""Turns of records and of conversations, by the description of their format.

A row is a whole call or record (a question or messages, and the answer to them), an exchange of a
conversation (a question and its answer), or one message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from qsquared.storage.logs.engines.formats import Format
from qsquared.storage.logs.engines.units import (
    MOST_PLACES,
    OUTER,
    PROMPT_MARK,
    TOO_LONG,
    Fields,
    LogUnit,
    NoTurn,
    Overrides,
    TurnFound,
)
from qsquared.storage.logs.fields.cells import looks_like_list
from qsquared.storage.logs.fields.field_paths import ABSENT, first_at, value_at
from qsquared.storage.logs.fields.objects import (
    Passage,
    distinct,
    first,
    items,
    mapping,
    passages_of,
    text_of,
)
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.messages.answers import Answer, asked, read_answer
from qsquared.storage.logs.messages.messages import (
    Message,
    Reply,
    context_of,
    documents_beside,
    documents_in,
    is_reply,
    marked,
    read_message,
    read_messages,
    replies,
)
from qsquared.storage.logs.messages.parts import read_parts
from qsquared.storage.logs.messages.roles import CONVERSATIONS, IDS, TIMES, time_of

ABSENT_ROLE = ""
"""The value, in a description, of a field that tells by its absence who speaks."""
NO_MESSAGES = "The row holds no messages with roles."
NO_REPLY = "No message of the row is a text of the assistant."
NO_ANSWER = "The row holds no text of an answer."
_UNANSWERED = "The request stands here without a response."
_FAILED = "The request failed, so there is no reply (see its field 'error')."
_OF_RESPONSES = frozenset({"choices", "output", "role"})
"""Fields of which a row that is a response itself has one."""
_OF_ANSWER = ("model", "usage", "status", "stop_reason")


def turns_of(
    form: Format, units: Sequence[LogUnit], overrides: Overrides
) -> list[TurnFound | NoTurn]:
    """Return the turns of the units of a group, or why they hold none."""
    if form.unit == "call":
        return _of_calls(form, units, overrides)
    if len(units) ** 2 > MOST_PLACES:
        return [NoTurn(units[0].line, TOO_LONG)]
    if form.unit == "exchange":
        return _of_messages(form, _exchanged(form, units), overrides)
    said = []
    for unit in _oldest_first(units, form):
        described = "content" in form.fields
        message = _described(form, unit.fields) if described else read_message(unit.fields)
        said.append((unit, message))
    return _of_messages(form, said, overrides)


def _of_calls(
    form: Format, units: Sequence[LogUnit], overrides: Overrides
) -> list[TurnFound | NoTurn]:
    """Return the turns of rows that are calls; of a batch, requests and responses are rows of their own."""
    views = [form.view(unit.fields) for unit in units]
    lone = [n for n, view in enumerate(views) if units[n].group and _is_request(form, view)]
    request = views[lone[-1]] if lone else {}
    found = [
        turn
        for number, unit in enumerate(units)
        if number not in lone
        for turn in _of_call(form, unit, views[number], request, overrides)
    ]
    return found or [NoTurn(units[0].line, _UNANSWERED)]


def _is_request(form: Format, view: Mapping[str, Any]) -> bool:
    paths = (path for path in form.paths("response") if path != ".")
    said = any(value_at(view, path) not in (ABSENT, None) for path in paths)
    return not said and not _failure(view)


def _of_call(
    form: Format,
    unit: LogUnit,
    view: Mapping[str, Any],
    request: Mapping[str, Any],
    overrides: Overrides,
) -> list[TurnFound | NoTurn]:
    messages = _asked(form, view) or _asked(form, request)
    ended = bool(messages) and messages[-1].role == "assistant" and not messages[-1].blank
    answer = None
    for path in form.paths("response"):
        if path == "." and view.keys().isdisjoint(_OF_RESPONSES):
            continue
        value = value_at(view, path)
        if value is not ABSENT and value is not None:
            answer = read_answer(value, messages, form.glue)
            if answer is not None and (answer.texts or answer.reason):
                break
    answer = None if answer is not None and ended and answer.plain else answer
    if answer is None and not ended and _was_called(form, view):
        return [NoTurn(unit.line, _failure(view) or _UNANSWERED)]
    results = [
        mapping(one) for path in form.paths("results") for one in items(first_at(view, [path]))
    ]
    brought = (
        read_parts([{**one, "type": "tool-result"} for one in results], tool=False).passages
        if results
        else []
    )
    known = _known(form, view)
    return _turns(_Conversation(form, unit, view, messages, answer, [*brought, *known]), overrides)


def _failure(view: Mapping[str, Any]) -> str:
    """Return why a request has no response by its error, empty if it has none."""
    if view.get("error"):
        return _FAILED
    result = mapping(view.get("result"))
    if result.get("type") not in ("errored", "canceled", "expired"):
        return ""
    error = mapping(result.get("error"))
    told = first(mapping(error.get("error")) or error, "type", "message")
    return f"The request of the batch was {result['type']}" + (
        f" ({str(told)[:60]})." if told else "."
    )


def _was_called(form: Format, view: Mapping[str, Any]) -> bool:
    """Whether a row is a request whose response is not there; earlier replies in it are other rows' turns."""
    if form.engine == "records":
        return False
    return bool(view.keys() & {"request", "response", "custom_id", "result"})


def _asked(form: Format, view: Mapping[str, Any]) -> list[Message]:
    """Return what came before an answer: the prompt of the system, messages, a question."""
    said: list[Message] = []
    for path in form.paths("system"):
        held = value_at(view, path)
        system = text_of(held) if held is not ABSENT else ""
        if system.strip():
            said = [Message("system", system)]
            break
    messages: list[Message] = []
    for path in form.paths("messages"):
        value = value_at(view, path)
        if value is not ABSENT and (messages := read_messages(value, form.glue)):
            break
    for path in form.paths("then"):
        value = value_at(view, path)
        messages += [] if value is ABSENT else read_messages(value, form.glue)
    if not messages:
        for path in form.paths("earlier"):
            messages += _earlier(first_at(view, [path]))
        for path in form.paths("question"):
            value = value_at(view, path)
            value = value[0] if isinstance(value, list) and len(value) == 1 else value
            if value is not ABSENT and (question := asked(value)):
                messages += question
                break
    return [*said, *messages]


def _earlier(value: Any) -> list[Message]:
    """Return the texts of a conversation before a question: messages, texts, or pairs of texts."""
    found: list[Message] = []
    for item in items(value):
        pair = item if isinstance(item, list) else [item]
        for number, one in enumerate(pair):
            role = "assistant" if number % 2 else "user"
            found += [Message(role, one)] if isinstance(one, str) else read_messages([one])
    return found


def _known(form: Format, view: Mapping[str, Any]) -> list[Passage]:
    """Return the passages beside an answer, by the first path that leads to some, and by all of ``more``."""
    found: list[Passage] = []
    for path in form.paths("knowledge"):
        value = ABSENT if path == "." else value_at(view, path)
        if path == ".":
            found = documents_beside(view)
        elif value is not ABSENT:
            found = documents_in(
                _separated(form, value), texts=form.engine == "records" or "content" in form.fields
            )
        if found:
            break
    for path in form.paths("more"):
        value = value_at(view, path)
        found = [*found, *([] if value is ABSENT else passages_of(value))]
    return found


def _separated(form: Format, value: Any) -> Any:
    """Return a text that joins several passages as their list."""
    joined = form.separator and isinstance(value, str) and form.separator in value
    return value.split(form.separator) if joined and not looks_like_list(value) else value


@dataclass(frozen=True, slots=True)
class _Conversation:
    form: Format
    unit: LogUnit
    view: Mapping[str, Any]
    messages: Sequence[Message]
    answer: Answer | None
    beside: Sequence[Passage]


def _turns(found: _Conversation, overrides: Overrides) -> list[TurnFound | NoTurn]:
    """Return a turn for each reply of a conversation, or the reason why there is none."""
    answer = found.answer
    if answer is None and len(found.messages) ** 2 > MOST_PLACES:
        return [NoTurn(found.unit.line, TOO_LONG)]
    if answer is None:
        answered = replies(found.messages, overrides)
        if len(answered) == 1:
            answered = [_with(answered[0], found.beside)]
    else:
        before = marked(found.messages, overrides)
        known = [*answer.passages, *found.beside]
        answered = [
            _with(context_of(before, overrides, text), known, text) for text in answer.texts
        ]
    if not answered:
        return [NoTurn(found.unit.line, _reason(found))]
    return [_turn(found, reply, n, len(answered)) for n, reply in enumerate(answered, start=1)]


def _with(reply: Reply, passages: Sequence[Passage], text: str | None = None) -> Reply:
    """Return a reply with further passages, and with its text if that is given."""
    if not passages and text is None:
        return reply
    known = distinct([*reply.knowledge, *passages]) if passages else reply.knowledge
    return replace(reply, text=reply.text if text is None else text, knowledge=known)


def _reason(found: _Conversation) -> str:
    if reason := _failure(found.view):
        return reason
    if found.answer is not None:
        return found.answer.reason or NO_ANSWER
    if found.form.engine == "records":
        return NO_ANSWER
    return NO_REPLY if found.messages else NO_MESSAGES


def _turn(found: _Conversation, reply: Reply, number: int, count: int) -> TurnFound:
    form, fields, view = found.form, found.unit.fields, found.view
    answer = found.answer.fields if found.answer is not None else {}
    metadata = _metadata(form, fields)
    name = (
        found.unit.group
        if form.unit == "message"
        else _own(form, view, "id", IDS) or answer.get("id")
    )
    conversation = _own(form, view, "conversation_id", CONVERSATIONS)
    if answer and answer is not fields and form.engine == "messages":
        metadata |= {k: v for k, v in answer.items() if k in _OF_ANSWER}
        metadata.setdefault("response_id", answer.get("id"))
    several = count > 1 and name is not None
    own = fields.get("knowledge") if form.engine == "messages" else None
    turn: Fields = {
        **metadata,
        "id": f"{name}#{number}" if several else name,
        "conversation_id": name if conversation is None and several else conversation,
        "turn": number if count > 1 else fields.get("turn"),
        "timestamp": reply.time or _own(form, view, "timestamp", TIMES) or first(answer, *TIMES),
        "history": reply.history,
        "knowledge": reply.knowledge if own is None else own,
        "response": reply.text,
        **({"system": reply.system} if reply.system else {}),
        **({PROMPT_MARK: reply.mark} if reply.mark else {}),
    }
    return TurnFound(found.unit.line, turn, fields)


def _own(form: Format, view: Mapping[str, Any], part: str, usual: Sequence[str]) -> Any:
    return first_at(view, form.paths(part)) if part in form.fields else first(view, *usual)


def _metadata(form: Format, fields: Mapping[str, Any]) -> Fields:
    if form.keep:
        view = form.view(fields)
        named = {name: first_at(view, paths) for name, paths in form.keep.items()}
        return {name: value for name, value in named.items() if value is not None}
    return {
        name: value for name, value in fields.items() if name not in form.read and name != OUTER
    }


def _exchanged(form: Format, units: Sequence[LogUnit]) -> list[tuple[LogUnit, Message | None]]:
    """Return the messages of the exchanges of a conversation: questions, what was found, answers."""
    made: list[tuple[LogUnit, Message | None]] = []
    for unit in _ordered(form, units):
        view = form.view(unit.fields)
        made += [(unit, message) for message in _asked(form, view)]
        made.append((unit, Message("tool", "", tuple(_known(form, view)))))
        answer = next(
            (
                a
                for p in form.paths("response")
                if (a := read_answer(_at(view, p), (), form.glue)) and a.texts
            ),
            None,
        )
        made.append(
            (
                unit,
                None
                if answer is None
                else Message("assistant", "\n".join(answer.texts), tuple(answer.passages)),
            )
        )
    return made


def _ordered(form: Format, units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return exchanges by the values that order them: numbers, then texts such as times."""
    if "order" not in form.fields:
        return units
    values = [[value_at(unit.fields, path) for path in form.fields["order"]] for unit in units]
    keys = [
        ([v for v in held if isinstance(v, int)], [v for v in held if isinstance(v, str)])
        for held in values
    ]
    return [
        unit
        for _, _, unit in sorted(
            zip(keys, range(len(units)), units, strict=True), key=lambda one: one[:2]
        )
    ]


def _at(view: Mapping[str, Any], path: str) -> Any:
    value = value_at(view, path)
    return None if value is ABSENT else value


def _described(form: Format, fields: Mapping[str, Any]) -> Message | None:
    """Return the message whose role and text a description names; who is no assistant or tool is the user."""
    named = first_at(fields, form.paths("role"))
    spoken = ABSENT_ROLE if named is None else str(named)
    kinds = (role for role in ("assistant", "tool", "system") if spoken in form.kinds.get(role, ()))
    role = next(kinds, "user")
    if role == "tool":
        return Message(role, "", tuple(_known(form, fields)))
    text = text_of(first_at(fields, form.paths("content")))
    return Message(role, text, tuple(_known(form, fields)) if role == "assistant" else ())


def _oldest_first(units: Sequence[LogUnit], form: Format) -> Sequence[LogUnit]:
    """Return the messages of a conversation in their order, if the table lists the newest first.

    Times that go up and down, or that are missing, leave the order of the table.
    """
    times = [
        moment_of(_own(form, unit.fields, "timestamp", ()) or time_of(unit.fields))
        for unit in units
    ]
    known = [time for time in times if time is not None]
    falls = len(known) == len(times) > 1 and known[0] > known[-1]
    return units[::-1] if falls and all(a >= b for a, b in pairwise(known)) else units


def _of_messages(
    form: Format, read: Sequence[tuple[LogUnit, Message | None]], overrides: Overrides
) -> list[TurnFound | NoTurn]:
    """Return a turn for each reply among the messages of one conversation, in their order."""
    first_line = read[0][0].line if read else 1
    said = [(unit, message) for unit, message in read if message is not None]
    messages = marked([message for _, message in said], overrides)
    found: list[TurnFound | NoTurn] = []
    number = 0
    for place, (unit, message) in enumerate(said):
        if not is_reply(messages, place):
            continue
        number += 1
        fields = unit.fields
        reply = context_of(messages[: place + 1], overrides, message.text)
        beside = [] if form.unit == "exchange" or "content" in form.fields else _known(form, fields)
        turn: Fields = {
            **_metadata(form, fields),
            "id": _own(form, fields, "id", ("id", "message_id", "messageId")),
            "conversation_id": _own(form, fields, "conversation_id", ()) or unit.group,
            "turn": _own(form, fields, "turn", ()) if "turn" in form.fields else number,
            "timestamp": _own(form, fields, "timestamp", ())
            if "timestamp" in form.fields
            else time_of(fields),
            "history": reply.history,
            "knowledge": distinct([*reply.knowledge, *beside]),
            "response": message.text,
            **({PROMPT_MARK: reply.mark} if reply.mark else {}),
        }
        found.append(TurnFound(unit.line, turn, fields))
    lost = (
        [NoTurn(unit.line, NO_ANSWER) for unit, message in read if message is None]
        if form.unit == "exchange"
        else []
    )
    return found + lost or [NoTurn(first_line, NO_REPLY)]
