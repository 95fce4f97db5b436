"""``python -m lab.benchmarks.growth.peak``: compare the reader's speed with the machine's peak.

The peak of each precision is measured on large matrices with torch.
The work of an encoder is counted from its tokens: two operations for each weight of a linear layer,
and two products of all tokens with each other in each layer for its attention.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from transformers import AutoConfig

from lab.benchmarks.corpus import EXAMPLES
from lab.benchmarks.paper.staged import read_shards, run_stages
from lab.benchmarks.paper.twins import Twins
from lab.benchmarks.results import add_run
from qsquared.language.checkpoints.registry import locate
from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.language.models import build_models
from qsquared.profiles.loading import get_profile
from qsquared.profiles.parameters import Precision
from qsquared.records import ReadingRequest

PRECISIONS: tuple[Precision, ...] = ("fp32", "bf16")
_SIDE = 2048
_TIMES = 5


def peak(precision: Precision) -> float:
    """Measure operations a second (10⁹) of the largest matrices, the median of some products."""
    import torch

    left, right = torch.rand(_SIDE, _SIDE), torch.rand(_SIDE, _SIDE)
    if precision == "bf16":
        left, right = left.to(torch.bfloat16), right.to(torch.bfloat16)
    return _rate(lambda: left @ right)


def _rate(multiply: Callable[[], Any]) -> float:
    multiply()
    seconds = []
    for _ in range(_TIMES):
        started = time.perf_counter()
        multiply()
        seconds.append(time.perf_counter() - started)
    return 2 * _SIDE**3 / median(seconds) / 1e9


def operations(reader: ExtractiveAnswers, requests: Sequence[ReadingRequest]) -> float:
    """Count the operations (10⁹) that the reader needs for the requests, without padding."""
    loaded = reader.load()
    config: Any = AutoConfig.from_pretrained(locate(reader.checkpoint, reader.revision))
    width, inner, layers = config.hidden_size, config.intermediate_size, config.num_hidden_layers
    rows = loaded.tokenizer([r.question for r in requests], [r.text for r in requests])
    of_layer = sum(
        2 * tokens * (4 * width * width + 2 * width * inner) + 4 * tokens * tokens * width
        for tokens in map(len, rows["input_ids"])
    )
    return float(layers * of_layer / 1e9)


def gather_requests(number: int) -> list[ReadingRequest]:
    """Gather the reader's requests on the example log, from an even part of it."""
    (pairs,) = read_shards([str(EXAMPLES)], 1000)
    spread = pairs[:: max(1, len(pairs) * 8 // number)]
    known: dict[str, dict[Any, Any]] = defaultdict(dict)
    run_stages(spread, Twins(build_models(get_profile("compact")), known), {})
    return list(known["question_answering"])[:number]


def main(argv: Sequence[str] | None = None) -> None:
    """Measure the peaks and the share that the compact reader reaches."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.growth.peak", description=__doc__
    )
    parser.add_argument("--requests", type=int, default=200, help="questions (default: 200)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the figures there")
    arguments = parser.parse_args(argv)
    requests = gather_requests(arguments.requests)
    settings = get_profile("compact").question_answering
    found: dict[str, dict[str, float]] = {}
    for precision in PRECISIONS:
        reader = ExtractiveAnswers(
            settings.checkpoint, parameters=settings.parameters, precision=precision
        )
        needed = operations(reader, requests)
        reader.answer(requests[:16])
        started = time.perf_counter()
        reader.answer(requests)
        reached = needed / (time.perf_counter() - started)
        best = peak(precision)
        found[precision] = {"peak": best, "reached": reached, "share": reached / best}
        Console().print(f"{precision}: {reached:.0f} of {best:.0f} GOP/s ({reached / best:.0%})")
    if arguments.json:
        add_run(arguments.json, {"requests": len(requests), "precisions": found})


if __name__ == "__main__":
    main()
