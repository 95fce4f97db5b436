"""Gather the reader's training examples from all sources of the mixture."""

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from lab.training.examples.perturb import misspell
from lab.training.examples.qa import QAExample, make_qa_examples, name_pool
from lab.training.examples.reply_questions import by_rules, on_replies
from lab.training.mixture.draw import Drawn, draw
from lab.training.mixture.measured_texts import MeasuredTexts
from lab.training.mixture.readings import Readings
from lab.training.mixture.sources import Source
from lab.training.sources.collected import read_real_replies
from lab.training.sources.reading import Reading
from qsquared.language.questions.rule_questions import RuleQuestions
from qsquared.language.spacy_parser import SpacyParser

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
        name: source if source.format.startswith(("made", "real")) else replace(source, take=None)
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
