"""The sources of ``mixture.toml``: their format, size and licence, and the questions on texts among them."""

import random
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.training.examples.statements import Frame, frames
from lab.training.mixture.inference import read_questions
from lab.training.mixture.reading import Reading, read_qamr, read_squad

MIXTURE = Path(__file__).with_name("mixture.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source of examples; ``take`` is how many examples or questions are drawn, ``None`` for all."""

    name: str
    format: str
    licence: str
    origin: str
    path: str = ""
    take: int | None = None
    balanced: bool = False

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


@dataclass(frozen=True, slots=True)
class Readings:
    """Questions on texts by source, and the statement that each question can be turned into."""

    by_source: Mapping[str, list[Reading]]
    frames: Mapping[str, Frame]

    def all(self) -> list[Reading]:
        """Return the readings of all sources in their order."""
        return [reading for readings in self.by_source.values() for reading in readings]


def read_readings(sources: Mapping[str, Source], data: Path, seed: int) -> Readings:
    """Read the sources that hold questions; of each, ``take`` questions are drawn."""
    by_source = {}
    for name, source in sources.items():
        if source.format in FORMATS:
            readings = FORMATS[source.format](data / source.path, name)
            random.Random(f"{seed}/{name}").shuffle(readings)
            by_source[name] = readings[: source.take]
    every = [reading for readings in by_source.values() for reading in readings]
    return Readings(by_source, frames([r.question for r in every], [r.text for r in every]))
