"""Make all that ships again: the reader and the judge, the models that rest on the judge, the cards.

Each step leaves a file, and a step whose file is there is not repeated; a training that was killed
goes on from its last checkpoint.
"""

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from lab.training import export
from lab.training.card import write_cards
from lab.training.measure import SETS, measure_all
from lab.training.recipes import MODELS, OUT, RECIPES, Recipe
from qsquared.language.checkpoints.larger_bases import base_folder, pull_base
from qsquared.language.checkpoints.shared_weights import read_record
from qsquared.storage.files.atomic import write_json
from qsquared.tasks.jobs.options import Job


def make_everything(
    data: Path,
    out: Path,
    train: Callable[[Sequence[str]], None],
    given: Sequence[str],
    *,
    larger: bool = False,
) -> None:
    """Train, export and measure all shipped models by their recipes, and write the encoders' cards.

    The shipped weights are replaced; the cards of ``compact-begin`` and ``compact-glue`` are not,
    since they tell of trainings of their own.

    Args:
        data: folder with the published sets.
        out: folder of the trainings, and of the receipts of what is done.
        train: runs the command line of one training.
        given: options that all trainings get besides those of their recipes.
        larger: train the judge of the profile ``base``, too.
    """
    wanted = [recipe for recipe in RECIPES.values() if larger or recipe.profile == "compact"]
    for recipe in wanted:
        receipt = out / f"{recipe.model}.done.json"
        if receipt.exists():
            print(f"{recipe.model}: done before")
            continue
        places = {"DATA": str(data)} | _larger_encoder(recipe)
        training, exporting = (_words(command, out, places) for command in recipe.commands)
        train([*training, *given])
        export.main(exporting)
        write_json(receipt, {"done": True})
    for profile in dict.fromkeys(recipe.profile for recipe in wanted):
        measured = out / f"measured-{profile}.json"
        if not measured.exists():
            job = Job(str(out.absolute() / "store"), profile)
            measure_all(list(SETS), data, job, measured)
        write_cards(out, measured, profile)


def _words(command: str, out: Path, places: dict[str, str]) -> list[str]:
    """Return the words of a command behind its program, with the folders of this run."""
    words = shlex.split(command)[3:]
    return [places.get(word, word.replace(OUT, str(out), word.startswith(OUT))) for word in words]


def _larger_encoder(recipe: Recipe) -> dict[str, str]:
    """Fetch the encoder of a recipe of adapters, unless it is here, and return its folder."""
    if not recipe.adapters:
        return {}
    record = read_record(MODELS / recipe.model)
    assert record is not None
    pull_base(record, print)
    return {"ENCODER": str(base_folder(record.sha256))}
