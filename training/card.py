"""``python -m training.card``: write the model cards from the figures of training and measuring."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from qsquared.language.checkpoints.checksums import SUMS
from training.encoders.base import PACKAGE
from training.encoders.fit import MAX_TOKENS, Settings
from training.measure import HEAD, cells
from training.mixture.sources import read_mixture

_TASKS = {
    "qa": {
        "name": "compact-qa",
        "mixture": "reader",
        "kind": "extractive question answering with a no-answer decision",
        "does": "answers a question from a short text, or says that the text does not answer it",
        "options": "--start models/compact-qa --learning-rate 1e-4",
        "checkpoint": "qa/final",
        "rounds": (
            "one epoch, started from the weights that the repository held before (SHA-256 of the packed file "
            "4e881fd2144a048b442e548136fcb2862baef335d9a1da6916f49450b0637727)"
        ),
    },
    "nli": {
        "name": "compact-nli",
        "mixture": "judge",
        "kind": "three-way natural language inference",
        "does": "judges whether a premise entails, contradicts or leaves open a hypothesis",
        "options": "--start models/compact-nli --frozen-layers 2 --learning-rate 1e-4 --epochs 0.75",
        "checkpoint": "nli/calibrated",
        "rounds": (
            "three quarters of an epoch (4,530 steps; up to step 1,750 the learning rate fell as for a "
            "whole epoch), started from the weights that the repository held before (SHA-256 of the packed "
            "file d16927feb744aaa2187e764a103b359789b2fee5bbe3beb8ede4b1b2959b56c5), whose embeddings and "
            "lowest two layers it keeps"
        ),
    },
}
_MEANINGS = {
    "exact": "exact span or exact refusal",
    "exact_answerable": "exact span where there is an answer",
    "refused_unanswerable": "refused where there is no answer",
    "refused_answerable": "refused although there is an answer",
    "accuracy": "accuracy",
    "recall_entailment": "recall of entailment",
    "recall_neutral": "recall of neutral",
    "recall_contradiction": "recall of contradiction",
}


def _development(figures: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Return development set, meaning and value of each figure that is named after both."""
    for name, value in figures.items():
        for statistic in sorted(_MEANINGS, key=len, reverse=True):
            if name.endswith(f"_{statistic}"):
                yield name.removesuffix(f"_{statistic}"), _MEANINGS[statistic], value
                break


def render(
    task: str, figures: Mapping[str, Any], measured: Sequence[Mapping[str, Any]], folder: Path
) -> str:
    """Return the card of one model as Markdown."""
    templates = FileSystemLoader(Path(__file__).parent)
    environment = Environment(  # noqa: S701 - Markdown, not HTML
        loader=templates, undefined=StrictUndefined, keep_trailing_newline=True
    )
    return environment.get_template("card.md.j2").render(
        _TASKS[task],
        task=task,
        sources=[
            (source, figures["sources"][name])
            for name, source in read_mixture(_TASKS[task]["mixture"]).items()
            if name in figures["sources"]
        ],
        calibration=figures.get("calibration"),
        package=PACKAGE,
        examples=figures["examples"],
        settings=Settings(),
        max_tokens=MAX_TOKENS,
        development=_development(figures["figures"]),
        head=HEAD,
        measured=measured,
        cells=cells,
        sums=(folder / SUMS).read_text(encoding="ascii").strip(),
    )


def write_cards(train: Path, measured: Path) -> None:
    """Write both cards from the reports of the trainings and the measured figures."""
    results = json.loads(measured.read_text(encoding="utf-8"))
    for task, described in _TASKS.items():
        figures = json.loads((train / f"{task}.json").read_text(encoding="utf-8"))
        page = Path("models") / described["name"] / "README.md"
        page.write_text(render(task, figures, results, page.parent), encoding="utf-8")
        print(f"wrote {page}")


def main() -> None:
    """Write both cards."""
    parser = argparse.ArgumentParser(prog="python -m training.card", description=main.__doc__)
    parser.add_argument("--train", type=Path, default=Path("build/train"))
    parser.add_argument("--measured", type=Path, required=True, help="JSON of training.measure")
    arguments = parser.parse_args()
    write_cards(arguments.train, arguments.measured)


if __name__ == "__main__":
    main()
