"""``python -m lab.training qa|nli|begin|glue|all``: train checkpoints from published data."""

import argparse
import json
from pathlib import Path

from lab.training.begin import steps as begin
from lab.training.encoders.base import unpacked
from lab.training.encoders.fit import Settings
from lab.training.encoders.train import train_encoder
from lab.training.everything import make_everything
from lab.training.glue import train_glue
from lab.training.mixture.sources import MIXTURE
from lab.training.recipes import MODELS, RECIPES
from qsquared.storage.files.atomic import write_json

BY_RECIPE = (
    "base", "start", "learning_rate", "epochs", "adapters", "frozen_layers", "quick", "seed",
)  # fmt: skip
"""Options that `all` refuses, since each model has a recipe of its own."""


def main() -> None:
    """Train one task and write its development figures beside the checkpoint."""
    defaults = Settings()
    parser = argparse.ArgumentParser(prog="python -m lab.training", description=main.__doc__)
    parser.add_argument("task", choices=["qa", "nli", "begin", "glue", "all"])
    parser.add_argument("--data", type=Path, required=True, help="folder with the published sets")
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--base", type=Path, help="folder of the base encoder (default: fetched)")
    parser.add_argument("--start", type=Path, help="folder of a shipped model to train further")
    parser.add_argument("--mixture", type=Path, default=MIXTURE, help="sources and their weights")
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--epochs", type=float)
    parser.add_argument(
        "--rest", type=float, default=1.0, help="nli: share of the examples that are no claims"
    )
    parser.add_argument("--teacher", type=Path, help="nli: a judge whose soft labels are learned")
    parser.add_argument(
        "--teacher-share", type=float, default=0.5, help="nli: how much the soft labels count"
    )
    parser.add_argument("--seed", type=int, help="draws and orders the examples")
    parser.add_argument("--threads", type=int, default=defaults.threads)
    parser.add_argument("--adapters", type=int, default=0, metavar="RANK")
    parser.add_argument("--larger", action="store_true", help="all: the judge of `base`, too")
    parser.add_argument("--quick", type=int, metavar="N", help="train on N examples only")
    begin.add_arguments(parser)
    arguments = parser.parse_args()
    if arguments.task == "all" and (strange := [n for n in BY_RECIPE if getattr(arguments, n)]):
        options = ", ".join(f"--{name.replace('_', '-')}" for name in strange)
        parser.error(
            f"`all` trains each model by its recipe (lab/training/recipes.py), without {options}"
        )
    if arguments.task == "begin":
        begin.train(arguments)
        return
    settings = Settings(
        epochs=arguments.epochs or defaults.epochs,
        learning_rate=arguments.learning_rate or defaults.learning_rate,
        seed=arguments.seed or defaults.seed,
        threads=arguments.threads,
        frozen_layers=arguments.frozen_layers,
        adapter_rank=arguments.adapters,
        rest=arguments.rest,
        teacher=arguments.teacher,
        teacher_share=arguments.teacher_share,
    )
    if arguments.task == "glue":
        # The encoder rests on a shipped one, so that is where it starts.
        start = arguments.base or unpacked(
            arguments.start or MODELS / RECIPES["compact-glue"].start, arguments.out / "start-glue"
        )
        report = train_glue(
            start, arguments.data, arguments.out / "glue", settings, arguments.quick
        )
        write_json(arguments.out / "glue.json", report)
        print(json.dumps(report, indent=1))
        return
    if arguments.task == "all":
        make_everything(arguments, settings)
        return
    print(json.dumps(train_encoder(arguments.task, arguments, settings), indent=1))


if __name__ == "__main__":
    main()
