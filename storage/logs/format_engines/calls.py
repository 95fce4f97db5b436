"""Turns of rows that are whole calls or records: a question or messages, and the answer to them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from qsquared.storage.logs.fields.embedded_values import looks_like_list, parsed, unquoted
from qsquared.storage.logs.fields.emptiness import is_error_alone, refused_with
from qsquared.storage.logs.fields.field_paths import ABSENT, each_at, first_at, flattened, value_at
from qsquared.storage.logs.fields.objects import (  # fmt: skip
    Passage,
    first,
    items,
    mapping,
    passages_of,
    text_of,
)
from qsquared.storage.logs.fields.reshaped import divided, without_dropped
from qsquared.storage.logs.format_engines.formats import Format
from qsquared.storage.logs.format_engines.units import (
    MOST_PLACES,
    OUTER,
    PROMPT_MARK,
    TOO_LONG,
    Fields,
    LogUnit,
    Outcomes,
    Overrides,
)
from qsquared.storage.logs.messages import replies
from qsquared.storage.logs.messages.answers import (
    Answer,
    asked,
    earlier,
    failure_of,
    read_answer,
    read_said,
)
from qsquared.storage.logs.messages.messages import (
    CONVERSATIONS,
    IDS,
    TIMES,
    Message,
    read_message,
    read_messages,
)
from qsquared.storage.logs.messages.parts import documents_beside, documents_in, read_parts
from qsquared.storage.logs.messages.replies import Reply, context_of, marked, replies_in
from qsquared.storage.logs.prompts.divide_passages import split_result

NO_MESSAGES = "The row holds no messages with roles."
NO_REPLY = "No message of the row is a text of the assistant."
NO_ANSWER = "The row holds no text of an answer."
_UNEQUAL = "The replies and the lists of their passages differ in number."
_UNANSWERED = "The request stands here without a response."
_OF_RESPONSES = frozenset({"choices", "candidates", "output", "role"})
"""Fields of which a row that is a response itself has one."""
_OF_CALLS = frozenset({"request", "response", "custom_id", "result"})
_OF_ANSWER = ("model", "usage", "status", "stop_reason")


def turns_of_calls(form: Format, units: Sequence[LogUnit], overrides: Overrides) -> Outcomes:
    """Return the turns of rows that are calls; of a batch, requests and responses are rows of their own."""
    calls = [(unit, form.view(unit.fields)) for unit in units]
    lone = [view for unit, view in calls if unit.group and _is_request(form, view)]
    answered = [call for call in calls if not any(call[1] is view for view in lone)]
    request = lone[-1] if lone else {}
    found = [turn for call in answered for turn in _of_call(form, *call, request, overrides)]
    return found or [(units[0].line, _UNANSWERED)]


def _is_request(form: Format, view: Mapping[str, Any]) -> bool:
    paths = (path for path in form.paths("response") if path != ".")
    said = any(value_at(view, path) not in (ABSENT, None) for path in paths)
    return not said and not failure_of(view)


def _of_call(
    form: Format, unit: LogUnit, view: Mapping[str, Any], request: Mapping[str, Any], overrides: Overrides
) -> Outcomes:  # fmt: skip
    responses = (parsed(value_at(view, path)) for path in form.paths("response"))
    if (status := refused_with(view)) and any(map(is_error_alone, responses)):
        told = f"The request failed with status {status}, so there is no reply."
        return [(unit.line, told)]
    messages = asked_in(form, view) or asked_in(form, request)
    ended = bool(messages) and messages[-1].role == "assistant" and not messages[-1].blank
    answer = _answered(form, view, messages)
    answer = None if answer is not None and ended and answer.plain else answer
    # Earlier replies in a request without its response are turns of other rows.
    called = bool(not _OF_CALLS.isdisjoint(view) or read_messages(view.get("input")))
    called = called or bool(form.engine == "records" and messages and form.paths("response"))
    # A test case whose replies have passages of their own is a whole conversation, and no request.
    whole = any(one.role == "assistant" and one.passages for one in messages)
    called = called and not (whole and form.engine == "records")
    if answer is None and not ended and called:
        return [(unit.line, failure_of(view) or _UNANSWERED)]
    if answer is None and len(messages) ** 2 > MOST_PLACES:
        return [(unit.line, TOO_LONG)]
    beside = [*_brought(form, view), *known_in(form, view)]
    said = _unrepeated(marked(messages, overrides), beside)
    if answer is not None:
        known = [*answer.passages, *beside]
        found = [context_of(said, overrides, text).with_more(known) for text in answer.texts]
    else:
        found = _along_branches(form, view, overrides) or replies_in(said, overrides)
        found = [found[0].with_more(beside)] if len(found) == 1 else found
        for path in form.paths("each"):
            if (owned := replies.with_own(found, replies.lists_beside(view, path))) is None:
                return [(unit.line, _UNEQUAL)]
            found = owned
    if not found:
        other = NO_ANSWER if form.engine == "records" else NO_REPLY if messages else NO_MESSAGES
        told = other if answer is None else answer.reason or NO_ANSWER
        return [(unit.line, failure_of(view) or told)]
    count = len(found)
    turns = (_turn(form, unit, view, answer, one, n, count) for n, one in enumerate(found, start=1))
    return [(unit.line, overrides.applied(turn, unit.fields)) for turn in turns]


def _unrepeated(said: Sequence[Message], beside: Sequence[Passage]) -> list[Message]:
    """Return messages without the passages of a prompt that repeats what stands beside the answer."""
    held = "\n".join(passage["text"] for one in said if one.mark for passage in one.passages)
    if not any(one["text"] in held for one in beside):
        return [*said]
    return [replace(one, passages=()) if one.mark else one for one in said]


def _along_branches(form: Format, view: Mapping[str, Any], overrides: Overrides) -> list[Reply]:
    """Return the replies of messages that form a tree, each with what was said on its branch; else none."""
    found: list[Reply] = []
    held = ((path, items(value_at(view, path))) for path in form.paths("messages"))
    spoken = ((path, one) for path, one in held if any(map(read_message, one)))
    path, listed = next(spoken, ("", []))
    tree = replies.tree_of([*map(mapping, listed)])
    for way, came in replies.ways(tree[2]) if tree else ():
        before, whole = (
            asked_in(form, {**view, path: [listed[n] for n in places]}) for places in (way[:came], way)
        )  # fmt: skip
        told = len(replies_in(before, overrides))
        found += replies_in(marked(whole, overrides), overrides)[told:]
    return found


def _answered(form: Format, view: Mapping[str, Any], messages: Sequence[Message]) -> Answer | None:
    answer = None
    for path in form.paths("response"):
        if (value := value_at(view, path)) is ABSENT:
            continue
        if "[]" in path and isinstance(value, list):
            # Blocks of several kinds have a text, or the data of a program, in one field.
            blocks = [one for one in each_at(view, path) if one not in (None, "")]
            spoken = [one for one in blocks if isinstance(parsed(one), str)]
            data = blocks and not spoken and all(isinstance(one, str) for one in blocks)
            value = spoken[0] if len(spoken) == 1 < len(blocks) else ABSENT if data else value
        if form.engine == "records" and isinstance(value, str):
            value = text if isinstance(text := unquoted(value), str) else value
        if not form.glue and isinstance(value, list) and all(isinstance(one, str) for one in value):
            value = "".join(value)
        whole = path == "." and view.keys().isdisjoint(_OF_RESPONSES)
        if whole or value is ABSENT or parsed(value) in (None, {}, []):
            continue
        answer = read_answer(value, messages, form.glue)
        if answer is not None and (answer.texts or answer.reason):
            return answer
    return answer


def asked_in(form: Format, view: Mapping[str, Any]) -> list[Message]:
    """Return what came before an answer: the prompt of the system, messages, a question."""
    systems = (text for value in form.held(view, "system") if (text := text_of(value)).strip())
    said = [Message("system", text) for text in systems][:1]
    read = (read_said(value, form.glue) for value in form.held(view, "messages"))
    messages = next(filter(None, read), [])
    for value in form.held(view, "then"):
        messages += read_messages(value, form.glue)
    if not messages:
        messages = [one for value in form.held(view, "earlier") for one in earlier(value)]
        held = form.held(view, "question")
        questions = (asked(v[0] if isinstance(v, list) and len(v) == 1 else v) for v in held)
        messages += next(filter(None, questions), [])
    return [*said, *messages]


def _brought(form: Format, view: Mapping[str, Any]) -> list[Passage]:
    """Return the passages in results of tools beside the messages."""
    results = [mapping(one) for value in form.held(view, "results") for one in items(value)]
    if not results:
        return []
    return read_parts([{**one, "type": "tool-result"} for one in results], tool=False).passages


def known_in(form: Format, view: Mapping[str, Any]) -> list[Passage]:
    """Return the passages beside an answer, by the first path that leads to some, and by all of ``more``."""
    texts = form.engine == "records" or "content" in form.fields
    found: list[Passage] = []
    for path in form.paths("knowledge"):
        if path == ".":
            if found := documents_beside(view):
                break
            continue
        value = value_at(without_dropped(view, path), path)
        if value is ABSENT:
            continue
        text = value if form.separator and isinstance(value, str) else ""
        if parts := divided(text, form.separator) if text else []:
            value = value if looks_like_list(text) else parts
        elif texts:
            value = _cut_apart(value)
        several = path.startswith("*.") and "[]" not in path
        lists = each_at(view, path) if several else [value]
        if found := _narrowed([documents_in(one, texts=texts) for one in lists]):
            break
    return [*found, *(one for value in form.held(view, "more") for one in passages_of(value))]


def _cut_apart(value: Any) -> Any:
    """Return the passages in texts of which each lists some, as a tool's text may; any other value as it is."""
    texts = flattened([value])
    if not all(isinstance(one, str) for one in texts):
        return value
    cut = [split_result(one) or [] for one in texts]
    return [*chain(*cut)] if cut and all(cut) else value


