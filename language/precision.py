"""Linear layers in lower precision: bfloat16, or int8 with activation scales for each token.

Nearly all arithmetic of an encoder is in its linear layers, and only these are exchanged; the
residual stream, attention, norms and the head that decides stay in float32.
Each row of a product depends on its own token alone, so neighbours in a batch change no score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from qsquared.errors import ModelError
from qsquared.profiles import Precision

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_LEVELS = 127
_SMALLEST = 1e-12
_PART = 1024
"""Most values of a token that share a scale."""
_HEADS = frozenset({"qa_outputs", "classifier", "lm_head"})
"""What turns the last layer into logits; small, and near ties are decided there."""


class Bf16Linear(nn.Module):
    """A linear layer that multiplies in bfloat16 and adds its bias in float32.

    Args:
        linear: the layer to stand in for.
    """

    weight: torch.Tensor
    bias: torch.Tensor | None

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.register_buffer("weight", linear.weight.detach().to(torch.bfloat16))
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach())

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """(…, inputs) to (…, outputs), float32."""
        product = nn.functional.linear(tokens.to(torch.bfloat16), self.weight).to(torch.float32)
        return product if self.bias is None else product.add_(self.bias)


class Int8Linear(nn.Module):
    """A linear layer that multiplies int8 by int8 and sums in int32.

    A token's values are taken from the middle of their range, in steps of a 254th of it; a long token
    has a range for each part of it.
    Each output has a step of its own for its row of weights, their largest magnitude / 127.

    Args:
        linear: the layer to stand in for.
    """

    weight: torch.Tensor
    sums: torch.Tensor
    scale: torch.Tensor
    bias: torch.Tensor

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        weight = linear.weight.detach()
        scale = weight.abs().amax(dim=1).clamp_(min=_SMALLEST).div_(_LEVELS)
        rounded = (weight / scale[:, None]).round_()
        parts = _parts(weight.shape[1])
        # (parts, inputs of a part, outputs): the order in which the product reads it.
        columns = rounded.t().reshape(parts, -1, weight.shape[0])
        bias = torch.zeros_like(scale) if linear.bias is None else linear.bias.detach()
        self.register_buffer("weight", columns.to(torch.int8).contiguous())
        # What a token's middle, the same for all inputs, adds to each output.
        self.register_buffer("sums", columns.sum(dim=1) * scale)
        self.register_buffer("scale", scale)
        self.register_buffer("bias", bias)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """(…, inputs) to (…, outputs), float32."""
        rows = tokens.reshape(-1, tokens.shape[-1])
        total = self.bias.expand(len(rows), -1)
        width = self.weight.shape[1]
        for part, weight in enumerate(self.weight):
            values = rows[:, part * width : (part + 1) * width]
            least, most = values.amin(1, keepdim=True), values.amax(1, keepdim=True)
            middle = (least + most).div_(2)
            step = (most - least).clamp_(min=_SMALLEST).div_(2 * _LEVELS)
            rounded = (values - middle).div_(step).round_().to(torch.int8)
            product = torch._int_mm(rounded, weight).to(torch.float32).mul_(step)  # noqa: SLF001
            # Not as one product of matrices: its sums could depend on the number of rows.
            total = torch.addcmul(total, product, self.scale).addcmul_(middle, self.sums[part])
        return total.view(*tokens.shape[:-1], -1)


def _parts(inputs: int) -> int:
    """The fewest parts of equal width, at most ``_PART`` each."""
    return next(n for n in range(-(-inputs // _PART), inputs + 1) if inputs % n == 0)


def lower_precision(model: PreTrainedModel, precision: Precision, device: str, name: str) -> None:
    """Exchange the linear layers of a model in place; its heads stay as they are.

    Args:
        model: float32, on the CPU or wherever it will run.
        precision: ``fp32`` changes nothing.
        device: where the model runs.
        name: what errors call it.

    Raises:
        ModelError: the device or processor cannot multiply int8 exactly.
    """
    if precision == "fp32":
        return
    if precision == "int8":
        _require_int8(device, name)
    kind = Bf16Linear if precision == "bf16" else Int8Linear
    # First all names: a shared layer stands in several places, and comes once.
    for place, module in list(model.named_modules()):
        if isinstance(module, nn.Linear) and _HEADS.isdisjoint(place.split(".")):
            folder, _, own = place.rpartition(".")
            parent: Any = model.get_submodule(folder)
            setattr(parent, own, kind(module))


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
    """Whether sums of the largest products come out right; some processors saturate at 16 bits."""
    signs = torch.tensor([1, 1, -1, 1], dtype=torch.int8).repeat(64)
    largest = (signs * _LEVELS).to(torch.int8)
    rows = torch.stack([largest, torch.full_like(largest, _LEVELS)]).repeat(16, 1)
    columns = torch.stack([largest, torch.full_like(largest, -_LEVELS)]).repeat(8, 1).t()
    found = torch._int_mm(rows, columns.contiguous())  # noqa: SLF001
    return torch.equal(found, rows.to(torch.int32) @ columns.to(torch.int32))
