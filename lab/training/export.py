"""``python -m lab.training.export``: turn a trained checkpoint into a shipped model folder.

Weights are written as int8 rows, as those that differ from a base, or as adapters.
"""

import argparse
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from qsquared.language.checkpoints.checksums import SUMS, sha256_of_file
from qsquared.language.checkpoints.larger_bases import BASES
from qsquared.language.checkpoints.shared_weights import (
    ADAPTERS,
    ADAPTERS_STORAGE,
    BASE,
    WEIGHTS,
    AdapterRecord,
    Base,
)
from qsquared.language.checkpoints.weights import INT8_ROWS, SCALE, STORAGE_KEY, unpack

_COPIED = ("config.json", "tokenizer.json", "tokenizer_config.json")
_PEFT = "base_model.model."
"""Peft's prefix of all names."""
_VARIANTS = (
    "alpha_pattern",
    "fan_in_fan_out",
    "lora_bias",
    "rank_pattern",
    "trainable_token_indices",
    "use_dora",
    "use_qalora",
    "use_rslora",
)
"""Settings of peft under which the merged weights are others than W + (alpha / rank) B A."""
_FIXED_LENGTHS = {
    "is_local",
    "local_files_only",
    "max_length",
    "pad_to_multiple_of",
    "stride",
    "truncation_side",
    "truncation_strategy",
}
"""Settings of a sentence encoder's tokenizer, which cuts or fills every text to one length."""
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


def export_model(checkpoint: Path, target: Path, base: Path | None = None) -> None:
    """Pack the weights, copy configuration and tokenizer, and record the SHA-256 of each file.

    With ``base``, a shipped folder beside ``target``, only the weights that differ from its are
    written; the weights that training left as they were are the same to the last bit.
    """
    target.mkdir(parents=True, exist_ok=True)
    state = load_file(checkpoint / WEIGHTS)
    if base is not None:
        state = differing(state, unpack(base / WEIGHTS))
        write_base(target, base)
    pack(state, target / WEIGHTS)
    for name in _COPIED:
        shutil.copyfile(checkpoint / name, target / name)
    write_sums(target, [*_COPIED, WEIGHTS, *[BASE] * (base is not None)])


def export_adapters(adapters: Path, calibrated: Path, target: Path) -> None:
    """Write adapters with the head of the calibrated model, and the SHA-256 of each file.

    Args:
        adapters: folder that peft wrote; its configuration names the folder of the encoder.
        calibrated: the model that they were merged into, whose head was calibrated.
        target: folder to ship.

    Raises:
        ValueError: the adapters are of a kind that the pipeline does not merge.
    """
    settings = json.loads((adapters / "adapter_config.json").read_text(encoding="utf-8"))
    if strange := sorted(name for name in _VARIANTS if settings.get(name)):
        raise ValueError(f"{adapters} has adapters with {', '.join(strange)}, which are not merged")
    target.mkdir(parents=True, exist_ok=True)
    own = {
        name.removeprefix(_PEFT): tensor
        for name, tensor in load_file(adapters / "adapter_model.safetensors").items()
    }
    whole = load_file(calibrated / WEIGHTS)
    # What is no adapter was trained whole, so the calibrated model has it, under the same name.
    state = {name: whole.get(name, tensor) for name, tensor in own.items()}
    pack_adapters(state, target / WEIGHTS)
    sha256 = sha256_of_file(Path(settings["base_model_name_or_path"]) / WEIGHTS)
    name = next((one.name for one in BASES if one.sha256 == sha256), "unknown")
    write_record(target, AdapterRecord(name, sha256, settings["r"], settings["lora_alpha"]))
    shutil.copyfile(calibrated / "config.json", target / "config.json")
    tokenizer = json.loads((calibrated / "tokenizer.json").read_text(encoding="utf-8"))
    _write_json(target / "tokenizer.json", tokenizer | {"padding": None, "truncation": None})
    options = json.loads((calibrated / "tokenizer_config.json").read_text(encoding="utf-8"))
    kept = {name: value for name, value in options.items() if name not in _FIXED_LENGTHS}
    _write_json(target / "tokenizer_config.json", kept)
    write_sums(target, [*_COPIED, WEIGHTS, ADAPTERS])


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False) + "\n", encoding="utf-8")


def write_sums(folder: Path, names: list[str]) -> None:
    """Write the SHA-256 of files of a folder beside them."""
    sums = [f"{sha256_of_file(folder / name)}  {name}\n" for name in sorted(names)]
    (folder / SUMS).write_text("".join(sums), encoding="ascii")


def main(argv: Sequence[str] | None = None) -> None:
    """Export one checkpoint."""
    parser = argparse.ArgumentParser(prog="python -m lab.training.export", description=main.__doc__)
    parser.add_argument("checkpoint", type=Path, help="folder that training wrote (…/final)")
    parser.add_argument("target", type=Path, help="folder to ship, such as models/compact-qa")
    parser.add_argument("--base", type=Path, help="shipped folder beside it that it rests on")
    parser.add_argument("--adapters", type=Path, help="adapters in it, shipped in its place")
    arguments = parser.parse_args(argv)
    if arguments.adapters:
        export_adapters(arguments.adapters, arguments.checkpoint, arguments.target)
    else:
        export_model(arguments.checkpoint, arguments.target, arguments.base)
    print(f"wrote {arguments.target}")


if __name__ == "__main__":
    main()
