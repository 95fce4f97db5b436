"""Turns of logs whose rows are messages or exchanges of a conversation, by the description of their format.

An exchange is a question and its answer; rows that are whole calls or records are read in `calls.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from qsquared.storage.logs.fields.field_paths import ABSENT, first_at, flattened, leaves, value_at
from qsquared.storage.logs.fields.objects import Passage, distinct, mapping, parsed, passages_of
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.format_engines import calls
from qsquared.storage.logs.format_engines.formats import Format
from qsquared.storage.logs.format_engines.units import (
    ABOVE,
    ABSENT_ROLE,
    MOST_PLACES,
    OUTER,
    OWN,
    TOO_LONG,
    LogUnit,
    Outcomes,
    Overrides,
)
from qsquared.storage.logs.messages.answers import has_failed, read_answer
from qsquared.storage.logs.messages.messages import (
    Message,
    is_call,
    is_result,
    read_message,
    role_named,
    time_of,
)
from qsquared.storage.logs.messages.parts import attached_to, read_parts
from qsquared.storage.logs.messages.replies import context_of, is_reply, marked, replayed, ways

_OF_SYSTEM = ("is_system", "isSystem", "is_system_message", "isSystemMessage")
"""Flags that a program sets on its own notes in a conversation."""
_REPLAYED = "The conversation holds this question and answer before."


def turns_of(form: Format, units: Sequence[LogUnit], overrides: Overrides) -> Outcomes:
    """Return the turns of the messages or exchanges of a conversation, or why they hold none."""
    if len(units) ** 2 > MOST_PLACES:
        return [(units[0].line, TOO_LONG)]
    found: Outcomes = []
    units = _in_order(form, units)
    if form.unit == "exchange":
        found = _of_messages(form, _exchanged(form, units), overrides)
    for branch, already_seen in _branches(form, units) if form.unit == "message" else ():
        said = [(unit, _message(form, unit.fields)) for unit in branch]
        found += _of_messages(form, said, overrides, already_seen)
    return found or [(units[0].line, calls.NO_REPLY)]


def _branches(form: Format, units: Sequence[LogUnit]) -> Iterator[tuple[Sequence[LogUnit], int]]:
    """Yield the messages on the way to each one without an answer, and how many of them came before.

    Without a path to the message that each one answers they are one branch.
    """
    if "parent" not in form.fields:
        yield _oldest_first(form, units), 0
        return
    nested = form.paths("parent") == (OUTER,)
    own = [f"{OUTER}.{OWN}"] if nested else form.paths("id")
    parent = [f"{OUTER}.{ABOVE}"] if nested else form.paths("parent")
    places = {str(first_at(one.fields, own)): n for n, one in enumerate(units)}
    above = [places.get(str(first_at(one.fields, parent))) for one in units]
    for way, came in ways(above):
        yield [units[n] for n in way], came


def _oldest_first(form: Format, units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return the messages of a conversation in their order, if the table lists the newest first.

    Times that go up and down, or that are missing, leave the order of the table.
    """
    said = (calls.own_value(form, one.fields, "timestamp") or time_of(one.fields) for one in units)
    known = [time for time in map(moment_of, said) if time is not None]
    falls = len(known) == len(units) > 1 and known[0] > known[-1]
    return units[::-1] if falls and all(a >= b for a, b in pairwise(known)) else units


