"""Train low-rank adapters (Hu et al. 2021) of an encoder that is too large to be trained whole."""

from pathlib import Path
from typing import Any

from safetensors.torch import load_file

from qsquared.language.checkpoints.shared_weights import WEIGHTS

PEFT = "base_model.model."
"""Peft's prefix of all names."""
LAYERS = 8
"""Adapters are in so many of the highest layers; below, nothing has to be differentiated."""

_HEADS = {"qa_outputs", "classifier"}


def with_adapters(model: Any, rank: int, start: Path | None = None) -> Any:
    """Freeze a model, and add adapters to the linear layers of its highest encoder layers.

    The head is trained whole, and there is no dropout, since each example is seen once.

    Args:
        model: the encoder with its head.
        rank: of the adapters.
        start: shipped folder whose adapters and head are trained further.

    Raises:
        ValueError: the adapters of that folder are of another rank or another encoder.
    """
    # Needed for adapters only, and slow to import.
    from peft import LoraConfig, get_peft_model, set_peft_model_state_dict

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
    adapted = get_peft_model(model, config)
    if start is not None:
        own = {f"{PEFT}{name}": part.float() for name, part in load_file(start / WEIGHTS).items()}
        try:
            outcome: Any = set_peft_model_state_dict(adapted, own)
        except RuntimeError as error:
            raise ValueError(f"The adapters of {start} do not fit: {error}") from error
        if left := outcome.unexpected_keys:
            raise ValueError(f"The adapters of {start} do not fit: {left[0]} is not in the model.")
    return adapted
