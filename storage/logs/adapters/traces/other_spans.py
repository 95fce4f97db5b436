"""Attributes of other programs' spans under the names of OpenTelemetry's convention.

TruLens 2 publishes its ``ai.observability.…`` in its page of semantic conventions, Vercel's AI SDK its
``ai.…`` in its page of telemetry; Langfuse and MLflow send a span's kind, input and output.
"""

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.adapters.texts import first
from qsquared.storage.logs.fields.cells import unquoted

_BASE = "ai.observability."
_OPERATION = "gen_ai.operation.name"
_TYPED = (
    ("langfuse.observation.type", "langfuse.observation.input", "langfuse.observation.output"),
    ("mlflow.spanType", "mlflow.spanInputs", "mlflow.spanOutputs"),
)
_KINDS = {
    "generation": "chat",
    "llm": "chat",
    "chat_model": "chat",
    "agent": "invoke_agent",
    "retriever": "execute_tool",
    "tool": "execute_tool",
    "embedding": "embeddings",
    "evaluator": "evaluate",
}
_RESULT = "gen_ai.tool.call.result"
_RETURNED = f"{_BASE}call.return"


def from_others(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return attributes with those of the convention added; what they name already counts first."""
    for kind_name, asked, said in _TYPED:
        own = unquoted(attributes.get(kind_name))
        if isinstance(own, str):
            return _of_kind(own, attributes.get(asked), attributes.get(said)) | attributes
    kind, operation = attributes.get(f"{_BASE}span_type"), attributes.get("ai.operationId")
    if isinstance(kind, str):
        return _of_trulens(attributes, kind) | attributes
    return _of_vercel(attributes) | attributes if isinstance(operation, str) else attributes


def _of_kind(kind: str, asked: Any, said: Any) -> dict[str, Any]:
    """Return the attributes of a span by its kind, input and output, as Langfuse and MLflow name them."""
    operation = _KINDS.get(kind.lower(), "workflow")
    if operation == "execute_tool":
        return {_OPERATION: operation, _RESULT: said}
    return {_OPERATION: operation, "input.value": unquoted(asked), "output.value": unquoted(said)}


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
