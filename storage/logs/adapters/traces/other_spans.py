"""Attributes of other programs' spans under the names of OpenTelemetry's convention.

TruLens 2 publishes its ``ai.observability.…`` in its page of semantic conventions, Vercel's AI SDK its
``ai.…`` in its page of telemetry.
"""

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.adapters.texts import first

_BASE = "ai.observability."
_OPERATION = "gen_ai.operation.name"
_RESULT = "gen_ai.tool.call.result"
_RETURNED = f"{_BASE}call.return"


def from_others(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return attributes with those of the convention added; what they name already counts first."""
    kind, operation = attributes.get(f"{_BASE}span_type"), attributes.get("ai.operationId")
    if isinstance(kind, str):
        return _of_trulens(attributes, kind) | attributes
    return _of_vercel(attributes) | attributes if isinstance(operation, str) else attributes


def _of_vercel(attributes: Mapping[str, Any]) -> dict[str, Any]:
    if "ai.toolCall.name" in attributes:
        return {_OPERATION: "execute_tool", _RESULT: attributes.get("ai.toolCall.result")}
    said = first(attributes, "ai.response.text", "ai.response.object")
    if said is None:
        return {}
    asked = first(attributes, "ai.prompt.messages", "ai.prompt")
    return {_OPERATION: "chat", "input.value": asked, "output.value": said}


def _of_trulens(attributes: Mapping[str, Any], kind: str) -> dict[str, Any]:
    match kind.lower():
        case "record_root":
            return {
                _OPERATION: "invoke_agent",
                "input.value": attributes.get(f"{_BASE}record_root.input"),
                "output.value": attributes.get(f"{_BASE}record_root.output"),
            }
        case "retrieval":
            found = first(attributes, f"{_BASE}retrieval.retrieved_contexts", _RETURNED)
            return {_OPERATION: "retrieval", "gen_ai.retrieval.documents": found}
        case "mcp" | "tool":
            if attributes.get(f"{_BASE}mcp.output_is_error") is True:
                return {_OPERATION: "execute_tool"}
            found = first(attributes, f"{_BASE}mcp.output_content", _RETURNED)
            return {_OPERATION: "execute_tool", _RESULT: found}
    return {}