def _in_order(form: Format, units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return units in the order of the values that the format names: numbers, then texts such as times."""

    def order(unit: LogUnit) -> tuple[list[float], list[str]]:
        values = [value_at(unit.fields, path) for path in form.paths("order")]
        numbers = [v for v in values if isinstance(v, int | float)]
        return numbers, [v for v in values if isinstance(v, str)]

    return sorted(units, key=order) if form.paths("order") else units


def _exchanged(form: Format, units: Sequence[LogUnit]) -> list[tuple[LogUnit, Message | None]]:
    """Return the messages of the exchanges of a conversation: questions, what was found, answers."""
    made: list[tuple[LogUnit, Message | None]] = []
    for unit in units:
        view = form.view(unit.fields)
        found: Message | None = Message("tool", "", tuple(calls.known_in(form, view)))
        answers = (read_answer(value, (), form.glue) for value in form.held(view, "response"))
        answer = next((one for one in answers if one and one.texts), None)
        text = "\n".join(answer.texts) if answer else ""
        said = Message("assistant", text, tuple(answer.passages)) if answer else None
        made += [(unit, message) for message in (*calls.asked_in(form, view), found, said)]
    return made


def _message(form: Format, fields: Mapping[str, Any]) -> Message | None:
    """Return the message in a row; by a description of roles, who is no assistant or tool is the user."""
    if "content" not in form.fields:
        return read_message(fields)
    places = (path for path in form.paths("content") if first_at(fields, [path]) is not None)
    place = next(places, None)
    named = first_at(fields, form.paths("role")) if "role" in form.fields else place
    spoken = ABSENT_ROLE if named is None else str(named)
    kinds = (role for role in ("assistant", "tool", "system") if spoken in form.kinds.get(role, ()))
    role = next(kinds, "user")
    # Some programs call their bot the system.
    knows = any(path in fields for path in form.paths("knowledge"))
    noted = role_named(spoken) != "assistant" and not knows
    role = "system" if noted and any(fields.get(name) is True for name in _OF_SYSTEM) else role
    content = first_at(fields, form.paths("content"))
    typed = read_parts(content, tool=role == "tool", glue=form.glue)
    # Data that hold passages in place of a text are what a tool found, in whoever's name.
    inside = (path for path in form.paths("knowledge") if path.startswith(f"{place}."))
    data = role == "tool" or any(value_at(fields, path) is not ABSENT for path in inside)
    failed = role == "assistant" and has_failed(fields, typed.text)
    called = role in {"tool", "assistant"} and is_call(content)
    text = "" if data or failed or called else typed.text
    known = [] if role == "system" or failed or called else calls.known_in(form, fields)
    # Other tools have their results in other parts of a message.
    if any(path.startswith(f"{place}[]") for path in form.paths("knowledge")):
        texts = {one["text"] for one in known}
        objects = ((one, mapping(parsed(one["text"]))) for one in typed.passages)
        told = ((one, {str(leaf) for _, leaf in leaves(held)}) for one, held in objects)
        others = [one for one, held in told if not held & texts]
        known = distinct([*others, *known])
    # What is said and what a tool found may stand in the same field of different messages.
    if not set(form.paths("knowledge")).isdisjoint(form.paths("content")):
        found = role == "tool" and isinstance(content, str)
        known = passages_of(content) if found else [o for o in known if o["text"] not in text]
    if role == "user" and known and place not in form.paths("content")[:1]:
        return Message("tool", "", tuple(known))  # a search, with what was searched for as its text
    if role == "tool" and not known and not called and is_result(spoken):
        known = passages_of(content) or _other_data(form, fields)
    # What a user attached stays for the rest of the conversation.
    attached = attached_to(fields) if role == "user" else []
    return Message(role, text, (*known, *attached), lasting=bool(attached))


def _other_data(form: Format, fields: Mapping[str, Any]) -> list[Passage]:
    """Return the results of other tools, whose data lie where those with passages do, as they are written."""
    lists = [path.rpartition("[]")[0] for path in form.paths("knowledge")]
    places = [*lists, *(path.rpartition(".")[0] for path in lists)]
    held = (value_at(fields, one) for one in places if one and not one.endswith("[]"))
    found = next((one for one in held if one not in (ABSENT, [])), None)
    return [one for value in flattened([found]) for one in passages_of(value)]


def _of_messages(
    form: Format,
    read: Sequence[tuple[LogUnit, Message | None]],
    overrides: Overrides,
    already_seen: int = 0,
) -> Outcomes:
    """Return a turn for each reply among the messages of a conversation but those ``already_seen``, in their order."""
    again = replayed([message for _, message in read]) if "content" in form.fields else set()
    told = [(n, unit, message) for n, (unit, message) in enumerate(read) if message]
    said = [one for one in told if one[0] not in again]
    messages = marked([message for *_, message in said], overrides)
    timed = "timestamp" in form.fields
    found: Outcomes = []
    places = (place for place, _ in enumerate(said) if is_reply(messages, place))
    for number, place in enumerate(places, start=1):
        row, unit, message = said[place]
        if row < already_seen:
            continue
        fields = unit.fields
        reply = context_of(messages[: place + 1], overrides, message.text)
        apart = form.unit == "exchange" or "content" in form.fields
        beside = [] if apart else calls.known_in(form, fields)
        time = calls.own_value(form, fields, "timestamp") if timed else time_of(fields)
        turn = calls.turn_fields(reply, time, distinct([*reply.knowledge, *beside])) | {
            "id": calls.own_value(form, fields, "id", ("id", "message_id", "messageId")),
            "conversation_id": calls.own_value(form, fields, "conversation_id") or unit.group,
            "turn": calls.own_value(form, fields, "turn") if "turn" in form.fields else number,
        }
        found.append((unit.line, overrides.applied(calls.metadata_of(form, fields) | turn, fields)))
    silent = [unit for unit, one in read if one is None and form.unit == "exchange"]
    repeated = [(unit, one.role) for unit, one in (read[n] for n in sorted(again)) if one]
    found += [(unit.line, _REPLAYED) for unit, role in repeated if role == "assistant"]
    return found + [(unit.line, calls.NO_ANSWER) for unit in silent]
