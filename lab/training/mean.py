"""``python -m lab.training.mean``: ship the mean of judges that were trained one after the other."""

import argparse
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file

from lab.training.export import pack, pack_adapters, write_sums
from qsquared.language.checkpoints.checksums import SUMS
from qsquared.language.checkpoints.shared_weights import WEIGHTS, read_record
from qsquared.language.checkpoints.weights import unpack

_DOWN, _UP = ".lora_A.", ".lora_B."


def mean_of_adapters(states: Sequence[Mapping[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Return the mean of the changes B A that adapters make, at their rank, and of their heads.

    The mean of changes of rank r has a rank of up to r times their number; the nearest of rank r is
    that of its r largest singular values (Eckart and Young 1936).

    Args:
        states: adapters and head of each judge, all of the same rank and factor.
    """
    first, mean = states[0], {}
    for name, tensor in first.items():
        if _DOWN in name:
            up = name.replace(_DOWN, _UP)
            changes = [state[up].float() @ state[name].float() for state in states]
            u, values, v = torch.linalg.svd(sum(changes) / len(changes), full_matrices=False)
            roots = values[: len(tensor)].sqrt()
            mean[name] = roots[:, None] * v[: len(tensor)]
            mean[up] = u[:, : len(tensor)] * roots
        elif _UP not in name:
            mean[name] = torch.stack([state[name].float() for state in states]).mean(0)
    return mean


def mean_of_weights(states: Sequence[Mapping[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Return the mean of the weights of judges of one shape; what they share stays as it is."""
    return {
        name: torch.stack([state[name] for state in states]).mean(0)
        if tensor.is_floating_point()
        else tensor
        for name, tensor in states[0].items()
    }


def ship_mean(folders: Sequence[Path], target: Path) -> None:
    """Write the mean of shipped judges into a folder, with the last one's other files.

    A judge that is named twice counts twice.

    Raises:
        ValueError: they rest on other encoders, or have other ranks.
    """
    records = {read_record(folder) for folder in folders}
    if len(records) != 1:
        raise ValueError("These judges have adapters of other encoders or ranks: no mean is made.")
    whole = records == {None}
    states = [(unpack if whole else load_file)(folder / WEIGHTS) for folder in folders]
    others = {path.name for path in folders[-1].iterdir()} - {WEIGHTS, SUMS}
    target.mkdir(parents=True, exist_ok=True)
    for name in others:
        shutil.copyfile(folders[-1] / name, target / name)
    if whole:
        pack(mean_of_weights(states), target / WEIGHTS)
    else:
        pack_adapters(mean_of_adapters(states), target / WEIGHTS)
    write_sums(target, [*(others - {"README.md"}), WEIGHTS])


def main(argv: Sequence[str] | None = None) -> None:
    """Write the mean of judges."""
    parser = argparse.ArgumentParser(prog="python -m lab.training.mean", description=main.__doc__)
    parser.add_argument("target", type=Path, help="folder to ship, such as models/base-nli")
    parser.add_argument(
        "folders", type=Path, nargs="+", help="exported judges in the order of their training"
    )
    arguments = parser.parse_args(argv)
    ship_mean(arguments.folders, arguments.target)


if __name__ == "__main__":
    main()
