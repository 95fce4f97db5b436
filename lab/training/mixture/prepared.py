"""Prepare a task's examples once and keep them in a file, so that a killed training goes on at once."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.training.examples.qa import QAExample
from lab.training.mixture.draw import Count, Drawn, E
from lab.training.mixture.judge import judge_examples
from lab.training.mixture.measured_texts import SETS, MeasuredTexts, texts_of_measuring_sets
from lab.training.mixture.reader import reader_examples
from lab.training.mixture.readings import Readings, read_readings
from lab.training.mixture.sources import MIXTURE, read_mixture
from lab.training.sources.inference import Inference
from qsquared.hashing import sha256_of_file
from qsquared.storage.files.atomic import write_json


@dataclass(frozen=True, slots=True)
class Preparation:
    """The data, the mixture and the seed that decide the examples, and the folder that keeps them.

    Without ``compare`` the examples are not compared with the measuring sets: a check that all is
    in place, whose weights are not to be shipped.
    """

    data: Path
    folder: Path
    seed: int
    mixture: Path = MIXTURE
    compare: bool = True

    def judge(self) -> Drawn[Inference]:
        """Return the judge's examples, read from the folder or made from the published sets."""
        return _kept(
            self._path("judge"),
            Inference,
            self.compare,
            lambda: judge_examples(
                read_mixture("judge", self.mixture),
                self._readings(),
                self.data,
                self._measured(),
                self.seed,
            ),
        )

    def reader(self) -> Drawn[QAExample]:
        """Return the reader's examples, read from the folder or made from the published sets."""
        return _kept(
            self._path("reader"),
            QAExample,
            self.compare,
            lambda: reader_examples(
                read_mixture("reader", self.mixture),
                self._readings(),
                self.data,
                self._measured(),
                self.seed,
            ),
        )

    def _path(self, task: str) -> Path:
        """Name a file by its task, seed and mixture; changed code or data needs another folder."""
        return self.folder / f"{task}-{self.seed}-{sha256_of_file(self.mixture)[:12]}.json"

    def _readings(self) -> Readings:
        return read_readings(read_mixture("reader", self.mixture), self.data, self.seed)

    def _measured(self) -> MeasuredTexts:
        return MeasuredTexts(texts_of_measuring_sets(self.data) if self.compare else ())


def _kept(path: Path, kind: type[E], compare: bool, make: Callable[[], Drawn[E]]) -> Drawn[E]:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, asdict(make()) | {"compared": list(SETS) if compare else []})
    found = json.loads(path.read_text(encoding="utf-8"))
    return Drawn(
        [kind(**row) for row in found["train"]],
        {name: [kind(**row) for row in rows] for name, rows in found["development"].items()},
        {name: Count(**count) for name, count in found["counts"].items()},
        found.get("compared", []),  # older files do not say
    )
