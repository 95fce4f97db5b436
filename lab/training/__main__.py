"""``python -m lab.training qa|nli|begin|glue|all``: train checkpoints from published data."""

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path

from lab.training import export
from lab.training.begin import PAPER, train_classes
from lab.training.card import write_cards
from lab.training.encoders.calibrate import ENTAILMENT_SHIFT
from lab.training.encoders.fit import Settings
from lab.training.encoders.train import train_encoder
from lab.training.glue import train_indicators
from lab.training.measure import SETS, measure_all
from lab.training.mixture.sources import MIXTURE
from lab.training.recipes import MODELS, OUT, RECIPES, Recipe
from qsquared.language.checkpoints.larger_bases import base_folder, pull_base
from qsquared.language.checkpoints.shared_weights import read_record
from qsquared.storage.files.atomic import write_json
from qsquared.tasks.jobs.options import Job

FOR_ALL = {"--data", "--out", "--mixture", "--threads", "--larger"}
"""Options that `all` takes: the others are those of a recipe."""


def _parser() -> argparse.ArgumentParser:
    """Return the command line; a default that is not stated is that of `Settings`."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training", description=__doc__, allow_abbrev=False
    )
    add = parser.add_argument
    add("task", choices=["qa", "nli", "begin", "glue", "all"])
    add("--data", type=Path, required=True, help="folder with the published sets")
    add("--out", type=Path, required=True, help="folder for checkpoints")
    add("--base", type=Path, help="folder of the base encoder (default: fetched)")
    add("--start", type=Path, help="folder of a shipped model to train further")
    add("--mixture", type=Path, default=MIXTURE, help="sources and their weights")
    add("--learning-rate", type=float)
    add("--epochs", type=float)
    add("--twins", type=float, help="nli: share of true and false claims of nearly the same words")
    add("--claims", type=float, help="nli: share of the other claims")
    add("--rest", type=float, help="nli: share of the examples that are no claims")
    add("--teacher", type=Path, help="qa, nli: a reader or judge whose soft labels are learned")
    add("--teacher-share", type=float, help="how much the soft labels count")
    add("--entailment-shift", type=float, default=ENTAILMENT_SHIFT,
        help=f"nli: added to the bias of entailment after calibration (default: {ENTAILMENT_SHIFT})")  # fmt: skip
    add("--seed", type=int, help="draws and orders the examples")
    add("--threads", type=int)
    add("--frozen-layers", type=int, help="lower layers kept as they are")
    add("--adapters", type=int, dest="adapter_rank", metavar="RANK")
    add("--batch", type=int, help="rows of a batch")
    add("--examples", type=int, help="examples to train on (default: begin 4000, qa and nli all)")
    add("--larger", action="store_true", help="all: the judge of `base`, too")
    add("--quick", type=int, metavar="N", help="train on N examples only")
    return parser


def make_everything(
    data: Path,
    out: Path,
    train: Callable[[Sequence[str]], None],
    given: Sequence[str],
    *,
    larger: bool = False,
) -> None:
    """Train, export and measure all shipped models by their recipes, and write the encoders' cards.

    Each step leaves a file, and a step whose file is there is not repeated; a training that was
    killed goes on from its last checkpoint.
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


def main(argv: Sequence[str] | None = None) -> None:
    """Train one task and write its development figures beside the checkpoint."""
    words = sys.argv[1:] if argv is None else argv
    parser = _parser()
    arguments = parser.parse_args(words)
    if arguments.task == "all":
        options = {word.partition("=")[0] for word in words if word.startswith("--")}
        if strange := sorted(options - FOR_ALL):
            parser.error(
                "`all` trains each model by its recipe (lab/training/recipes.toml), "
                f"without {', '.join(strange)}"
            )
        given = ["--mixture", str(arguments.mixture)]
        given += ["--threads", str(arguments.threads)] if arguments.threads else []
        make_everything(arguments.data, arguments.out, main, given, larger=arguments.larger)
        return
    named = {
        field.name: getattr(arguments, field.name)
        for field in fields(Settings)
        if getattr(arguments, field.name, None) is not None
    }
    settings = replace(PAPER if arguments.task == "begin" else Settings(), **named)
    trainings = {"begin": train_classes, "glue": train_indicators}
    train = trainings.get(arguments.task, train_encoder)
    print(json.dumps(train(arguments, settings), indent=1))


if __name__ == "__main__":
    main()
