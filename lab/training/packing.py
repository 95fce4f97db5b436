"""Write weights as shipped models have them: int8 rows, weights that differ from a base, adapters."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import save_file

from qsquared.hashing import sha256_of_file
from qsquared.language.checkpoints.shared_weights import (
    ADAPTERS,
    ADAPTERS_STORAGE,
    BASE,
    WEIGHTS,
    AdapterRecord,
    Base,
)
from qsquared.language.checkpoints.weights import INT8_ROWS, SCALE, STORAGE_KEY

_LEVELS = 127


def pack(state: Mapping[str, torch.Tensor], path: Path) -> None:
    """Write weights with every matrix as int8 and one scale a row.

    The scale is the row's greatest magnitude / 127 (float32), so that no value is off by more than
    half a scale; other tensors are kept, floating ones as float32.

    Raises:
        ValueError: a value is not finite, or a name would collide with a scale's.
    """
    stored: dict[str, torch.Tensor] = {}
    for name, tensor in state.items():
        value = tensor.detach().cpu()
        if not value.is_floating_point():
            stored[name] = value.clone()
            continue
        value = value.to(torch.float32)
        if not torch.isfinite(value).all():
            raise ValueError(f"{name} holds a value that is not finite")
        if value.ndim != 2:
            stored[name] = value.clone()
            continue
        scale = value.abs().amax(dim=1) / _LEVELS
        divisor = torch.where(scale > 0, scale, torch.ones_like(scale))
        rows = torch.round(value / divisor[:, None]).clamp(-_LEVELS, _LEVELS)
        if name + SCALE in state:
            raise ValueError(f"{name + SCALE} is the name of another tensor")
        stored[name], stored[name + SCALE] = rows.to(torch.int8), scale
    save_file(stored, path, metadata={"format": "pt", STORAGE_KEY: INT8_ROWS})
    path.chmod(0o644)  # safetensors writes files that only their owner can read


def differing(
    state: Mapping[str, torch.Tensor], base: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """Return the weights of ``state`` that differ from those of ``base`` in any bit."""
    return {
        name: tensor
        for name, tensor in state.items()
        if name not in base or not tensor.equal(base[name].to(tensor.dtype))
    }


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


def pack_adapters(state: Mapping[str, torch.Tensor], path: Path) -> None:
    """Write adapters and head, matrices as float16, the others as float32.

    Raises:
        ValueError: a value is not finite as float16.
    """
    stored = {}
    for name, tensor in state.items():
        kind = torch.float16 if tensor.ndim == 2 else torch.float32
        stored[name] = tensor.detach().cpu().to(kind).contiguous().clone()
        if not torch.isfinite(stored[name]).all():
            raise ValueError(f"{name} holds a value that is not finite as {kind}")
    save_file(stored, path, metadata={"format": "pt", STORAGE_KEY: ADAPTERS_STORAGE})
    path.chmod(0o644)  # safetensors writes files that only their owner can read


def write_record(folder: Path, record: AdapterRecord) -> None:
    """Write the record beside the adapters."""
    (folder / ADAPTERS).write_text(json.dumps(asdict(record), indent=1) + "\n", encoding="utf-8")
