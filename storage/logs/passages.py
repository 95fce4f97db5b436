"""Sources of a turn's knowledge passages: their ids, titles, scores and addresses.

The texts are in a turn's ``knowledge``, one after another and never joined, and an answer names its
passage by its index.
All other fields of a passage go into the turn's metadata under ``knowledge_sources``, one object
for each passage, in the same order.
"""

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.values import TEXT_FIELDS, is_missing, passage_text

SOURCES = "knowledge_sources"


def sources_of(value: object) -> list[dict[str, Any]]:
    """Return the other fields of each passage that is not blank; an empty list if there are none."""
    if not isinstance(value, list):
        return []
    found: list[dict[str, Any]] = []
    for item in value:
        if not isinstance(item, Mapping):
            if not is_missing(item):
                found.append({})
            continue
        if is_missing(passage_text(item)):
            continue
        taken = next((name for name in TEXT_FIELDS if name in item), None)
        found.append({str(k): v for k, v in item.items() if k != taken and not is_missing(v)})
    return found if any(found) else []


def passage_name(source: Mapping[str, Any]) -> str:
    """Return a passage's name: its id, title, source or address, else its first field."""
    names = [source[key] for key in ("id", "title", "source", "url") if key in source]
    return str((names or list(source.values()))[0])
