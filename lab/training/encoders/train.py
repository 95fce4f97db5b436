"""Training of the reader and of the judge from the mixture: examples, fitting, calibration, report."""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

from transformers import AutoTokenizer

from lab.training.encoders.base import start_of
from lab.training.encoders.calibrate import calibrate
from lab.training.encoders.distil import soft_labels, soft_spans, with_soft_labels
from lab.training.encoders.fit import Settings, fit
from lab.training.encoders.rows import Rows, encode_nli, encode_qa
from lab.training.examples.qa import QAExample
from lab.training.mixture.draw import Drawn
from lab.training.mixture.inference import Inference
from lab.training.mixture.prepared import Preparation
from qsquared.language.checkpoints.checksums import sha256_of_file
from qsquared.language.checkpoints.shared_weights import WEIGHTS
from qsquared.storage.keys import digest

QUICK_ROWS = 64
"""Development rows of each kind in a quick training."""
LARGE_ROWS = 100
"""Development rows of each source where adapters are trained: a large encoder reads 18 a second."""


def train_encoder(arguments: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Train the reader or the judge, resuming from the last checkpoint, and return its report.

    The checkpoint is in ``<out>/<task>/final``, that of the judge, calibrated, in
    ``<out>/nli/calibrated``.
    """
    task, out = arguments.task, arguments.out
    adapters = arguments.start if settings.adapter_rank else None
    base = start_of(arguments)
    tokenizer = AutoTokenizer.from_pretrained(base)
    train, development, drawn = _encoded(task, arguments, tokenizer, settings)
    figures = fit(task, base, train, development, out / task, settings, adapters)
    report = {
        "task": task,
        "examples": len(train),
        "trained": asdict(settings)
        | {
            "start": arguments.start.name if arguments.start else "the base encoder",
            "sha256": sha256_of_file((arguments.start or base) / WEIGHTS),
            "teacher": settings.teacher.name if settings.teacher else "",
            "teacher_share": settings.teacher_share if settings.teacher else 0.0,
        },
        "figures": figures,
        "sources": drawn.table(),
        "compared": drawn.compared,
    }
    if task == "nli":
        report["calibration"] = calibrate(
            out / task / "final", development, out / task / "calibrated", settings.entailment_shift
        )
    return report


def _encoded(
    task: str, arguments: argparse.Namespace, tokenizer: Any, settings: Settings
) -> tuple[Rows, dict[str, Rows], Drawn[Any]]:
    """Return the tokenised examples, the development rows by source, and all that was drawn."""
    preparation = Preparation(
        arguments.data, settings.seed, arguments.mixture, compare=not arguments.quick
    )
    large = LARGE_ROWS if settings.adapter_rank else None
    some, held = slice(arguments.quick), slice(QUICK_ROWS if arguments.quick else large)
    if task == "qa":
        reader = preparation.reader()
        by_kind: dict[str, list[QAExample]] = defaultdict(list)
        for example in chain.from_iterable(reader.development.values()):
            by_kind[example.kind].append(example)
        kinds = {kind: encode_qa(tokenizer, rows[held]) for kind, rows in sorted(by_kind.items())}
        learned = reader.train[: settings.examples][some]
        soft = None
        if settings.teacher is not None:
            folder = arguments.out / "examples"
            soft = soft_spans(settings.teacher, learned, folder, settings.threads)
        return encode_qa(tokenizer, learned, soft), kinds, reader
    judge = preparation.judge()
    examples = _thinned(judge.train, settings)[: settings.examples][some]
    rows = encode_nli(tokenizer, examples)
    if settings.teacher is not None:
        folder = arguments.out / "examples"
        soft = soft_labels(settings.teacher, examples, folder, settings.threads)
        rows = with_soft_labels(rows, soft)
    development = {
        name: encode_nli(tokenizer, rows[held]) for name, rows in judge.development.items()
    }
    return rows, development, judge


def _thinned(examples: Sequence[Inference], settings: Settings) -> list[Inference]:
    """Return the settings' shares of claims and of the other examples, in their order.

    The pairs that were made once are few, and all of them are learned; twins are for measuring.
    Each example is drawn by its own hash, so what is added to a mixture leaves the others' draw.
    """
    shares = {"twins": 0.0, "claims": settings.claims, "made": 1.0}

    def drawn(example: Inference) -> bool:
        name = digest([settings.seed, example.premise, example.hypothesis])
        share = shares.get(example.group.partition("/")[0], settings.rest)
        return int(name[:8], 16) < share * 2**32

    return [example for example in examples if drawn(example)]
