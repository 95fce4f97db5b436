"""Prepare a task's examples once and keep them in a file, so that a killed training goes on at once.

The examples of the judge and of the reader are gathered from all sources of the mixture.
"""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lab.training.claims.balance import PASSAGES, claim_pairs, twins
from lab.training.claims.questions import claim_questions
from lab.training.examples.nli import answer_pairs, pronoun_pairs, sentence_pairs
from lab.training.examples.perturb import misspell
from lab.training.examples.qa import QAExample, make_qa_examples, name_pool
from lab.training.examples.replies import reply_judgements, reply_pairs
from lab.training.examples.reply_questions import by_rules, on_replies
from lab.training.mixture.draw import Count, Drawn, E, draw
from lab.training.mixture.measured_texts import SETS, MeasuredTexts, texts_of_measuring_sets
from lab.training.mixture.sources import MIXTURE, Readings, Source, read_mixture, read_readings
from lab.training.sources.inference import (
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
from lab.training.sources.reading import Reading
from qsquared.hashing import sha256_of_file
from qsquared.language.questions.rule_questions import RuleQuestions
from qsquared.language.spacy_parser import SpacyParser
from qsquared.storage.files.atomic import write_json

MISSPELT = 0.06
"""Share of the questions with one misspelt word."""


def reader_examples(
    sources: Mapping[str, Source],
    readings: Readings,
    data: Path,
    measured: MeasuredTexts,
    seed: int,
) -> Drawn[QAExample]:
    """Read, make, clean and draw the reader's examples.

    A source of questions draws questions (``take``), of which several examples are made; a made
    source draws examples.
    """
    parser = SpacyParser()
    rules = RuleQuestions(parser)
    pool = name_pool(readings.all())

    def examples(source: Source) -> Iterable[QAExample]:
        if source.format == "made-replies":
            return on_replies(readings.all(), readings.frames.get, seed)
        if source.format == "made-rules":
            some = readings.all()
            random.Random(f"{seed}/{source.name}").shuffle(some)
            return by_rules(some[: source.take], parser, rules, pool, seed)
        if source.format == "claims":
            return claim_questions(seed)
        if source.format == "real-replies":
            replies = read_real_replies(data / source.path, source.name)
            said = [Reading(group, "", reply, ()) for group, _, reply in replies]
            return by_rules(said, parser, rules, pool, seed)
        found = readings.by_source[source.name]
        if source.format == "qamr":
            return make_qa_examples([], found, seed)
        return make_qa_examples(found, [], seed)

    read = {
        name: _misspelt(examples(source), seed)
        for name, source in sources.items()
        if source.take != 0
    }
    whole = {
        name: source
        if source.format.startswith(("claims", "made", "real"))
        else replace(source, take=None)
        for name, source in sources.items()
        if source.take != 0
    }
    return draw(whole, read, measured, seed)


def _misspelt(examples: Iterable[QAExample], seed: int) -> Iterator[QAExample]:
    """Misspell a share of the questions."""
    rng = random.Random(seed)
    for example in examples:
        if rng.random() < MISSPELT:
            yield replace(example, question=misspell(example.question, rng))
        else:
            yield example


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
    "made-replies": lambda readings, seed: reply_pairs(readings.all(), readings.frames.get, seed),
    "made-answers": lambda readings, seed: answer_pairs(readings.all(), seed),
    "made-pronouns": lambda readings, seed: pronoun_pairs(readings.all(), seed),
    "made-sentences": lambda readings, seed: sentence_pairs(
        sorted({(r.group, r.text) for r in readings.all()}), seed
    ),
}
"""Formats that are made of the readings instead of being read."""
WRITTEN: Mapping[str, Callable[[int], Iterable[Inference]]] = {
    "claims": lambda seed: claim_pairs(PASSAGES, seed),
    "twins": lambda _: twins(),
}
"""Formats that were written for this project and are a part of it."""


def judge_examples(
    sources: Mapping[str, Source],
    readings: Readings,
    data: Path,
    measured: MeasuredTexts,
    seed: int,
) -> Drawn[Inference]:
    """Read, make, clean and draw the judge's examples.

    Raises:
        KeyError: the mixture names a format that is not known.
    """

    def examples(source: Source) -> Iterable[Inference]:
        if source.format in MADE:
            return MADE[source.format](readings, seed)
        if source.format in WRITTEN:
            return WRITTEN[source.format](seed)
        if source.format == "real-replies":
            replies = read_real_replies(data / source.path, source.name)
            return reply_judgements(replies, seed)
        return FORMATS[source.format](data / source.path, source.name)

    read = {name: examples(source) for name, source in sources.items() if source.take != 0}
    return draw(sources, read, measured, seed)


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
