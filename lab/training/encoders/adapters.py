"""Train low-rank adapters (Hu et al. 2021) of an encoder that is too large to be trained whole."""

from typing import Any

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
