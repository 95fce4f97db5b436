"""``python -m lab.training.export``: turn a trained checkpoint into a shipped model folder."""

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from safetensors.torch import load_file

from lab.training.packing import differing, pack, pack_adapters, write_base, write_record
from qsquared.hashing import sha256_of_file
from qsquared.language.checkpoints.checksums import SUMS
from qsquared.language.checkpoints.larger_bases import BASES
from qsquared.language.checkpoints.shared_weights import ADAPTERS, BASE, WEIGHTS, AdapterRecord
from qsquared.language.checkpoints.weights import unpack

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
