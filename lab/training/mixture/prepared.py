"""Prepare a task's examples once and keep them in a file, so that a killed training goes on at once.

The examples of the judge and of the reader are gathered from all sources of the mixture.
"""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lab.training.examples.nli import answer_pairs, pronoun_pairs, sentence_pairs
from lab.training.examples.perturb import misspell
from lab.training.examples.qa import QAExample, make_qa_examples, name_pool
from lab.training.examples.replies import reply_judgements, reply_pairs
from lab.training.examples.reply_questions import by_rules, on_replies
from lab.training.mixture.draw import (
    SETS,
    Count,
    Drawn,
    E,
    MeasuredTexts,
    draw,
    texts_of_measuring_sets,
)
from lab.training.mixture.inference import (
    Inference,
    read_conjnli,
    read_fever_symmetric,
    read_judged_answers,
    read_made_neutrals,
    read_mrpc,
    read_pairs,
    read_real_replies,
    read_rte,
    read_snli,
)
from lab.training.mixture.reading import Reading
from lab.training.mixture.sources import MIXTURE, Readings, Source, read_mixture, read_readings
from lab.training.passages import claim_pairs, claim_questions, twins
from qsquared.language.checkpoints.checksums import sha256_of_file
from qsquared.language.spacy_parser import SpacyParser
from qsquared.storage.files.atomic import write_json

MISSPELT = 0.06
"""Share of the questions with one misspelt word."""


FORMATS: Mapping[str, Callable[[Path, str], Iterable[Inference]]] = {
    "pairs": read_pairs,
    "made-neutrals": read_made_neutrals,
    "judged-answers": read_judged_answers,
    "snli": lambda path, _: read_snli(path),
    "conjnli": lambda path, _: read_conjnli(path),
    "fever-symmetric": lambda path, _: read_fever_symmetric(path),
    "rte": lambda path, _: read_rte(path),
    "mrpc": lambda path, _: read_mrpc(path),
}
MADE: Mapping[str, Callable[[Readings, int], Iterable[Inference]]] = {
    "claims": lambda *_: claim_pairs(),
    "twins": lambda *_: twins(),
    "made-replies": lambda readings, seed: reply_pairs(readings.all(), readings.frames.get, seed),
    "made-answers": lambda readings, seed: answer_pairs(readings.all(), seed),
    "made-pronouns": lambda readings, seed: pronoun_pairs(readings.all(), seed),
    "made-sentences": lambda readings, seed: sentence_pairs(
        sorted({(r.group, r.text) for r in readings.all()}), seed
    ),
}
"""Formats that are made of the readings, or written for this project, instead of being read."""


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
        """Return the judge's examples, read from the folder or made from the published sets.

        Raises:
            KeyError: the mixture names a format that is not known.
        """

        def examples(source: Source, readings: Readings) -> Iterable[Inference]:
            if source.format in MADE:
                return MADE[source.format](readings, self.seed)
            path = self.data / source.path
            if source.format == "real-replies":
                return reply_judgements(read_real_replies(path, source.name), self.seed)
            return FORMATS[source.format](path, source.name)

        return self._kept("judge", Inference, examples)

    def reader(self) -> Drawn[QAExample]:
        """Return the reader's examples, read from the folder or made from the published sets.

        A source of questions draws questions (``take``), of which several examples are made; a made
        source draws examples.
        """
        seed = self.seed

        def examples(source: Source, readings: Readings) -> Iterable[QAExample]:
            def asked(some: Sequence[Reading]) -> Iterable[QAExample]:
                return by_rules(some, SpacyParser(), name_pool(readings.all()), seed)

            if source.format == "made-replies":
                return on_replies(readings.all(), readings.frames.get, seed)
            if source.format == "made-rules":
                some = readings.all()
                random.Random(f"{seed}/{source.name}").shuffle(some)
                return asked(some[: source.take])
            if source.format == "claims":
                return claim_questions(seed)
            if source.format == "real-replies":
                replies = read_real_replies(self.data / source.path, source.name)
                return asked([Reading(group, "", reply, ()) for group, _, reply in replies])
            found = readings.by_source[source.name]
            squad, qamr = ([], found) if source.format == "qamr" else (found, [])
            return make_qa_examples(squad, qamr, seed)

        return self._kept("reader", QAExample, lambda *given: _misspelt(examples(*given), seed))

    def _kept(
        self, task: str, kind: type[E], examples: Callable[[Source, Readings], Iterable[E]]
    ) -> Drawn[E]:
        """Read the file named by task, seed and mixture, or make it; changed code or data needs another folder."""
        path = self.folder / f"{task}-{self.seed}-{sha256_of_file(self.mixture)[:12]}.json"
        if not path.exists():
            readings = read_readings(read_mixture("reader", self.mixture), self.data, self.seed)
            measured = MeasuredTexts(texts_of_measuring_sets(self.data) if self.compare else ())
            sources = read_mixture(task, self.mixture)
            read = {name: examples(source, readings) for name, source in sources.items()}
            path.parent.mkdir(parents=True, exist_ok=True)
            compared = list(SETS) if self.compare else []
            write_json(path, asdict(draw(sources, read, measured, self.seed, compared)))
        found = json.loads(path.read_text(encoding="utf-8"))
        return Drawn(
            [kind(**row) for row in found["train"]],
            {name: [kind(**row) for row in rows] for name, rows in found["development"].items()},
            {name: Count(**count) for name, count in found["counts"].items()},
            found["compared"],
        )


def _misspelt(examples: Iterable[QAExample], seed: int) -> Iterator[QAExample]:
    """Misspell a share of the questions."""
    rng = random.Random(seed)
    for example in examples:
        if rng.random() < MISSPELT:
            yield replace(example, question=misspell(example.question, rng))
        else:
            yield example
