"""Attributes of spans: values of OTLP's JSON, and dotted names as nested objects."""

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.adapters.texts import items
from qsquared.storage.logs.fields.field_paths import ABSENT, value_at


def any_value(value: Any) -> Any:
    """Return the value in an ``AnyValue`` of OTLP's JSON encoding (OTLP 1.x, protobuf mapping)."""
    if not isinstance(value, Mapping):
        return value
    number = value.get("intValue")
    if number is not None:
        whole = isinstance(number, str) and number.lstrip("-").isdecimal() and len(number) < 21
        return int(number) if whole else number
    for name in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        if value.get(name) is not None:
            return value[name]
    if isinstance(listed := value.get("arrayValue"), Mapping):
        return [any_value(item) for item in items(listed.get("values"))]
    if isinstance(pairs := value.get("kvlistValue"), Mapping):
        return key_values(pairs.get("values"))
    return None


def key_values(pairs: Any) -> dict[str, Any]:
    """Return a list of OTLP's ``KeyValue`` as a dict; a mapping stays one."""
    if isinstance(pairs, Mapping):
        return {str(key): value for key, value in pairs.items()}
    return {
        pair["key"]: any_value(pair.get("value"))
        for pair in items(pairs)
        if isinstance(pair, Mapping) and isinstance(pair.get("key"), str)
    }


def nested(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes with dotted names (``retrieval.documents.0.document.id``) as nested dicts.

    Of two names that contradict each other the first counts.
    """
    tree: dict[str, Any] = {}
    for name, value in attributes.items():
        *path, last = str(name).split(".")
        node: Any = tree
        for part in path:
            node = node.setdefault(part, {}) if isinstance(node, dict) else None
        if isinstance(node, dict):
            held = node.get(last)
            if isinstance(held, dict) and isinstance(value, Mapping):
                held.update({k: v for k, v in value.items() if k not in held})
            else:
                node.setdefault(last, dict(value) if isinstance(value, Mapping) else value)
    return tree


def at(tree: Mapping[str, Any], path: str) -> Any:
    """Return the value at a dotted path of nested attributes, None if there is no value."""
    value = value_at(tree, path)
    return None if value is ABSENT else value
