"""Clean and draw the examples of all sources: no repeats, nothing measured, by the weights.

A training text is measured if it stands in a measuring set, word for word or nearly so.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from lab.training.examples.qa import QAExample
from lab.training.mixture.inference import Inference
from lab.training.mixture.reading import is_development, read_rows
from lab.training.mixture.sources import Source
from qsquared.evaluation.protocols.registry import PROTOCOLS
from qsquared.storage.keys import digest

E = TypeVar("E", Inference, QAExample)

DEVELOPMENT_ROWS = 600
"""Development rows kept of each source."""


RUN = 5
"""Words in a row that count as one shared run."""
SHARED = 0.5
"""A text is dropped if at least this share of its runs stands in the measuring sets."""

_PROTOCOLS = (
    "q2-wow", "q2-system-level", "qags-cnndm", "begin", "topical-chat", "ranking", "usr",
)  # fmt: skip
"""Protocols whose texts are at hand; of others with the same texts one is here."""
_FILES = {
    "begin-2022": "begin/begin_v2_*.tsv",
    "sick": "sick/SICK.txt",
    "wow-judged-dev": "more/replies/wow-judged-dev.jsonl.gz",
    "summedits-dev": "more/summaries/summedits-dev.jsonl.gz",
}
_COLUMNS = ("knowledge", "response", "premise", "hypothesis", "sentence_A", "sentence_B")
SETS = (*_PROTOCOLS, *_FILES)
"""The names of the sets that the project measures or chooses by."""

_WORD = re.compile(r"\w+")


class MeasuredTexts:
    """The runs of words of the measuring sets' texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._runs: set[int] = set()
        for text in texts:
            self._runs.update(_runs(text))

    def hold(self, *texts: str) -> bool:
        """Whether one of the texts, if it has a run at all, stands in a measuring set."""
        for text in texts:
            runs = list(_runs(text))
            if runs and sum(run in self._runs for run in runs) >= SHARED * len(runs):
                return True
        return False


def _runs(text: str) -> Iterator[int]:
    words = _WORD.findall(text.lower())
    for i in range(len(words) - RUN + 1):
        yield hash(tuple(words[i : i + RUN]))


def texts_of_measuring_sets(data: Path) -> Iterator[str]:
    """Read the knowledge and the replies of all sets that the project measures or chooses by.

    GLUE's parts for measuring are not among them: ``lab/training/mixture/glue.py`` keeps them apart.
    """
    for name in _PROTOCOLS:
        for item in PROTOCOLS[name].read(data).items:
            yield from (item.knowledge, item.response)
    for pattern in _FILES.values():
        for row in read_rows(data / pattern):
            yield from (str(row[column]) for column in _COLUMNS if column in row)


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


def _texts_of(example: Inference | QAExample) -> tuple[str, str]:
    if isinstance(example, Inference):
        return example.premise, example.hypothesis
    return example.text, example.question


def _sameness(example: Inference | QAExample) -> int:
    """Return a key that two examples share if they differ in case, spaces or marks only."""
    return hash(tuple(re.sub(r"\W+", " ", text.lower()).strip() for text in _texts_of(example)))


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
            elif measured.hold(*_texts_of(example)):
                count.measured += 1
            else:
                seen.add(key)
                (held if is_development(example.group) else kept).append(example)
        rng = random.Random(f"{seed}/{name}")
        rng.shuffle(kept)
        # In the order of their hashes: two trainings are measured on the same development rows.
        held.sort(key=lambda example: digest(_texts_of(example)))
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
