"""``python -m lab.training.card``: write the model cards from the figures of training and measuring."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from lab.training.encoders.base import PACKAGE
from lab.training.encoders.fit import MAX_TOKENS, Settings
from lab.training.measure import HEAD, cells
from lab.training.mixture.sources import read_mixture
from lab.training.recipes import RECIPES, Recipe, described
from qsquared.language.checkpoints.checksums import SUMS

_TASKS = {
    "qa": {
        "mixture": "reader",
        "kind": "extractive question answering with a no-answer decision",
        "does": "answers a question from a short text, or says that the text does not answer it",
    },
    "nli": {
        "mixture": "judge",
        "kind": "three-way natural language inference",
        "does": "judges whether a premise entails, contradicts or leaves open a hypothesis",
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
    recipe: Recipe, figures: Mapping[str, Any], measured: Sequence[Mapping[str, Any]], folder: Path
) -> str:
    """Return the card of one model as Markdown."""
    templates = FileSystemLoader(Path(__file__).parent)
    environment = Environment(  # noqa: S701 - Markdown, not HTML
        loader=templates, undefined=StrictUndefined, keep_trailing_newline=True
    )
    task = _TASKS[recipe.task]
    trained = figures.get("trained")
    return environment.get_template("card.md.j2").render(
        task,
        recipe=recipe,
        # A training says itself what it was; the reports of older ones do not.
        rounds=(
            "; ".join(filter(None, (described(trained), recipe.history)))
            if trained
            else recipe.history or described(asdict(recipe))
        ),
        sources=[
            (source, figures["sources"][name])
            for name, source in read_mixture(task["mixture"]).items()
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


def write_cards(train: Path, measured: Path, profile: str = "compact") -> None:
    """Write the cards of a profile's encoders from the reports of their trainings and the figures."""
    results = json.loads(measured.read_text(encoding="utf-8"))
    for recipe in RECIPES.values():
        if recipe.profile == profile and recipe.task in _TASKS:
            figures = json.loads((train / recipe.report).read_text(encoding="utf-8"))
            page = Path("models") / recipe.model / "README.md"
            page.write_text(render(recipe, figures, results, page.parent), encoding="utf-8")
            print(f"wrote {page}")


def main() -> None:
    """Write the cards of a profile's encoders."""
    parser = argparse.ArgumentParser(prog="python -m lab.training.card", description=main.__doc__)
    parser.add_argument("--train", type=Path, default=Path("build/train"))
    parser.add_argument("--measured", type=Path, required=True, help="JSON of training.measure")
    parser.add_argument("--profile", default="compact")
    arguments = parser.parse_args()
    write_cards(arguments.train, arguments.measured, arguments.profile)


if __name__ == "__main__":
    main()
