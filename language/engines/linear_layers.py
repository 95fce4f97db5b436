"""Linear layers in bfloat16, for models that run on torch.

Nearly all arithmetic of an encoder is in its linear layers, and only these are exchanged; the
residual stream, attention, norms and the head that decides stay in float32.
A reader and a judge leave what is nearly a tie to the model in float32: else rounding would choose.
Each row of a product depends on its own token alone, so neighbours in a batch change no score.

torch's own product arranges the weights anew in every call.
A decoder multiplies all its weights for a few tokens at a time, so that this takes up to half of its time:
packed layers have their weights in memory as the processor reads them.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import torch
from torch import nn
from transformers.activations import NewGELUActivation

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_HEADS = frozenset({"qa_outputs", "classifier", "lm_head"})
"""Heads, which turn the last layer into logits: small, and decisive for near ties."""


class Bf16Linear(nn.Module):
    """A linear layer that multiplies in bfloat16 and adds its bias in float32.

    Args:
        linear: the layer to replace.
    """

    weight: torch.Tensor
    bias: torch.Tensor | None

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.register_buffer("weight", linear.weight.detach().to(torch.bfloat16))
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach())

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Map (…, inputs) to (…, outputs), float32."""
        product = nn.functional.linear(tokens.to(torch.bfloat16), self.weight).to(torch.float32)
        return product if self.bias is None else product.add_(self.bias)


def in_bf16(model: PreTrainedModel) -> PreTrainedModel:
    """Return a copy of a float32 model with its linear layers exchanged; its heads stay as they are.

    Both share all weights that are not exchanged.
    The slow form of an activation, of as much work as a product in low precision, is exchanged for
    the same function in one step.
    """
    shared = {id(weight): weight for weight in (*model.parameters(), *model.buffers())}
    lower = copy.deepcopy(model, shared)
    # First all names: a shared layer has several places, and is listed once.
    for path, module in list(lower.named_modules()):
        other: nn.Module
        if isinstance(module, nn.Linear) and _HEADS.isdisjoint(path.split(".")):
            other = Bf16Linear(module)
        elif isinstance(module, NewGELUActivation):
            other = nn.GELU(approximate="tanh")
        else:
            continue
        lower.set_submodule(path, other)
    return lower


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
    for path, module in list(model.named_modules()):
        if type(module) is not nn.Linear:
            continue
        if module.weight.device.type != "cpu" or module.weight.dtype != torch.float32:
            continue
        model.set_submodule(path, PackedLinear(module))
    return True
