"""Checkpoints that share weights with another: their folder holds only the weights that differ.

``base.json`` names the folder beside it that has the other weights, and the SHA-256 of these.
It is one of the files that decide a model's identity, so the identity covers both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qsquared.errors import ModelError
from qsquared.hashing import sha256_of_file

if TYPE_CHECKING:
    import torch

BASE = "base.json"
WEIGHTS = "model.safetensors"
_REINSTALL = "Install the package anew, so that both models are of one version."


@dataclass(frozen=True, slots=True)
class Base:
    """The model that lends its weights: the name of its folder, and the SHA-256 of its safetensors."""

    folder: str
    sha256: str


def read_base(folder: Path) -> Base | None:
    """Return the base of a model, or ``None`` for a model with weights of its own.

    Raises:
        ModelError: ``base.json`` is damaged, or names no folder beside this one.
    """
    path = folder / BASE
    if not path.is_file():
        return None
    try:
        base = Base(**json.loads(path.read_text(encoding="utf-8")))
        sound = isinstance(base.folder, str) and isinstance(base.sha256, str)
    except (OSError, ValueError, TypeError) as error:
        raise ModelError(f"{path} is damaged: {error}.", _REINSTALL) from error
    if not sound or Path(base.folder).name != base.folder or base.folder in {"", ".", ".."}:
        raise ModelError(f"{path} does not name a folder beside {folder}.", _REINSTALL)
    return base


def write_base(folder: Path, base: Path) -> None:
    """Record that a model shares the weights of the one in ``base``, a neighbouring folder.

    Raises:
        ValueError: ``base`` is elsewhere, or rests on another model itself.
    """
    if base.resolve().parent != folder.resolve().parent:
        raise ValueError(f"{base} does not lie beside {folder}")
    if (base / BASE).exists():
        raise ValueError(f"{base} rests on another model itself")
    record = Base(base.resolve().name, sha256_of_file(base / WEIGHTS))
    (folder / BASE).write_text(json.dumps(asdict(record), indent=1) + "\n", encoding="utf-8")


def checked_base(folder: Path) -> Path | None:
    """Return the file of the base's weights after a check of its hash; ``None`` without a base.

    Raises:
        ModelError: they are missing, or not those that the model was made on.
    """
    base = read_base(folder)
    if base is None:
        return None
    weights = folder.parent / base.folder / WEIGHTS
    if not weights.is_file():
        raise ModelError(
            f"The model in {folder} rests on {base.folder}, and {weights} is missing.",
            _REINSTALL,
        )
    if sha256_of_file(weights) != base.sha256:
        raise ModelError(
            f"The model in {folder} rests on {base.folder}, whose weights are no longer those that "
            "it was trained on: their hash differs.",
            _REINSTALL,
        )
    return weights


def differing(
    state: Mapping[str, torch.Tensor], base: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """Return the weights of ``state`` that differ from those of ``base`` in any bit."""
    return {
        name: tensor
        for name, tensor in state.items()
        if name not in base or not tensor.equal(base[name].to(tensor.dtype))
    }
