"""``python -m lab.training begin``: from published data to a classifier of replies (Dziri et al. 2021)."""

import argparse
import json
from pathlib import Path

from lab.training.begin.steps import SilverRequest, fit_step, silver_step
from lab.training.encoders.base import fetch_base, unpacked
from lab.training.encoders.fit import Settings
from lab.training.recipes import RECIPES

PAPER = Settings(epochs=3.0, batch=32, learning_rate=5e-5, each_epoch=True)
"""The paper's epochs and batch, by Adam; its learning rate is not known to us, this one is BERT's."""

EXAMPLES = RECIPES["compact-begin"].examples
"""Number of examples to train on, as for the shipped weights (a busy core reads them three times in
twenty minutes)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this task alone."""
    group = parser.add_argument_group("begin")
    group.add_argument("--each", type=int, default=4000, help="examples of each class")
    group.add_argument("--examples", type=int, default=EXAMPLES, help="examples to train on")
    group.add_argument("--frozen-layers", type=int, default=0, help="lower layers kept as they are")


def train(arguments: argparse.Namespace) -> None:
    """Make silver examples, then train a classifier on them, and print both receipts; what is done is kept.

    ``--start`` names a model that was trained on NLI: then the silver data come after it.
    """
    out: Path = arguments.out
    base = (
        unpacked(arguments.start, out / "start")
        if arguments.start
        else arguments.base or fetch_base(out / "base")
    )
    request = SilverRequest(str(arguments.data), str(out), each=arguments.each)
    settings = Settings(
        epochs=arguments.epochs or PAPER.epochs,
        batch=PAPER.batch,
        learning_rate=arguments.learning_rate or PAPER.learning_rate,
        threads=arguments.threads,
        frozen_layers=arguments.frozen_layers,
        each_epoch=True,
    )
    silver = silver_step(request)
    number = arguments.quick or arguments.examples
    fitted = fit_step(request, base, "begin", settings, number)
    print(json.dumps({"silver": silver, "fit": fitted}, indent=1))
