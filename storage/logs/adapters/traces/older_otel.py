"""Older forms of OpenTelemetry's GenAI spans as the attributes of today's convention.

Up to 1.36 messages were events (``gen_ai.user.message``, ``gen_ai.choice``); OpenLLMetry writes them
as flat attributes (``gen_ai.prompt.0.content``), retrieved documents as events of a vector store,
and the inputs and outputs of functions as ``traceloop.entity.*``.
"""

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.adapters.texts import first, items, mapping, parsed
from qsquared.storage.logs.adapters.traces.attributes import at, key_values, nested
from qsquared.storage.logs.fields.cells import unquoted

WORKFLOW = "workflow"
_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_CHOICE = "gen_ai.choice"
_PROMPT, _COMPLETION = "gen_ai.content.prompt", "gen_ai.content.completion"
_DOCUMENT = "db.query.result"
_KINDS = {"workflow": WORKFLOW, "task": WORKFLOW, "agent": "invoke_agent", "tool": "execute_tool"}
_RETRIEVES = ("retriev", "vector", "search_documents", "similarity")
_IN, _OUT = "gen_ai.input.messages", "gen_ai.output.messages"
_RESULT = "gen_ai.tool.call.result"
_DOCUMENTS = "gen_ai.retrieval.documents"
_OPERATION = "gen_ai.operation.name"


def from_openllmetry(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return attributes with those of OpenLLMetry added under the names of the convention."""
    named = [name for name in attributes if name.startswith(("gen_ai.", "traceloop.", "llm."))]
    flat = any(name.startswith(("gen_ai.prompt.", "gen_ai.completion.")) for name in named)
    kind = attributes.get("traceloop.span.kind")
    if not flat and kind is None:
        return attributes
    made: dict[str, Any] = {}
    if flat:
        tree = nested({name: attributes[name] for name in named})
        made[_IN] = [_message(one) for one in items(at(tree, "gen_ai.prompt"))]
        made[_OUT] = [
            {"role": "assistant", **_message(one)} for one in items(at(tree, "gen_ai.completion"))
        ]
        made[_OPERATION] = "chat"
    if isinstance(kind, str) and not flat:
        made |= _of_entity(attributes, kind)
    if isinstance(session := first(attributes, "traceloop.association.properties.session_id",
                                   "traceloop.association.properties.conversation_id",
                                   "traceloop.association.properties.chat_id"), str):  # fmt: skip
        made["gen_ai.conversation.id"] = session
    return made | attributes


def _message(one: Any) -> dict[str, Any]:
    held = dict(mapping(one))
    held["role"] = held.get("role", "assistant")
    held.setdefault("content", None)
    calls = items(held.get("tool_calls"))
    return (
        {**held, "tool_calls": calls}
        if calls
        else {k: v for k, v in held.items() if k != "tool_calls"}
    )


def _of_entity(attributes: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the input and output of a function, whose kind and name tell whether it retrieves."""
    name = str(attributes.get("traceloop.entity.name") or "").lower()
    output = _entity(attributes.get("traceloop.entity.output"), "outputs")
    # A workflow that retrieves and answers may be named after both.
    retrieves = kind not in {"workflow", "agent"} and any(word in name for word in _RETRIEVES)
    if kind == "tool" or retrieves:
        return {_OPERATION: "execute_tool", _RESULT: output}
    made: dict[str, Any] = {_OPERATION: _KINDS.get(kind, WORKFLOW), "output.value": output}
    asked = _entity(attributes.get("traceloop.entity.input"), "inputs")
    if asked is not None:
        made["input.value"] = asked
    return made


def _entity(value: Any, name: str) -> Any:
    """Return what a function was called with or returned, out of the object around it."""
    held = unquoted(value)
    if isinstance(held, Mapping):
        if name in held:
            return held[name]
        if name == "inputs" and "args" in held:
            arguments = items(held["args"])
            return arguments[0] if arguments else mapping(held.get("kwargs"))
    return held


def from_events(span: Mapping[str, Any], attributes: dict[str, Any]) -> dict[str, Any]:
    """Return attributes with the messages and documents that a span's events hold."""
    asked: list[dict[str, Any]] = []
    said: list[dict[str, Any]] = []
    documents: list[dict[str, Any]] = []
    for event in items(span.get("events")):
        name = mapping(event).get("name")
        inner = key_values(mapping(event).get("attributes"))
        if not isinstance(name, str):
            continue
        if name.startswith(_DOCUMENT):
            documents += _document(inner)
        elif name in {_CHOICE, _COMPLETION}:
            said += _answered(name, inner)
        elif name in _ROLES:
            asked.append({"role": _ROLES[name], **_content(inner)})
        elif name == _PROMPT:
            asked += _listed(inner.get("gen_ai.prompt"), "user")
    return _as_attributes(asked, said, documents, attributes)


def _answered(name: str, inner: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the answer in the attributes of an event."""
    if name == _COMPLETION:
        return _listed(inner.get("gen_ai.completion"), "assistant")
    message = mapping(inner.get("message")) or mapping(_body(inner).get("message"))
    return [{"role": "assistant", **(_content(message) if message else _content(inner))}]


def _as_attributes(
    asked: list[dict[str, Any]],
    said: list[dict[str, Any]],
    documents: list[dict[str, Any]],
    attributes: dict[str, Any],
) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if asked:
        made[_IN] = asked
    if said:
        made[_OUT] = said
    if documents:
        made |= {_DOCUMENTS: documents, _OPERATION: "retrieval"}
    if (asked or said) and _OPERATION not in attributes:
        made[_OPERATION] = "chat"
    return made | attributes


def _body(inner: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(first(inner, "gen_ai.event.content", "event_body", "body"))


def _content(inner: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content and calls of a message in an event's attributes or body."""
    held = {**inner, **_body(inner)}
    made = {"content": first(held, "content", "gen_ai.prompt", "gen_ai.completion")}
    calls = items(held.get("tool_calls"))
    return {**made, "tool_calls": calls} if calls else made


def _listed(value: Any, role: str) -> list[dict[str, Any]]:
    """Return the messages that an event of 1.27 holds as one text."""
    held = parsed(value)
    if isinstance(held, str):
        return [{"role": role, "content": held}]
    return [{"role": role, **mapping(one)} for one in (items(held) or [held]) if mapping(one)]


def _document(inner: Mapping[str, Any]) -> list[dict[str, Any]]:
    text = inner.get("db.query.result.document")
    if not isinstance(text, str) or not text.strip():
        return []
    named = {
        "id": inner.get("db.query.result.id"),
        "score": first(inner, "db.query.result.score", "db.query.result.distance"),
    }
    return [{"text": text, **{key: name for key, name in named.items() if name is not None}}]
