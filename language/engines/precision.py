"""Linear layers in lower precision: bfloat16, or int8 with activation scales for each token.

Nearly all arithmetic of an encoder is in its linear layers, and only these are exchanged; the
residual stream, attention, norms and the head that decides stay in float32.
A reader and a judge leave what is nearly a tie to the model in float32: else rounding would choose.
Each row of a product depends on its own token alone, so neighbours in a batch change no score.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from transformers.activations import NewGELUActivation

from qsquared.errors import ModelError
from qsquared.profiles.parameters import Precision

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_LEVELS = 127
_SMALLEST = 1e-12
_PART = 2048
"""Most values of a token that share a scale."""
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


class Int8Linear(nn.Module):
    """A linear layer that multiplies bytes by int8 and sums in int32.

    A token's values are counted from the least of them, in steps of a 254th of their range; a long
    token has a range for each part of it.
    Each output has a step of its own for its row of weights, their largest magnitude / 127.
    The weights are kept in the order in which the processor multiplies them.

    Args:
        linear: the layer to replace.
    """

    weight = None
    """T5 looks for it, to suit its input to its type."""
    sums: torch.Tensor
    scale: torch.Tensor
    bias: torch.Tensor
    zeros: torch.Tensor

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        weight = linear.weight.detach()
        scale = weight.abs().amax(dim=1).clamp_(min=_SMALLEST).div_(_LEVELS)
        parts = (weight / scale[:, None]).round_().chunk(_parts(weight.shape[1]), dim=1)
        bias = torch.zeros_like(scale) if linear.bias is None else linear.bias.detach()
        self.packed = [pack_rows(part.to(torch.int8)) for part in parts]
        # What a token's least value, the same for all inputs, adds to each output.
        self.register_buffer("sums", torch.stack([part.sum(dim=1) for part in parts]) * scale)
        self.register_buffer("scale", scale)
        self.register_buffer("bias", bias)
        self.register_buffer("zeros", torch.zeros(len(scale), dtype=torch.int64))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Map (…, inputs) to (…, outputs), float32."""
        rows = tokens.reshape(-1, tokens.shape[-1])
        total = self.bias
        for part, values in enumerate(rows.chunk(len(self.packed), dim=1)):
            least = values.amin(1, keepdim=True)
            step = values.amax(1, keepdim=True).sub_(least).clamp_(min=_SMALLEST).div_(2 * _LEVELS)
            # A byte is cut to whole steps, so half of one more rounds it.
            counted = torch.addcmul(0.5 - least / step, values, step.reciprocal()).to(torch.uint8)
            product = multiply_bytes(counted, self.packed[part], self.scale, self.zeros)
            # Not as one product of matrices: its sums could depend on the number of rows.
            total = torch.addcmul(total, product, step, out=product)
            total.addcmul_(least, self.sums[part])
        return total.view(*tokens.shape[:-1], -1)


def pack_rows(weight: torch.Tensor) -> torch.Tensor:
    """Return int8 (outputs, inputs) in the order that the processor's library expects."""
    packed: torch.Tensor = torch.ops.onednn.qlinear_prepack(weight.contiguous(), None)
    return packed


def multiply_bytes(
    rows: torch.Tensor, packed: torch.Tensor, scale: torch.Tensor, zeros: torch.Tensor
) -> torch.Tensor:
    """Multiply bytes (rows, inputs) to float32 (rows, outputs): whole sums, times each output's scale."""
    product: torch.Tensor = torch.ops.onednn.qlinear_pointwise(
        rows, 1.0, 0, packed, scale, zeros, None, 1.0, 0, torch.float32, "none", [], ""
    )
    return product


def _parts(inputs: int) -> int:
    """Return the fewest parts of equal width, at most ``_PART`` each."""
    return next(n for n in range(-(-inputs // _PART), inputs + 1) if inputs % n == 0)


def in_lower_precision(
    model: PreTrainedModel, precision: Precision, device: str, name: str
) -> PreTrainedModel:
    """Return a copy of the model with its linear layers exchanged; its heads stay as they are.

    Both share all weights that are not exchanged.
    The slow form of an activation, of as much work as a product in low precision, is exchanged for
    the same function in one step.

    Args:
        model: float32, where it will run.
        precision: a lower one.
        device: where the model runs.
        name: what errors call it.

    Raises:
        ModelError: the device or processor cannot multiply int8 exactly.
    """
    if precision == "int8":
        _require_int8(device, name)
    kind = Bf16Linear if precision == "bf16" else Int8Linear
    shared = {id(weight): weight for weight in (*model.parameters(), *model.buffers())}
    lower = copy.deepcopy(model, shared)
    # First all names: a shared layer has several places, and is listed once.
    for place, module in list(lower.named_modules()):
        other: nn.Module
        if isinstance(module, nn.Linear) and _HEADS.isdisjoint(place.split(".")):
            other = kind(module)
        elif isinstance(module, NewGELUActivation):
            other = nn.GELU(approximate="tanh")
        else:
            continue
        folder, _, own = place.rpartition(".")
        parent: Any = lower.get_submodule(folder)
        setattr(parent, own, other)
    return lower


def _require_int8(device: str, name: str) -> None:
    hint = "Use a profile in bf16 or fp32."
    if torch.device(device).type != "cpu":
        raise ModelError(f"The profile has {name} in int8, which is made for CPUs only.", hint)
    if not _is_exact():
        raise ModelError(
            f"The profile has {name} in int8, and this processor does not multiply int8 exactly.",
            hint,
        )


def _is_exact() -> bool:
    """Whether sums of the largest products are exact; some processors saturate at 16 bits."""
    signs = torch.tensor([1, 1, -1, 1], dtype=torch.int8).repeat(64)
    weight = torch.stack([signs * _LEVELS, torch.full_like(signs, -_LEVELS)]).repeat(8, 1)
    rows = torch.full((32, len(signs)), 2 * _LEVELS, dtype=torch.uint8)
    one, zero = torch.ones(len(weight)), torch.zeros(len(weight), dtype=torch.int64)
    try:
        found = multiply_bytes(rows, pack_rows(weight), one, zero)
    except (RuntimeError, AttributeError):
        return False  # torch was built without this product
    return torch.equal(found, (rows.to(torch.int32) @ weight.to(torch.int32).t()).to(torch.float32))
