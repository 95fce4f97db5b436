"""Make all that ships again: the reader and the judge, the models that rest on the judge, the cards.

Each step leaves a file, and a step whose file is there is not repeated; a training that was killed
goes on from its last checkpoint.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from qsquared.storage.files.atomic import write_json
from qsquared.tasks.jobs.options import Job
from training.begin import build as begin
from training.card import write_cards
from training.encoders.base import unpacked
from training.encoders.fit import Settings
from training.encoders.train import train_encoder
from training.export import export_model
from training.glue.train import train_glue
from training.measure import SETS, measure_all

MODELS = Path("models")
_GLUE_EXAMPLES = 4000
_BEGIN_FROZEN = 3


def make_everything(arguments: argparse.Namespace, settings: Settings) -> None:
    """Train, export and measure all shipped models, and write the two cards.

    The shipped weights are replaced; the cards of ``compact-begin`` and ``compact-glue`` are not,
    since they tell of trainings of their own.
    """
    out: Path = arguments.out
    judge = MODELS / "compact-nli"

    def shipped(checkpoint: str, name: str, base: Path | None = None) -> None:
        export_model(out / checkpoint, MODELS / name, base)

    def glue() -> None:
        start = unpacked(judge, out / "start-glue")
        train_glue(start, arguments.data, out / "glue", settings, _GLUE_EXAMPLES)
        shipped("glue/final", "compact-glue", judge)

    def classes() -> None:
        given = {"start": judge, "frozen_layers": _BEGIN_FROZEN, "out": out / "begin"}
        begin.train(argparse.Namespace(**(vars(arguments) | given)))
        shipped("begin/begin/final", "compact-begin", judge)

    def reader() -> None:
        train_encoder("qa", arguments, settings)
        shipped("qa/final", "compact-qa")

    def entailment() -> None:
        train_encoder("nli", arguments, settings)
        shipped("nli/calibrated", "compact-nli")

    for name, step in {"qa": reader, "nli": entailment, "glue": glue, "begin": classes}.items():
        _once(out / f"{name}.done.json", step)
    measured = out / "measured.json"
    if not measured.exists():
        measure_all(
            list(SETS), arguments.data, Job(str(out.absolute() / "store"), "compact"), measured
        )
    write_cards(out, measured)


def _once(receipt: Path, step: Callable[[], None]) -> None:
    """Run a step unless its receipt is there."""
    if receipt.exists():
        print(f"{receipt.name}: done before")
        return
    step()
    write_json(receipt, {"done": True})
