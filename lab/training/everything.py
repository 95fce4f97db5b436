"""Make all that ships again: the reader and the judge, the models that rest on the judge, the cards.

Each step leaves a file, and a step whose file is there is not repeated; a training that was killed
goes on from its last checkpoint.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from lab.training.begin import steps as begin
from lab.training.card import write_cards
from lab.training.encoders.base import unpacked
from lab.training.encoders.fit import Settings
from lab.training.encoders.train import train_encoder
from lab.training.export import export_adapters, export_model
from lab.training.glue import train_glue
from lab.training.measure import SETS, measure_all
from lab.training.recipes import MODELS, RECIPES, Recipe
from qsquared.language.checkpoints.larger_bases import MPNET, base_folder, pull_base
from qsquared.language.checkpoints.shared_weights import AdapterRecord
from qsquared.storage.files.atomic import write_json
from qsquared.tasks.jobs.options import Job


def make_everything(arguments: argparse.Namespace, given: Settings) -> None:
    """Train, export and measure all shipped models by their recipes, and write the encoders' cards.

    The shipped weights are replaced; the cards of ``compact-begin`` and ``compact-glue`` are not,
    since they tell of trainings of their own.
    The judge of the profile ``base`` is trained only with ``--larger``.
    """
    wanted = [recipe for recipe in RECIPES.values() if recipe.profile == "compact"]
    if arguments.larger:
        wanted += [recipe for recipe in RECIPES.values() if recipe.profile != "compact"]
    steps = {"qa": _encoder, "nli": _encoder, "glue": _glue, "begin": _classes}
    for recipe in wanted:
        step = steps[recipe.task] if recipe.profile == "compact" else _adapters
        _once(
            arguments.out / f"{recipe.folder}.done.json",
            lambda step=step, recipe=recipe: step(recipe, arguments, given),  # type: ignore[misc]
        )
    for profile in dict.fromkeys(recipe.profile for recipe in wanted):
        name = "measured.json" if profile == "compact" else f"measured-{profile}.json"
        measured = arguments.out / name
        if not measured.exists():
            job = Job(str(arguments.out.absolute() / "store"), profile)
            measure_all(list(SETS), arguments.data, job, measured)
        write_cards(arguments.out, measured, profile)


def _once(receipt: Path, step: Callable[[], None]) -> None:
    """Run a step unless its receipt is there."""
    if receipt.exists():
        print(f"{receipt.name}: done before")
        return
    step()
    write_json(receipt, {"done": True})


def _with(arguments: argparse.Namespace, **changed: object) -> argparse.Namespace:
    return argparse.Namespace(**(vars(arguments) | changed))


def _encoder(recipe: Recipe, arguments: argparse.Namespace, given: Settings) -> None:
    """Train the reader or the judge of ``compact`` further."""
    own = _with(arguments, start=MODELS / recipe.start, base=None)
    train_encoder(recipe.task, own, recipe.settings(given), shift=recipe.entailment_shift)
    trained = "calibrated" if recipe.task == "nli" else "final"
    export_model(arguments.out / recipe.folder / trained, MODELS / recipe.model)


def _adapters(recipe: Recipe, arguments: argparse.Namespace, given: Settings) -> None:
    """Train adapters of the larger encoder, which is fetched first unless it is here."""
    rank = recipe.adapter_rank
    pull_base(AdapterRecord(MPNET.name, MPNET.sha256, rank, 2.0 * rank), print)
    out = arguments.out / recipe.folder
    start = MODELS / recipe.start if recipe.start else None
    own = _with(arguments, start=start, base=base_folder(MPNET.sha256))
    train_encoder(recipe.task, own, recipe.settings(given), out, recipe.entailment_shift)
    trained = out / recipe.task
    export_adapters(trained / "adapters", trained / "calibrated", MODELS / recipe.model)


def _glue(recipe: Recipe, arguments: argparse.Namespace, given: Settings) -> None:
    """Train the indicators on the judge."""
    judge, out = MODELS / recipe.start, arguments.out / recipe.folder
    start = unpacked(judge, arguments.out / "start-glue")
    train_glue(start, arguments.data, out, recipe.settings(given), recipe.examples)
    export_model(out / "final", MODELS / recipe.model, judge)


def _classes(recipe: Recipe, arguments: argparse.Namespace, _given: Settings) -> None:
    """Train the classifier of replies on the judge."""
    judge, out = MODELS / recipe.start, arguments.out / recipe.folder
    own = _with(
        arguments,
        out=out,
        start=judge,
        learning_rate=recipe.learning_rate,
        epochs=recipe.epochs,
        frozen_layers=recipe.frozen_layers,
        examples=recipe.examples,
    )
    begin.train(own)
    export_model(out / "begin" / "final", MODELS / recipe.model, judge)
