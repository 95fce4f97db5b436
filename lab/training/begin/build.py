"""``python -m lab.training begin``: from published data to a classifier of replies (Dziri et al. 2021)."""

import argparse
import json
from pathlib import Path

from lab.training.begin.steps import SilverRequest
from lab.training.encoders.base import fetch_base, unpacked
from lab.training.encoders.fit import Settings
from lab.training.recipes import RECIPES
from qsquared.flows.prefect_api.embedded import embedded_prefect

PAPER = Settings(epochs=3.0, batch=32, learning_rate=5e-5, each_epoch=True)
"""The paper's epochs and batch, by Adam; its learning rate is not known to us, this one is BERT's."""

EXAMPLES = RECIPES["compact-begin"].examples
"""Number of examples to train on, as for the shipped weights (a busy core reads them three times in
twenty minutes)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this task alone."""
    group = parser.add_argument_group("begin")
    group.add_argument("--corpus", type=Path, help="Wizard of Wikipedia's JSON, or our JSON Lines")
    group.add_argument("--wordnet", type=Path, help="folder with WordNet 3.0 (default: fetched)")
    group.add_argument("--generator", type=Path, help="folder of a generator of replies")
    group.add_argument("--each", type=int, default=4000, help="examples of each class")
    group.add_argument("--examples", type=int, default=EXAMPLES, help="examples to train on")
    group.add_argument("--frozen-layers", type=int, default=0, help="lower layers kept as they are")


def train(arguments: argparse.Namespace) -> None:
    """Run the flow and print its receipts.

    ``--start`` names a model that was trained on NLI: then the silver data come after it.
    """
    out: Path = arguments.out
    base = (
        unpacked(arguments.start, out / "start")
        if arguments.start
        else arguments.base or fetch_base(out / "base")
    )
    request = SilverRequest(
        str(arguments.data),
        str(out),
        str(arguments.corpus or ""),
        str(arguments.wordnet or ""),
        str(arguments.generator or ""),
        each=arguments.each,
    )
    settings = Settings(
        epochs=arguments.epochs or PAPER.epochs,
        batch=PAPER.batch,
        learning_rate=arguments.learning_rate or PAPER.learning_rate,
        threads=arguments.threads,
        frozen_layers=arguments.frozen_layers,
        each_epoch=True,
    )
    with embedded_prefect(out):
        from lab.training.begin.flow import train_begin

        receipts = train_begin(
            request, str(base), "begin", settings, arguments.quick or arguments.examples
        )
    print(json.dumps(receipts, indent=1))
