"""The recipe of each shipped model: the commands of its training, which its card states.

`python -m lab.training all` runs these very commands.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.training.encoders.adapters import LAYERS

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


def described(trained: Mapping[str, Any], task: str) -> str:
    """Return a part of a sentence on the training of a task, from its report."""
    epochs = "one epoch" if trained["epochs"] == 1 else f"{trained['epochs']:g} epochs"
    parts = [
        f"{epochs} at a learning rate of {number(trained['learning_rate'])}",
        f"started from {trained['start']} (SHA-256 of its weights {trained['sha256']})",
    ]
    if task == "nli" and "twins" in trained:
        shares = ", ".join(f"{trained[name]:g}" for name in ("twins", "claims", "rest"))
        parts += [f"on shares of the twins, of other claims and of the other examples of {shares}"]
    if trained["frozen_layers"]:
        parts += [f"whose embeddings and lowest {trained['frozen_layers']} layers it keeps"]
    if trained["teacher"]:
        share = number(trained["teacher_share"])
        parts += [
            f"by its labels and, as {share} of the loss, by the soft labels of {trained['teacher']}"
        ]
    if rank := trained["adapter_rank"]:
        parts += [f"adapters of rank {rank} in the {LAYERS} highest layers, and the head"]
    return ", ".join(parts)
