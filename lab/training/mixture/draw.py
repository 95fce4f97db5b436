"""Clean and draw the examples of all sources: no repeats, nothing measured, by the weights."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

from lab.training.examples.qa import QAExample
from lab.training.mixture.inference import Inference
from lab.training.mixture.measured_texts import MeasuredTexts
from lab.training.mixture.reading import is_development
from lab.training.mixture.sources import Source
from qsquared.storage.keys import digest

E = TypeVar("E", Inference, QAExample)

DEVELOPMENT_ROWS = 600
"""Development rows kept of each source."""


@dataclass(slots=True)
class Count:
    """The numbers of examples of one source that were read, dropped and drawn."""

    read: int = 0
    repeated: int = 0
    measured: int = 0
    development: int = 0
    drawn: int = 0


@dataclass(slots=True)
class Drawn(Generic[E]):
    """Training examples in seeded order, development examples by source, and the counts.

    ``compared`` names the measuring sets that the examples were compared with.
    """

    train: list[E] = field(default_factory=list)
    development: dict[str, list[E]] = field(default_factory=dict)
    counts: dict[str, Count] = field(default_factory=dict)
    compared: list[str] = field(default_factory=list)

    def table(self) -> dict[str, Any]:
        """Return the counts as JSON."""
        return {name: asdict(count) for name, count in self.counts.items()}


def _texts(example: Inference | QAExample) -> tuple[str, str]:
    if isinstance(example, Inference):
        return example.premise, example.hypothesis
    return example.text, example.question


def _sameness(example: Inference | QAExample) -> int:
    """Return a key that two examples share if they differ in case, spaces or marks only."""
    return hash(tuple(re.sub(r"\W+", " ", text.lower()).strip() for text in _texts(example)))


def draw(
    sources: Mapping[str, Source],
    examples: Mapping[str, Iterable[E]],
    measured: MeasuredTexts,
    seed: int,
    compared: Sequence[str] = (),
) -> Drawn[E]:
    """Draw examples by the weights of their sources.

    The first source that has an example keeps it; a question that is too short to hold a run of
    words is not compared with the measuring sets, its text is.
    """
    result: Drawn[E] = Drawn(compared=list(compared))
    seen: set[int] = set()
    for name, source in sources.items():
        count = result.counts.setdefault(name, Count())
        kept: list[E] = []
        held: list[E] = []
        for example in examples[name]:
            count.read += 1
            key = _sameness(example)
            if key in seen:
                count.repeated += 1
            elif measured.hold(*_texts(example)):
                count.measured += 1
            else:
                seen.add(key)
                (held if is_development(example.group) else kept).append(example)
        rng = random.Random(f"{seed}/{name}")
        rng.shuffle(kept)
        # In the order of their hashes: two trainings are measured on the same development rows.
        held.sort(key=lambda example: digest(_texts(example)))
        kept = _balanced(kept) if source.balanced else kept
        chosen = kept[: source.examples]
        count.drawn, count.development = len(chosen), len(held)
        result.train += chosen
        if held:
            result.development[name] = held[:DEVELOPMENT_ROWS]
    random.Random(seed).shuffle(result.train)
    return result


def _balanced(examples: list[E]) -> list[E]:
    """Return the examples with the labels in turn, as long as each has some."""
    by_label: dict[str, list[E]] = defaultdict(list)
    for example in examples:
        by_label[example.label if isinstance(example, Inference) else example.kind].append(example)
    least = min(map(len, by_label.values()), default=0)
    return [by_label[label][i] for i in range(least) for label in sorted(by_label)]
