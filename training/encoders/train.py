"""Training of the reader and of the judge from the mixture: examples, fitting, calibration, report."""

import argparse
from itertools import chain
from typing import Any

from transformers import AutoTokenizer

from qsquared.storage.files.atomic import write_json
from training.encoders.base import fetch_base, unpacked
from training.encoders.calibrate import calibrate
from training.encoders.fit import Rows, Settings, encode_nli, encode_qa, fit
from training.examples.qa import QAExample
from training.mixture.prepared import Preparation

QUICK_ROWS = 64
"""Development rows of each kind in a quick training."""


def train_encoder(task: str, arguments: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Train ``qa`` or ``nli``, resuming from the last checkpoint, and write its report.

    The checkpoint is in ``<out>/<task>/final``, that of the judge, calibrated, in
    ``<out>/nli/calibrated``, and the report in ``<out>/<task>.json``.
    """
    out = arguments.out
    if arguments.start:
        base = unpacked(arguments.start, out / f"start-{task}")
    else:
        base = arguments.base or fetch_base(out / "base")
    tokenizer = AutoTokenizer.from_pretrained(base)
    train, development, counts = _encoded(task, arguments, tokenizer, settings.seed)
    figures = fit(task, base, train, development, out / task, settings)
    report = {"task": task, "examples": len(train), "figures": figures, "sources": counts}
    if task == "nli":
        report["calibration"] = calibrate(
            out / task / "final", development, out / task / "calibrated"
        )
    write_json(out / f"{task}.json", report)
    return report


def _encoded(
    task: str, arguments: argparse.Namespace, tokenizer: Any, seed: int
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
    if task == "qa":
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