def _narrowed(lists: Sequence[list[Passage]]) -> list[Passage]:
    """Return the documents of lists; one with documents of those before it alone, as a ranker's, takes their place."""
    found: list[Passage] = []
    for listed in lists:
        texts = {one["text"] for one in found}
        chosen = listed and all(one["text"] in texts for one in listed)
        found = listed if chosen else [*found, *listed]
    return found


def _turn(
    form: Format, unit: LogUnit, view: Mapping[str, Any], answer: Answer | None, reply: Reply, number: int, count: int
) -> Fields:  # fmt: skip
    fields, response = unit.fields, {} if answer is None else answer.fields
    metadata = metadata_of(form, fields)
    name = own_value(form, view, "id", IDS) or response.get("id")
    conversation = own_value(form, view, "conversation_id", CONVERSATIONS)
    if response and response is not fields and form.engine == "messages":
        metadata |= {k: v for k, v in response.items() if k in _OF_ANSWER}
        metadata.setdefault("response_id", response.get("id"))
    several = count > 1 and name is not None
    own = fields.get("knowledge") if form.engine == "messages" else None
    place = fields.get("turn")
    time = reply.time or own_value(form, view, "timestamp", TIMES) or first(response, *TIMES)
    knowledge = reply.knowledge if own is None else own
    turn = turn_fields(reply, time, knowledge, system=reply.system) | {
        "id": f"{name}#{number}" if several else name,
        "conversation_id": name if conversation is None and several else conversation,
        "turn": number if count > 1 else None if isinstance(place, dict | list) else place,
    }
    return metadata | turn


def turn_fields(reply: Reply, time: Any, knowledge: Any, system: str = "") -> Fields:
    """Return what the turns of calls and those of messages have alike."""
    more = {"system": system, PROMPT_MARK: reply.mark}
    said = {"history": reply.history, "knowledge": knowledge, "response": reply.text}
    return {"timestamp": time, **said, **{name: text for name, text in more.items() if text}}


def own_value(form: Format, view: Mapping[str, Any], part: str, usual: Sequence[str] = ()) -> Any:
    """Return a part of a turn by the paths of its format, else by usual names."""
    return first_at(view, form.paths(part)) if part in form.fields else first(view, *usual)


def metadata_of(form: Format, fields: Mapping[str, Any]) -> Fields:
    """Return the fields of a row that are kept as metadata."""
    if form.keep:
        view = form.view(fields)
        named = {name: first_at(view, paths) for name, paths in form.keep.items()}
        return {name: value for name, value in named.items() if value is not None}
    return {name: value for name, value in fields.items() if name not in form.read and name != OUTER}  # fmt: skip
