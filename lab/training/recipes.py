"""The recipe of each shipped model: the model it starts from, and the settings of its training.

`python -m lab.training all` trains by these, and the cards state them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lab.training.encoders.adapters import LAYERS
from lab.training.encoders.calibrate import ENTAILMENT_SHIFT
from lab.training.encoders.fit import Settings

MODELS = Path("models")
MINILM = "all-MiniLM-L6-v2 (MiniLM-L6-H384, 22.7 M parameters, Apache-2.0)"
MPNET = "all-mpnet-base-v2 (MPNet-base, 110 M parameters, Apache-2.0)"


@dataclass(frozen=True, slots=True)
class Recipe:
    """The training of one shipped model.

    ``start`` names the shipped model whose weights it starts from; empty for a base encoder.
    ``examples`` limits the examples of all or of each task; 0 takes all.
    ``rest`` is the share drawn of the examples that are no claims.
    ``teacher`` names the shipped model whose soft labels count ``teacher_share`` of the loss.
    ``history`` tells how the weights in the repository, or those that they started from, came about
    where that is more than one training by this recipe.
    """

    model: str
    task: str
    start: str = ""
    learning_rate: float = 1e-4
    epochs: float = 1.0
    frozen_layers: int = 0
    adapter_rank: int = 0
    examples: int = 0
    rest: float = 1.0
    teacher: str = ""
    teacher_share: float = Settings().teacher_share
    seed: int = Settings().seed
    entailment_shift: float = ENTAILMENT_SHIFT
    profile: str = "compact"
    encoder: str = MINILM
    history: str = ""

    @property
    def folder(self) -> str:
        """The folder of its training, below that of all trainings."""
        return self.task if self.profile == "compact" else self.model

    @property
    def report(self) -> str:
        """The file of its development figures, below the folder of all trainings."""
        return (
            f"{self.task}.json" if self.profile == "compact" else f"{self.model}/{self.task}.json"
        )

    def settings(self, given: Settings) -> Settings:
        """Return settings of a training by this recipe; the threads are those given."""
        return replace(
            given,
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            frozen_layers=self.frozen_layers,
            adapter_rank=self.adapter_rank,
            rest=self.rest,
            teacher=MODELS / self.teacher if self.teacher else None,
            teacher_share=self.teacher_share,
            seed=self.seed,
        )

    @property
    def commands(self) -> tuple[str, str]:
        """The commands that train and export it, one after the other."""
        out = "build/train" + ("" if self.profile == "compact" else f"/{self.model}")
        options = {
            "--start": self.start and f"models/{self.start}",
            "--base": "" if self.profile == "compact" else "ENCODER",
            "--adapters": self.adapter_rank,
            "--frozen-layers": self.frozen_layers,
            "--learning-rate": number(self.learning_rate),
            "--epochs": "" if self.epochs == 1 else number(self.epochs),
            "--examples": self.examples,
            "--rest": "" if self.rest == 1 else number(self.rest),
            "--teacher": self.teacher and f"models/{self.teacher}",
            "--teacher-share": self.teacher and number(self.teacher_share),
            "--seed": "" if self.seed == Settings().seed else self.seed,
        }
        chosen = " ".join(f"{name} {value}" for name, value in options.items() if value)
        checkpoint = "calibrated" if self.task == "nli" else "final"
        export = f"python -m lab.training.export {out}/{self.task}/{checkpoint} models/{self.model}"
        return (
            f"python -m lab.training {self.task} --data DATA --out {out} {chosen}",
            export + f" --adapters {out}/{self.task}/adapters" * bool(self.adapter_rank),
        )


RECIPES = {
    recipe.model: recipe
    for recipe in (
        Recipe(
            "compact-qa",
            "qa",
            start="compact-qa",
            learning_rate=1.2e-4,
            epochs=1.3,
            seed=20261127,
            history=(
                "with the questions of claims; those weights had seen one epoch of 80,878 examples without "
                "them (of which 2 would be left out by the comparison with USR, which came later), and "
                "before that those of an earlier mixture (SHA-256 of the packed file "
                "4e881fd2144a048b442e548136fcb2862baef335d9a1da6916f49450b0637727)"
            ),
        ),
        Recipe(
            "compact-nli",
            "nli",
            start="compact-nli",
            learning_rate=1.5e-4,
            epochs=1.25,
            rest=0.33,
            teacher="base-nli",
            teacher_share=0.5,
            seed=20261125,
            frozen_layers=2,
            # Half of what it was, since replies in other words are entailed, too; none at all gives
            # the same ranking of the replies to choose by.
            entailment_shift=-0.6,
            history=(
                "all claims and a third of the other examples (1.8 epochs were planned when the first "
                "250 steps were made); those weights had seen 0.55 epochs of 81,739 examples drawn by seed "
                "20261124 at 1.2e-4 and one epoch of 76,505 drawn by seed 20261123 at 1.5e-4, with claims; "
                "before that 1.55 epochs of an earlier mixture without claims (193,247 examples, of which "
                "519 would be left out by the comparison with SICK, USR, Topical-Chat and the ranking of "
                "Falke et al. (2019), which came later), whose embeddings and lowest two layers all of "
                "them share"
            ),
        ),
        Recipe("compact-glue", "glue", start="compact-nli", frozen_layers=2, examples=4000),
        Recipe(
            "compact-begin",
            "begin",
            start="compact-nli",
            epochs=3.0,
            frozen_layers=3,
            examples=4000,
        ),
        Recipe(
            "base-nli",
            "nli",
            start="base-nli",
            epochs=0.45,
            learning_rate=2.5e-4,
            adapter_rank=64,
            rest=0.2,
            seed=20261129,
            # As calibrated: the likeliest label is trusted as it is.
            entailment_shift=0.0,
            profile="base",
            encoder=MPNET,
            history=(
                "all claims and a fifth of the other examples; those weights were adapters of the same rank "
                "that had seen 0.7 epochs of 39,912 examples at 3e-4, and before that "
                "adapters of rank 16 that had seen 0.16 epochs of 193,247 examples without claims"
            ),
        ),
    )
}


def number(value: float) -> str:
    """Return a number as people write it in a command, such as 1e-4."""
    return f"{value:.1e}".replace(".0e", "e").replace("e-0", "e-") if value < 1e-3 else f"{value:g}"


def described(trained: Mapping[str, Any]) -> str:
    """Return a part of a sentence on a training, from its report or its recipe."""
    parts = [
        f"{trained['epochs']:g} epochs at a learning rate of {number(trained['learning_rate'])}"
    ]
    if trained["start"]:
        sha256 = f" (SHA-256 of its weights {trained['sha256']})" if "sha256" in trained else ""
        parts += [f"started from {trained['start']}{sha256}"]
    if trained["frozen_layers"]:
        parts += [f"whose embeddings and lowest {trained['frozen_layers']} layers it keeps"]
    if trained.get("teacher"):
        share = number(trained["teacher_share"])
        parts += [
            f"by its labels and, as {share} of the loss, by the soft labels of {trained['teacher']}"
        ]
    if trained["adapter_rank"]:
        parts += [
            f"adapters of rank {trained['adapter_rank']} in the {LAYERS} highest layers, and the head"
        ]
    return ", ".join(parts)
