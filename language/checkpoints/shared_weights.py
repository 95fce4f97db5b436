"""Checkpoints that rest on another: their folder holds only the weights that differ, or adapters.

``base.json`` names the folder beside it that has the other weights, and the SHA-256 of these.
Low-rank adapters (Hu et al. 2021) are added to an encoder that is fetched apart: the folder holds the
head and two thin matrices A and B for each adapted matrix W of the encoder, which becomes
W + (alpha / rank) B A when it is loaded; ``adapters.json`` names the encoder and the SHA-256 of its
weights.
Both files decide a model's identity, so the identity covers what they rest on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from qsquared.errors import ModelError
from qsquared.language.checkpoints.checksums import compare_files

if TYPE_CHECKING:
    import torch

BASE, ADAPTERS = "base.json", "adapters.json"
WEIGHTS = "model.safetensors"
ADAPTERS_STORAGE = "float16-adapters"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FIRST, _SECOND = ".lora_A.weight", ".lora_B.weight"
Record = TypeVar("Record")
_REINSTALL = "Install the package anew, so that its models are of one version."


@dataclass(frozen=True, slots=True)
class Base:
    """The model that lends its weights: the name of its folder, and the SHA-256 of its safetensors."""

    folder: str
    sha256: str

    def __post_init__(self) -> None:
        if Path(self.folder).name != self.folder or self.folder in {"", ".", ".."}:
            raise ValueError("it does not name a folder beside its own")


@dataclass(frozen=True, slots=True)
class AdapterRecord:
    """The encoder under some adapters: its name, the SHA-256 of its weights, rank and alpha."""

    base: str
    sha256: str
    rank: int
    alpha: float

    def __post_init__(self) -> None:
        if not (_SHA256.fullmatch(self.sha256) and self.base and self.scale > 0):
            raise ValueError("it does not name an encoder, a rank and an alpha")

    @property
    def scale(self) -> float:
        """The factor of the product of B and A."""
        return self.alpha / self.rank


def read_record(folder: Path) -> AdapterRecord | None:
    """Return the record of a folder's adapters, or ``None`` for a model without adapters.

    Raises:
        ModelError: ``adapters.json`` is damaged.
    """
    return _read(AdapterRecord, folder / ADAPTERS)


def _read(kind: type[Record], path: Path) -> Record | None:
    """Return the record in a file, or ``None`` without a file.

    Raises:
        ModelError: the file is damaged, or its record makes no sense.
    """
    try:
        return kind(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, ZeroDivisionError) as error:
        raise ModelError(f"{path} is damaged: {error}.", _REINSTALL) from error


def checked_base(folder: Path) -> Path | None:
    """Return the file of the base's weights after a check of its hash; ``None`` without a base.

    Raises:
        ModelError: they are missing, or not those that the model was made on.
    """
    base = _read(Base, folder / BASE)
    if base is None:
        return None
    lender = folder.parent / base.folder
    hint = f"The model in {folder} rests on it. {_REINSTALL}"
    compare_files(lender, {WEIGHTS: base.sha256}, hint)
    return lender / WEIGHTS


def merged(
    adapters: Mapping[str, torch.Tensor],
    base: Mapping[str, torch.Tensor],
    wanted: Iterable[str],
    prefix: str,
    scale: float,
) -> dict[str, torch.Tensor]:
    """Return the wanted weights: those of the base with the adapters added, and the head.

    Args:
        adapters: A and B of each adapted matrix, and the whole weights of the head.
        base: the encoder's weights, whose names may lack the prefix.
        wanted: the names of the model's weights; one that is nowhere is left out.
        prefix: of the encoder's names in the model, such as ``mpnet``.
        scale: of the record.

    Raises:
        ModelError: an adapter has no counterpart, or belongs to a matrix of another shape.
    """
    import torch

    own = {name: tensor.to(torch.float32) for name, tensor in adapters.items()}
    state = {}
    for name in wanted:
        bare = name.removeprefix(f"{prefix}.")
        if name in own:
            state[name] = own.pop(name)
        elif name in base or bare in base:
            state[name] = (base[name] if name in base else base[bare]).to(torch.float32)
    for name in sorted(name for name in own if name.endswith(_FIRST)):
        matrix = name.removesuffix(_FIRST)
        weight, second = state.get(f"{matrix}.weight"), own.pop(matrix + _SECOND, None)
        first = own.pop(name)
        if weight is None or second is None or (len(second), first.shape[-1]) != weight.shape:
            raise ModelError(f"The adapter of {matrix} fits no matrix of its encoder.", _REINSTALL)
        state[f"{matrix}.weight"] = weight + scale * (second @ first)
    if own:
        raise ModelError(f"The adapters hold the unknown {min(own)}.", _REINSTALL)
    return state
