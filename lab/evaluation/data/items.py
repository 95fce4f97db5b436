"""Items to score: replies with their knowledge and the judgements of people."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Item:
    """One reply (or sentence) to score.

    ``unit`` names the judgement; several items may share one.
    ``cluster`` names the context: items that share one are not independent.
    ``label`` is people's judgement, higher for more consistent; ``None`` where there is none.
    ``previous`` is the turn before the reply, where the data has it.
    ``facts`` are further values that a protocol needs, such as the system that gave the reply.
    """

    unit: str
    cluster: str
    knowledge: str
    response: str
    label: float | None
    facts: dict[str, Any] = field(default_factory=dict)
    previous: str | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """Items, and the files that they came from.

    ``files`` is name → SHA-256, ``notes`` are sentences for the report.
    """

    name: str
    items: tuple[Item, ...]
    files: dict[str, str]
    notes: tuple[str, ...] = ()
