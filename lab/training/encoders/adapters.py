"""Train low-rank adapters (Hu et al. 2021) of an encoder that is too large to be trained whole."""

from pathlib import Path
from typing import Any

from safetensors.torch import load_file

from qsquared.language.checkpoints.shared_weights import WEIGHTS, read_record

LAYERS = 8
"""Adapters are in so many of the highest layers; below, nothing has to be differentiated."""

_HEADS = {"qa_outputs", "classifier"}


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
