"""``python -m training qa|nli|begin|glue``: train a checkpoint from published data."""

import argparse
import json
from itertools import chain
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from training.base import fetch_base, unpacked
from training.begin import build as begin
from training.examples.qa import QAExample
from training.fit import Rows, Settings, encode_nli, encode_qa, fit
from training.glue.train import train_glue
from training.mixture.prepared import Preparation
from training.mixture.sources import MIXTURE

GLUE_BASE = Path("models/compact-nli")
QUICK_ROWS = 64
"""Development rows of each kind in a quick training."""


def main() -> None:
    """Train one task and write its development figures beside the checkpoint."""
    defaults = Settings()
    parser = argparse.ArgumentParser(prog="python -m training", description=main.__doc__)
    parser.add_argument("task", choices=["qa", "nli", "begin", "glue"])
    parser.add_argument("--data", type=Path, required=True, help="folder with the published sets")
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--base", type=Path, help="folder of the base encoder (default: fetched)")
    parser.add_argument("--start", type=Path, help="folder of a shipped model to train further")
    parser.add_argument("--mixture", type=Path, default=MIXTURE, help="sources and their weights")
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--epochs", type=float)
    parser.add_argument("--threads", type=int, default=defaults.threads)
    parser.add_argument("--quick", type=int, metavar="N", help="train on N examples only")
    begin.add_arguments(parser)
    arguments = parser.parse_args()
    if arguments.task == "begin":
        begin.train(arguments)
        return
    settings = Settings(
        epochs=arguments.epochs or defaults.epochs,
        learning_rate=arguments.learning_rate or defaults.learning_rate,
        threads=arguments.threads,
        frozen_layers=arguments.frozen_layers,
    )
    if arguments.task == "glue":
        # The encoder rests on a shipped one, so that is where it starts.
        start = arguments.base or unpacked(
            arguments.start or GLUE_BASE, arguments.out / "start-glue"
        )
        report = train_glue(
            start, arguments.data, arguments.out / "glue", settings, arguments.quick
        )
        _write(arguments.out / "glue.json", report)
        return
    if arguments.start:
        base = unpacked(arguments.start, arguments.out / f"start-{arguments.task}")
    else:
        base = arguments.base or fetch_base(arguments.out / "base")
    tokenizer = AutoTokenizer.from_pretrained(base)
    train, development, counts = _encoded(arguments, tokenizer, settings.seed)
    figures = fit(
        arguments.task, base, train, development, arguments.out / arguments.task, settings
    )
    report = {
        "task": arguments.task,
        "examples": len(train),
        "figures": figures,
        "sources": counts,
    }
    _write(arguments.out / f"{arguments.task}.json", report)


def _encoded(
    arguments: argparse.Namespace, tokenizer: Any, seed: int
) -> tuple[Rows, dict[str, Rows], dict[str, Any]]:
    """Return the tokenised examples, the development rows by source, and the counts of sources."""
    preparation = Preparation(
        arguments.data,
        arguments.out / "examples",
        seed,
        arguments.mixture,
        compare=not arguments.quick,
    )
    some = slice(arguments.quick)
    few = slice(arguments.quick and QUICK_ROWS)
    if arguments.task == "qa":
        reader = preparation.reader()
        by_kind: dict[str, list[QAExample]] = {}
        for example in chain.from_iterable(reader.development.values()):
            by_kind.setdefault(example.kind, []).append(example)
        held = {kind: encode_qa(tokenizer, rows[few]) for kind, rows in sorted(by_kind.items())}
        return encode_qa(tokenizer, reader.train[some]), held, reader.table()
    judge = preparation.judge()
    return (
        encode_nli(tokenizer, judge.train[some]),
        {name: encode_nli(tokenizer, rows[few]) for name, rows in judge.development.items()},
        judge.table(),
    )


def _write(path: Path, report: dict[str, Any]) -> None:
    path.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
