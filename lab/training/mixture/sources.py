"""The sources of ``mixture.toml``: their format, size and licence."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MIXTURE = Path(__file__).with_name("mixture.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source of examples; ``take`` is how many are drawn, ``None`` for all, 0 for none."""

    name: str
    format: str
    licence: str
    origin: str
    path: str = ""
    take: int | None = None
    balanced: bool = False


def read_mixture(task: str, path: Path = MIXTURE) -> Mapping[str, Source]:
    """Read the sources of ``judge`` or ``reader`` by their names.

    Raises:
        TypeError: a source has a field that is not known, or lacks one.
    """
    tables = tomllib.loads(path.read_text(encoding="utf-8"))[task]
    return {name: Source(name=name, **fields) for name, fields in tables.items()}
