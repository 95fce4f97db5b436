"""``python -m lab.training.card``: write the model cards from the figures of training and measuring."""

import argparse
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from lab.training.encoders.base import LAYERS, PACKAGE
from lab.training.encoders.rows import MAX_TOKENS
from lab.training.measure import HEAD, cells
from lab.training.mixture.sources import read_mixture
from lab.training.recipes import OUT, RECIPES, Recipe, number
from qsquared.language.checkpoints.checksums import SUMS

_CARD = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_TASKS: dict[str, dict[str, str]] = _CARD["tasks"]
_MEANINGS: dict[str, str] = _CARD["figures"]


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
    return environment.get_template("card.md.j2").render(
        task,
        recipe=recipe,
        trained=figures["trained"],
        number=number,
        adapted_layers=LAYERS,
        sources=[
            (source, figures["sources"][name])
            for name, source in read_mixture(task["mixture"]).items()
            if name in figures["sources"]
        ],
        calibration=figures.get("calibration"),
        package=PACKAGE,
        examples=figures["examples"],
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
            figures = json.loads(_report(train, recipe).read_text(encoding="utf-8"))
            page = Path("models") / recipe.model / "README.md"
            page.write_text(render(recipe, figures, results, page.parent), encoding="utf-8")
            print(f"wrote {page}")


def _report(train: Path, recipe: Recipe) -> Path:
    return train / recipe.out.removeprefix(OUT).strip("/") / f"{recipe.task}.json"


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
