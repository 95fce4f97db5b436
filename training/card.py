"""``python -m training.card``: write the model cards from the figures of training and measuring."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from qsquared.language.checkpoints.checksums import SUMS
from training.base import PACKAGE
from training.fit import MAX_TOKENS, Settings
from training.measure import HEAD, cells

_TASKS = {
    "qa": {
        "name": "compact-qa",
        "kind": "extractive question answering with a no-answer decision",
        "does": "answers a question from a short text, or says that the text does not answer it",
        "data": "SQuAD 1.1 and 2.0 (development sets, CC BY-SA 4.0), QAMR (MIT)",
        "start": " --start models/compact-qa --learning-rate 7e-5",
        "rounds": (
            "a second epoch at learning rate 7e-05, started from the weights that the repository "
            "first held (SHA-256 of the packed file "
            "116c2c78977001c12ec4edfcabba0d4d6f16c2b6f45e1edca25d7a96810a8a78), which one epoch on "
            "SQuAD and QAMR alone had made"
        ),
    },
    "nli": {
        "name": "compact-nli",
        "kind": "three-way natural language inference",
        "does": "judges whether a premise entails, contradicts or leaves open a hypothesis",
        "data": (
            "SNLI (CC BY-SA 4.0), ConjNLI (MIT), FEVER-symmetric (CC BY-SA 3.0), RTE and MRPC (from "
            "GLUE, under their own terms), and pairs and replies made from SQuAD (CC BY-SA 4.0) and "
            "QAMR (MIT)"
        ),
        "start": "",
        "rounds": f"1 epoch at learning rate {Settings().learning_rate:g}",
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
        package=PACKAGE,
        examples=figures["examples"],
        settings=Settings(),
        max_tokens=MAX_TOKENS,
        development=_development(figures),
        head=HEAD,
        measured=measured,
        cells=cells,
        sums=(folder / SUMS).read_text(encoding="ascii").strip(),
    )


def main() -> None:
    """Write both cards."""
    parser = argparse.ArgumentParser(prog="python -m training.card", description=main.__doc__)
    parser.add_argument("--train", type=Path, default=Path("build/train"))
    parser.add_argument("--measured", type=Path, required=True, help="JSON of training.measure")
    arguments = parser.parse_args()
    measured = json.loads(arguments.measured.read_text(encoding="utf-8"))
    for task, described in _TASKS.items():
        figures = json.loads((arguments.train / f"{task}.json").read_text(encoding="utf-8"))
        page = Path("models") / described["name"] / "README.md"
        page.write_text(render(task, figures, measured, page.parent), encoding="utf-8")
        print(f"wrote {page}")


if __name__ == "__main__":
    main()
