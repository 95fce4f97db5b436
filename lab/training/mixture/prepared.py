"""Gather a task's examples from all sources of the mixture."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lab.training.examples.perturb import misspell
from lab.training.examples.qa import QAExample, make_qa_examples, name_pool
from lab.training.examples.replies import by_rules, reply_judgements
from lab.training.mixture.draw import (
    SETS,
    Drawn,
    E,
    MeasuredTexts,
    draw,
    texts_of_measuring_sets,
)
from lab.training.mixture.inference import (
    Inference,
    read_judged_answers,
    read_pairs,
    read_real_replies,
    undecided,
)
from lab.training.mixture.reading import Reading, read_jsonl
from lab.training.mixture.sources import MIXTURE, Source, read_mixture, read_readings
from lab.training.passages import claim_pairs, claim_questions, twins
from qsquared.language.spacy_parser import SpacyParser

MADE = Path(__file__).parents[1]
"""The folder of ``made-pairs.jsonl.gz`` and ``made-questions.jsonl.gz`` (README.md)."""
WRITTEN: Mapping[str, Callable[[], Iterable[Inference]]] = {
    "claims": claim_pairs,
    "twins": twins,
    "made": lambda: (Inference(**row) for row in read_jsonl(MADE / "made-pairs.jsonl.gz")),
}
"""Formats of the judge's sources that lie in this folder."""
MISSPELT = 0.06
"""Share of the questions with one misspelt word."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """The data, the mixture and the seed that decide the examples.

    Without ``compare`` the examples are not compared with the measuring sets: a check that all is
    in place, whose weights are not to be shipped.
    """

    data: Path
    seed: int
    mixture: Path = MIXTURE
    compare: bool = True

    def judge(self) -> Drawn[Inference]:
        """Read the judge's examples from the published sets.

        Raises:
            KeyError: the mixture names a format that is not known.
        """

        def examples(source: Source) -> Iterable[Inference]:
            if source.format in WRITTEN:
                return WRITTEN[source.format]()
            path, name = self.data / source.path, source.name
            if source.format == "real-replies":
                return reply_judgements(read_real_replies(path, name), self.seed)
            if source.format == "judged-answers":
                return read_judged_answers(path, name)
            pairs = read_pairs(path, name, source.columns, source.labels)
            return {"pairs": pairs, "made-neutrals": undecided(pairs)}[source.format]

        return self._drawn("judge", examples)

    def reader(self) -> Drawn[QAExample]:
        """Make the reader's examples of the published sets.

        A source of questions draws questions (``take``), of which several examples are made; a made
        source draws examples.
        """
        seed = self.seed
        by_source = read_readings(read_mixture("reader", self.mixture), self.data, seed)
        readings = [reading for found in by_source.values() for reading in found]

        def asked(some: Sequence[Reading]) -> Iterable[QAExample]:
            return by_rules(some, SpacyParser(), name_pool(readings), seed)

        def examples(source: Source) -> Iterable[QAExample]:
            if source.format == "claims":
                return claim_questions(seed)
            if source.format == "made":
                return (QAExample(**row) for row in read_jsonl(MADE / "made-questions.jsonl.gz"))
            if source.format == "made-rules":
                some = list(readings)
                random.Random(f"{seed}/{source.name}").shuffle(some)
                return asked(some[: source.take])
            if source.format == "real-replies":
                replies = read_real_replies(self.data / source.path, source.name)
                return asked([Reading(group, "", reply, ()) for group, _, reply in replies])
            found = by_source[source.name]
            squad, qamr = ([], found) if source.format == "qamr" else (found, [])
            return make_qa_examples(squad, qamr, seed)

        return self._drawn("reader", lambda source: _misspelt(examples(source), seed))

    def _drawn(self, task: str, examples: Callable[[Source], Iterable[E]]) -> Drawn[E]:
        """Draw the examples of all sources of a task."""
        sources = read_mixture(task, self.mixture)
        measured = MeasuredTexts(texts_of_measuring_sets(self.data) if self.compare else ())
        read = {name: examples(source) for name, source in sources.items()}
        return draw(sources, read, measured, self.seed, SETS if self.compare else ())


def _misspelt(examples: Iterable[QAExample], seed: int) -> Iterator[QAExample]:
    """Misspell a share of the questions."""
    rng = random.Random(seed)
    for example in examples:
        if rng.random() < MISSPELT:
            yield replace(example, question=misspell(example.question, rng))
        else:
            yield example
