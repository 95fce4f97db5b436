"""The sources of ``mixture.toml``: their format, size and licence, and the questions on texts among them."""

import random
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.training.mixture.inference import read_questions
from lab.training.mixture.reading import Reading, read_qamr, read_squad

MIXTURE = Path(__file__).with_name("mixture.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source of examples; ``take`` is how many examples or questions are drawn, ``None`` for all.

    ``columns`` and ``labels`` of a source of pairs are those of `read_pairs`.
    """

    name: str
    format: str
    licence: str
    origin: str
    path: str = ""
    take: int | None = None
    balanced: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def examples(self) -> int | None:
        """The most examples that are drawn: of a source of questions all that its questions give."""
        return None if self.format in FORMATS else self.take


def read_mixture(task: str, path: Path = MIXTURE) -> Mapping[str, Source]:
    """Read the sources of ``judge`` or ``reader`` by their names, without those that take 0.

    Raises:
        TypeError: a source has a field that is not known, or lacks one.
    """
    tables = tomllib.loads(path.read_text(encoding="utf-8"))[task]
    return {
        name: Source(name=name, **fields)
        for name, fields in tables.items()
        if fields.get("take") != 0
    }


FORMATS: Mapping[str, Callable[[Path, str], list[Reading]]] = {
    "squad": lambda path, _: list(read_squad(path)),
    "qamr": lambda path, _: list(read_qamr(path)),
    "questions": lambda path, name: list(read_questions(path, name)),
}


def read_readings(
    sources: Mapping[str, Source], data: Path, seed: int
) -> Mapping[str, list[Reading]]:
    """Read the sources that hold questions; of each, ``take`` questions are drawn."""
    by_source = {}
    for name, source in sources.items():
        if source.format in FORMATS:
            readings = FORMATS[source.format](data / source.path, name)
            random.Random(f"{seed}/{name}").shuffle(readings)
            by_source[name] = readings[: source.take]
    return by_source
