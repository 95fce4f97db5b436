"""``python -m training.export``: turn a trained checkpoint into a shipped model folder."""

import argparse
import shutil
from pathlib import Path

from safetensors.torch import load_file

from qsquared.hashing import sha256_of_file
from qsquared.language.checkpoints.checksums import SUMS
from qsquared.language.checkpoints.shared_weights import BASE, WEIGHTS, differing, write_base
from qsquared.language.checkpoints.weights import pack, unpack

_COPIED = ("config.json", "tokenizer.json", "tokenizer_config.json")


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
    sums = [
        f"{sha256_of_file(target / name)}  {name}\n"
        for name in sorted([*_COPIED, WEIGHTS, *[BASE] * (base is not None)])
    ]
    (target / SUMS).write_text("".join(sums), encoding="ascii")


def main() -> None:
    """Export one checkpoint."""
    parser = argparse.ArgumentParser(prog="python -m training.export", description=main.__doc__)
    parser.add_argument("checkpoint", type=Path, help="folder that training wrote (…/final)")
    parser.add_argument("target", type=Path, help="folder to ship, such as models/compact-qa")
    parser.add_argument("--base", type=Path, help="shipped folder beside it that it rests on")
    arguments = parser.parse_args()
    export_model(arguments.checkpoint, arguments.target, arguments.base)
    print(f"wrote {arguments.target}")


if __name__ == "__main__":
    main()
