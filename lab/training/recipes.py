"""``python -m lab.training.recipes``: print the commands that make the shipped models again, in order.

The card of a model states them, too.
"""

import argparse
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MODELS = Path("models")
MINILM = "all-MiniLM-L6-v2 (MiniLM-L6-H384, 22.7 M parameters, Apache-2.0)"
OUT = "build/train"
"""The folder of all trainings in a command."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The training of one shipped model, by the options of its command.

    ``rests_on`` names the shipped model whose weights it shares.
    ``history`` tells how the weights that it started from came about.
    """

    model: str
    task: str
    options: str
    rests_on: str = ""
    profile: str = "compact"
    encoder: str = MINILM
    history: str = ""

    @property
    def adapters(self) -> bool:
        """Whether adapters of a larger encoder are trained, in a folder of their own."""
        return self.profile != "compact"

    @property
    def out(self) -> str:
        """The folder of its training and of the report."""
        return f"{OUT}/{self.model}" if self.adapters else OUT

    @property
    def commands(self) -> tuple[str, str]:
        """The commands that train and export it, one after the other."""
        checkpoint = "calibrated" if self.task == "nli" else "final"
        export = f"python -m lab.training.export {self.out}/{self.task}/{checkpoint}"
        return (
            f"python -m lab.training {self.task} --data DATA --out {self.out} {self.options}",
            f"{export} {MODELS / self.model}"
            + f" --adapters {self.out}/{self.task}/adapters" * self.adapters
            + f" --base {MODELS / self.rests_on}" * bool(self.rests_on),
        )


RECIPES = {
    name: Recipe(name, **recipe)
    for name, recipe in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    ).items()
}


def number(value: float) -> str:
    """Return a number as people write it, such as 1e-4."""
    return f"{value:.1e}".replace(".0e", "e").replace("e-0", "e-") if value < 1e-3 else f"{value:g}"


def main(argv: Sequence[str] | None = None) -> None:
    """Print the commands of a profile's models for a shell, with DATA and ENCODER for the folders."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.recipes", description=main.__doc__
    )
    parser.add_argument("--profile", default="compact")
    profile = parser.parse_args(argv).profile
    for recipe in RECIPES.values():
        if recipe.profile == profile:
            print(*recipe.commands, sep="\n")


if __name__ == "__main__":
    main()
