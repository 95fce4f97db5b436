"""``python -m training.export``: turn a trained checkpoint into a shipped model folder."""

from __future__ import annotations

import argparse
import hashlib
import shutil
from pathlib import Path

from safetensors.torch import load_file

from qsquared.language.checksums import SUMS
from qsquared.language.weights import pack

_COPIED = ("config.json", "tokenizer.json", "tokenizer_config.json")


def export_model(checkpoint: Path, target: Path) -> None:
    """Pack the weights, copy configuration and tokenizer, and record the SHA-256 of each file."""
    target.mkdir(parents=True, exist_ok=True)
    pack(load_file(checkpoint / "model.safetensors"), target / "model.safetensors")
    for name in _COPIED:
        shutil.copyfile(checkpoint / name, target / name)
    sums = [
        f"{hashlib.sha256((target / name).read_bytes()).hexdigest()}  {name}\n"
        for name in sorted([*_COPIED, "model.safetensors"])
    ]
    (target / SUMS).write_text("".join(sums), encoding="ascii")


def main() -> None:
    """Export one checkpoint."""
    parser = argparse.ArgumentParser(prog="python -m training.export", description=main.__doc__)
    parser.add_argument("checkpoint", type=Path, help="folder that training wrote (…/final)")
    parser.add_argument("target", type=Path, help="folder to ship, such as models/compact-qa")
    arguments = parser.parse_args()
    export_model(arguments.checkpoint, arguments.target)
    print(f"wrote {arguments.target}")


if __name__ == "__main__":
    main()
