"""Linear layers whose weights lie in memory as the processor reads them, for models that run on torch.

torch's own product arranges the weights anew in every call.
A decoder multiplies all its weights for a few tokens at a time, so that this takes up to half of its time.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

# Both are those of torch's compiler: the package offers them no other way.
_ARRANGE, _MULTIPLY = "_reorder_linear_weight", "_linear_pointwise"


class PackedLinear(nn.Module):
    """A float32 linear layer on a CPU; its sums differ from torch's in their last digits only.

    Args:
        linear: the layer to replace.
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.weight = getattr(torch.ops.mkldnn, _ARRANGE)(linear.weight.detach())
        self.bias = None if linear.bias is None else linear.bias.detach()

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Map (…, inputs) to (…, outputs)."""
        multiply = getattr(torch.ops.mkldnn, _MULTIPLY)
        product: torch.Tensor = multiply(tokens, self.weight, self.bias, "none", [], "")
        return product


def pack_linears(model: nn.Module) -> bool:
    """Exchange the linear layers of a model, in place; False where this torch or machine cannot.

    Only those in float32 on a CPU are exchanged.
    """
    if not torch.backends.mkldnn.is_available() or not all(  # type: ignore[no-untyped-call]
        hasattr(torch.ops.mkldnn, name) for name in (_ARRANGE, _MULTIPLY)
    ):
        return False
    for place, module in list(model.named_modules()):
        if type(module) is not nn.Linear:
            continue
        if module.weight.device.type != "cpu" or module.weight.dtype != torch.float32:
            continue
        folder, _, own = place.rpartition(".")
        parent: Any = model.get_submodule(folder)
        setattr(parent, own, PackedLinear(module))
    return True
