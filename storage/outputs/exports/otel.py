"""OpenTelemetry ``gen_ai.evaluation.result`` events, as OTLP log records in JSON.

Semantic conventions for generative AI, 1.44; each line of the file is one export request, which a
collector takes at ``/v1/logs`` or by its OTLP JSON file receiver.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from qsquared.storage.outputs.explanations import ExplainedTurn
from qsquared.storage.outputs.exports.target import (
    Row,
    Target,
    label_of,
    probability_of,
    text_or_none,
)

EVENT = "gen_ai.evaluation.result"
_SCHEMA_URL = "https://opentelemetry.io/schemas/1.44.0"
_INFO = 9
_TRACE_ID = re.compile(r"(?!0{32})[0-9a-f]{32}")
_SPAN_ID = re.compile(r"(?!0{16})[0-9a-f]{16}")


def _rows(one: ExplainedTurn, profile: str) -> list[Row]:
    explanation = one.explanation
    trace = text_or_none(one.metadata.get("trace_id")) or ""
    span = text_or_none(one.metadata.get("span_id")) or ""
    linked = bool(_TRACE_ID.fullmatch(trace) and _SPAN_ID.fullmatch(span))
    response = text_or_none(one.metadata.get("response_id"))
    attributes = {
        "gen_ai.evaluation.name": "q2",
        "gen_ai.evaluation.score.value": explanation.q2,
        "gen_ai.evaluation.score.label": label_of(one),
        "gen_ai.evaluation.explanation": explanation.sentence(),
        # Without a span this is what ties the event to the reply.
        "gen_ai.response.id": response or (None if linked else one.turn["id"]),
        "gen_ai.conversation.id": one.turn["conversation_id"],
        "error.type": "_OTHER" if explanation.status == "error" else None,
        "q2.profile": profile,
        "q2.status": explanation.status,
        "q2.questions": len(explanation.kept),
        "q2.probability": probability_of(one),
        "q2.turn.id": one.turn["id"],
    }
    record: Row = {
        "eventName": EVENT,
        "severityNumber": _INFO,
        "attributes": [
            {"key": key, "value": _value(value)}
            for key, value in attributes.items()
            if value is not None
        ],
    }
    if linked:
        record |= {"traceId": trace, "spanId": span}
    if isinstance(one.turn["timestamp"], datetime):
        record["timeUnixNano"] = _nanoseconds(one.turn["timestamp"])
    return [record]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def _nanoseconds(moment: datetime) -> str:
    since = moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return str((since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000)


def _document(records: Sequence[Row]) -> Row:
    scope = {"name": "qsquared"}
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "q2"}}]}
    logs = {"scope": scope, "schemaUrl": _SCHEMA_URL, "logRecords": list(records)}
    return {"resourceLogs": [{"resource": resource, "scopeLogs": [logs]}]}


OTEL = Target(
    "otel",
    "gen_ai.evaluation.result events as OTLP JSON, an export request a line",
    (".jsonl", ".json"),
    _rows,
    document=_document,
)
