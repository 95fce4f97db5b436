"""Training of a classifier of replies: silver examples, which are made once, and the training on them.

The same exchanges, antonyms and seed give the same silver examples (Dziri et al. 2021, section 4).
"""

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from lab.training.begin.corpus import Exchange, from_readings
from lab.training.begin.makers import MAKERS, Material, Silver
from lab.training.begin.perturbations import pools
from lab.training.encoders.base import fetch_base, unpacked
from lab.training.encoders.fit import Settings, fit
from lab.training.encoders.rows import encode_begin
from lab.training.examples.statements import PARSER, frames
from lab.training.examples.wordnet import adjective_antonyms, fetch_wordnet
from lab.training.sources.reading import is_development, read_jsonl, read_qamr, read_squad
from qsquared.language.spacy_parser import SpacyParser
from qsquared.method.begin.taxonomy import LABELS
from qsquared.protocols import ParseText
from qsquared.storage.files.atomic import write_json, written_whole

_FEWEST = 200
"""Exchanges to look at, at least; at most four times the examples of a class."""


def make_silver(
    exchanges: Sequence[Exchange],
    parser: ParseText,
    antonyms: Mapping[str, str],
    each: int,
    seed: int,
) -> list[Silver]:
    """Make at most ``each`` examples of each of the five classes, equally many of all.

    An exchange gives two classes at most, of the classes that lack most.

    Args:
        exchanges: the corpus, of one side of the split.
        parser: parses evidence and replies.
        antonyms: adjective → antonym.
        each: examples of a class.
        seed: of all draws.
    """
    rng = random.Random(seed)
    order = list(exchanges)
    rng.shuffle(order)
    order = order[: max(_FEWEST, 4 * each)]
    texts = dict.fromkeys(t for e in order for t in (e.evidence, e.plain or e.response))
    parses = dict(zip(texts, parser.parse(list(texts)), strict=True))
    verbs, entities = pools(parses[e.evidence] for e in order)
    by_topic: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in order:
        by_topic[exchange.topic].append(exchange)
    material = Material(parses.__getitem__, verbs, entities, antonyms, by_topic)
    made: dict[str, list[Silver]] = {label: [] for label in LABELS}
    for exchange in order:
        lacking = sorted(LABELS, key=lambda label: (len(made[label]), rng.random()))
        taken = 0
        for label in lacking:
            if taken == 2 or len(made[label]) >= each:
                continue
            silver = MAKERS[label](exchange, material, rng)
            if silver is not None:
                made[label].append(silver)
                taken += 1
    fewest = min(len(found) for found in made.values())
    examples = [silver for found in made.values() for silver in found[:fewest]]
    rng.shuffle(examples)
    return examples


def tally(examples: Sequence[Silver]) -> dict[str, dict[str, int]]:
    """Count the examples by label and transformation."""
    counts = Counter((silver.label, silver.transformation) for silver in examples)
    return {
        label: {how: n for (of, how), n in sorted(counts.items()) if of == label}
        for label in LABELS
    }


QAMR_QUESTIONS = 4_000
"""Drawn by seed: the sentences of QAMR are many, and each takes time to parse."""


EACH, SEED = 4000, 20210430
"""Silver examples of each class for training, and the seed of all draws."""


def silver_files(out: Path) -> tuple[Path, Path]:
    """Return the files of the training and of the development examples."""
    return out / "silver-train.jsonl", out / "silver-development.jsonl"


def silver_step(data: Path, out: Path, each: int = EACH) -> dict[str, Any]:
    """Make the silver examples of both sides of the split, unless they are there; count them."""
    files = silver_files(out)
    if not all(path.exists() for path in files):
        exchanges = _exchanges(data)
        parser = SpacyParser(PARSER)
        replies = parser.parse([e.plain or e.response for e in exchanges])
        adjectives = {t.text.lower() for parsed in replies for t in parsed.tokens if t.tag == "JJ"}
        antonyms = adjective_antonyms(fetch_wordnet(out), adjectives)
        for path, held, number in zip(files, (False, True), (each, each // 10), strict=True):
            side = [e for e in exchanges if is_development(e.group) == held]
            write_silver(path, make_silver(side, parser, antonyms, number, SEED))
    return {path.stem: tally(read_silver(path)) for path in files}


def _exchanges(data: Path) -> list[Exchange]:
    squad = [r for r in read_squad(data / "squad-dev") if r.answers]
    qamr = list(read_qamr(data / "qamr"))
    drawn = random.Random(SEED).sample(qamr, min(len(qamr), QAMR_QUESTIONS))
    readings = [*squad, *drawn]
    turned = frames([r.question for r in readings], [r.text for r in readings])
    return from_readings(readings, turned.get, SEED)


def write_silver(path: Path, examples: Iterable[Silver]) -> None:
    """Write one example a line."""
    with written_whole(path) as temporary:
        lines = (json.dumps(asdict(example)) + "\n" for example in examples)
        temporary.write_text("".join(lines), encoding="utf-8")


def read_silver(path: Path) -> list[Silver]:
    """Read the examples of a file that `write_silver` wrote."""
    return [
        Silver(**row | {"replaced": tuple(map(tuple, row["replaced"]))}) for row in read_jsonl(path)
    ]


def balanced(examples: Iterable[Silver], number: int) -> list[Silver]:
    """Return the first examples of each class, ``number`` in all, in their order."""
    left = dict.fromkeys(LABELS, number // len(LABELS))
    kept = []
    for silver in examples:
        if left[silver.label]:
            left[silver.label] -= 1
            kept.append(silver)
    return kept


def fit_step(out: Path, base: Path, settings: Settings, number: int) -> dict[str, Any]:
    """Train on ``number`` silver examples from ``base``; a training that was killed resumes."""
    train, held = silver_files(out)
    tokenizer = AutoTokenizer.from_pretrained(base)
    development = {"silver": encode_begin(tokenizer, read_silver(held))}
    examples = balanced(read_silver(train), number)
    rows = encode_begin(tokenizer, examples)
    figures = fit("begin", base, rows, development, out / "begin", settings)
    report = {"examples": len(examples), "labels": list(LABELS), "figures": figures}
    write_json(out / "begin.json", report)
    return report


PAPER = Settings(epochs=3.0, batch=32, learning_rate=5e-5, each_epoch=True)
"""The paper's epochs and batch, by Adam; its learning rate is not known to us, this one is BERT's."""


def train_classes(arguments: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Make silver examples, then train a classifier on them, and return what came of both.

    ``--start`` names a model that was trained on NLI: then the silver data come after it.
    """
    out: Path = arguments.out
    base = (
        unpacked(arguments.start, out / "start")
        if arguments.start
        else arguments.base or fetch_base(out / "base")
    )
    silver = silver_step(arguments.data, out)
    number = arguments.quick or arguments.examples or EACH
    return {"silver": silver, "fit": fit_step(out, base, settings, number)}
