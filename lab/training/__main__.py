"""``python -m lab.training qa|nli|begin|glue``: train a checkpoint from published data."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from transformers import HfArgumentParser

from lab.training.begin import PAPER, train_classes
from lab.training.encoders.fit import Settings
from lab.training.encoders.train import train_encoder
from lab.training.glue import train_indicators
from lab.training.mixture.sources import MIXTURE
from qsquared.storage.files.atomic import write_json

TRAININGS = {
    "qa": train_encoder,
    "nli": train_encoder,
    "begin": train_classes,
    "glue": train_indicators,
}


def _parser() -> HfArgumentParser:
    """Return the command line: the fields of `Settings`, and the folders."""
    parser = HfArgumentParser(
        cast(Any, Settings), prog="python -m lab.training", description=__doc__, allow_abbrev=False
    )
    add = parser.add_argument
    add("task", choices=TRAININGS)
    add("--data", type=Path, required=True, help="folder with the published sets")
    add("--out", type=Path, required=True, help="folder for checkpoints")
    add("--base", type=Path, help="folder of the base encoder (default: fetched)")
    add("--start", type=Path, help="folder of a shipped model to train further")
    add("--mixture", type=Path, default=MIXTURE, help="sources and their weights")
    add("--quick", type=int, metavar="N", help="train on N examples only")
    return parser


def main(argv: Sequence[str] | None = None) -> None:
    """Train one task and write its report, with its development figures, beside the checkpoint."""
    parser = _parser()
    if parser.parse_known_args(argv)[0].task == "begin":
        parser.set_defaults(**asdict(PAPER))
    settings, arguments = parser.parse_args_into_dataclasses(argv, look_for_args_file=False)
    report = TRAININGS[arguments.task](arguments, settings)
    write_json(arguments.out / f"{arguments.task}.json", report)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
