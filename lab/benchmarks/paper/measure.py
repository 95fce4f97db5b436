"""``python -m lab.benchmarks.paper.measure``: time the paper's architectures, loop against stages.

Each run adds to the JSON file, so that several short ones make a spread.
"""

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from lab.benchmarks.corpus import examples
from lab.benchmarks.paper.agreement import compare_scores
from lab.benchmarks.paper.architectures import load_models, make_checkpoints, near_ties
from lab.benchmarks.paper.plain_loop import score_pair
from lab.benchmarks.paper.staged import pair_scores, run_stages
from lab.benchmarks.paper.twins import METHODS, Twins, compare, decision
from lab.benchmarks.results import add_run
from qsquared.language.engines.converted import ConvertedEncoder
from qsquared.language.models import build_models
from qsquared.profiles.loading import get_profile
from qsquared.profiles.parameters import Precision
from qsquared.storage.keys import pair_id
from qsquared.tasks.stage import Rows

ENGINES: dict[str, tuple[Precision, Precision]] = {
    "fp32": ("fp32", "fp32"),
    "bf16": ("fp32", "bf16"),
    "int8": ("fp32", "int8"),
}
"""Name → precision of question generation and of both encoders, as in the profiles `paper…`."""

_MODELS = Path("build") / "bench-models"


def attend(models: Sequence[Any], how: str) -> None:
    """Switch the attention of loaded models: ``eager`` as published, ``sdpa`` as the pipeline has it."""
    for model in models:
        inner = model.load().model
        if how == "eager" or inner._supports_sdpa:  # noqa: SLF001
            inner.set_attn_implementation(how)


def warm_up(models: Sequence[Any], known: Mapping[str, Mapping[Hashable, Any]]) -> None:
    """Ask each model once, and make ready what settles its near ties."""
    for (role, method), model in zip(METHODS.items(), models, strict=True):
        getattr(model, method)(list(known[role])[:1])
        exact = model.load().exact
        if isinstance(exact, ConvertedEncoder):
            exact.compile()


def measure(pairs: Rows, engines: Sequence[str], folder: Path, console: Console) -> dict[str, Any]:
    """Measure one pass of the loop and of each engine over the same pairs.

    The reader settles as many near ties as a trained one has; that its own decisions equal those of
    the loop is counted afterwards, with its own near ties settled.
    """
    guide = build_models(get_profile("compact"))
    known: dict[str, dict[Hashable, Any]] = defaultdict(dict)
    gathering = Twins(guide, known)
    run_stages(pairs, gathering, {})
    for pair in pairs:
        score_pair(pair["response"], pair["knowledge"], gathering)
    console.print("loading")
    full = load_models(folder, "fp32", "fp32", "torch")
    loop = Twins(guide, known, dict(zip(METHODS, full, strict=True)))
    attend(full, "eager")
    warm_up(full, known)
    started, worked = time.perf_counter(), time.process_time()
    plain = {}
    for pair in pairs:
        plain[pair["pair_id"]] = score_pair(pair["response"], pair["knowledge"], loop)
        console.print(f"loop {len(plain)} of {len(pairs)}")
    seconds = {"loop": time.perf_counter() - started}
    processor = {"loop": time.process_time() - worked}
    by_role = {"loop": {role: loop.roles[role].seconds for role in METHODS}}
    agreement, flow, settled = {}, {}, {}
    for engine in engines:
        models = load_models(folder, *ENGINES[engine], "auto")
        attend(models[:1], "sdpa")
        warm_up(models, known)
        reader, readings = models[1], list(known["question_answering"])
        reader.told = near_ties(guide.question_answering, ENGINES[engine][1], readings)
        reader.settled.clear()
        staged = Twins(guide, known, dict(zip(METHODS, models, strict=True)))
        started, worked = time.perf_counter(), time.process_time()
        tables, _ = run_stages(pairs, staged, {})
        seconds[engine] = time.perf_counter() - started
        processor[engine] = time.process_time() - worked
        by_role[engine] = {role: staged.roles[role].seconds for role in METHODS}
        share = len(reader.settled) / len(readings)
        reader.told = None
        reader.settled.clear()
        asked: list[Any] = list(staged.roles["question_answering"].own)
        replies = map(decision, reader.answer(asked))
        staged.roles["question_answering"].own |= dict(zip(asked, replies, strict=True))
        settled[engine] = {"timed": share, "own": len(reader.settled) / len(readings)}
        agreement[engine] = compare(loop, staged)
        flow[engine] = not compare_scores(plain, pair_scores(tables)).differences
        console.print(f"{engine}: {seconds['loop'] / seconds[engine]:.2f} times as fast")
    return {
        "pairs": len(pairs),
        "seconds": seconds,
        "processor_seconds": processor,
        "by_role": by_role,
        "agreement": agreement,
        "settled_in_float32": settled,
        "same_flow": flow,
        "requests": {role: len(loop.roles[role].own) for role in METHODS},
    }


def choose_pairs(number: int, seed: int) -> Rows:
    """Draw so many pairs of the example log at random."""
    drawn = random.Random(seed).sample(examples(), number)
    return [
        {
            "pair_id": pair_id(response, knowledge),
            "response": response,
            "knowledge": list(knowledge),
        }
        for response, knowledge in drawn
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure once and add the figures to the file; return 1 if fp32 decided anything differently."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.paper.measure", description=__doc__
    )
    parser.add_argument("--pairs", type=int, default=4, help="replies a run (default: 4)")
    parser.add_argument("--seed", type=int, default=0, help="draws the replies")
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    parser.add_argument("--tiny", action="store_true", help="tiny architectures: only that it runs")
    parser.add_argument(
        "--models", type=Path, default=_MODELS, help=f"where the weights go (default: {_MODELS})"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the figures there")
    arguments = parser.parse_args(argv)
    folder = make_checkpoints(arguments.models, arguments.tiny)
    pairs = choose_pairs(arguments.pairs, arguments.seed)
    console = Console()
    run = measure(pairs, arguments.engines, folder, console)
    console.print(run)
    if arguments.json:
        add_run(arguments.json, run | {"seed": arguments.seed})
    full = run["agreement"].get("fp32", {})
    alike = all(role["equal"] == role["items"] for role in full.values())
    return 0 if alike and all(run["same_flow"].values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
