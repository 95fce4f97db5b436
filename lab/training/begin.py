"""Training of a classifier of replies on silver examples (Dziri et al. 2021, section 4).

``docs/papers/begin.md`` says by which transformations the examples were made.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from lab.training.encoders.base import start_of
from lab.training.encoders.fit import Settings, fit
from lab.training.encoders.rows import encode_begin
from lab.training.mixture.inference import Silver, read_silver
from lab.training.mixture.reading import is_development
from qsquared.method.begin import LABELS

SILVER = Path(__file__).with_name("silver.jsonl.gz")
"""As many examples as the paper has (README.md), then those kept apart for development."""
EXAMPLES = 4000
"""Examples to train on, by default."""
PAPER = Settings(epochs=3.0, batch=32, learning_rate=5e-5, each_epoch=True)
"""The paper's epochs and batch, by Adam; its learning rate is not known to us, this one is BERT's."""


def train_classes(arguments: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Train a classifier on silver examples, and return its development figures.

    ``--start`` names a model that was trained on NLI: then the silver data come after it.
    """
    number = arguments.quick or settings.examples or EXAMPLES
    return train_on_silver(arguments.out, start_of(arguments), settings, number)


def train_on_silver(
    out: Path, base: Path, settings: Settings, number: int, silver: Path = SILVER
) -> dict[str, Any]:
    """Train on ``number`` silver examples from ``base``; a training that was killed resumes."""
    tokenizer = AutoTokenizer.from_pretrained(base)
    examples = list(read_silver(silver))
    learned = balanced((one for one in examples if not is_development(one.group)), number)
    held = [one for one in examples if is_development(one.group)]
    rows, development = encode_begin(tokenizer, learned), encode_begin(tokenizer, held)
    figures = fit("begin", base, rows, {"silver": development}, out / "begin", settings)
    return {"examples": len(learned), "labels": list(LABELS), "figures": figures}


def balanced(examples: Iterable[Silver], number: int) -> list[Silver]:
    """Return the first examples of each class, ``number`` in all, in their order."""
    left = dict.fromkeys(LABELS, number // len(LABELS))
    kept = []
    for silver in examples:
        if left[silver.label]:
            left[silver.label] -= 1
            kept.append(silver)
    return kept
