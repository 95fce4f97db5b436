"""Share one copy of a prompt's context among the beams of a T5.

All beams of a prompt look at the same encoded context, yet beam search copies it for each of them,
projects every copy, and moves the copies about whenever it sorts its beams.
Here the context is projected once a prompt, and its beams are so many queries to it.
"""

from typing import Any

import torch
from torch import nn
from transformers import DynamicCache, EncoderDecoderCache, PreTrainedModel
from transformers.models.t5.modeling_t5 import T5LayerCrossAttention


class SharedContext(EncoderDecoderCache):
    """A cache with one row of context for each prompt and one row of all else for each beam.

    Args:
        beams: of each prompt; they are neighbours.
    """

    def __init__(self, beams: int) -> None:
        super().__init__(DynamicCache(), DynamicCache())
        self.beams = beams

    def reorder_cache(self, beam_idx: torch.LongTensor) -> None:
        """Sort the beams; each stays with its prompt, so the contexts keep their places."""
        self.self_attention_cache.reorder_cache(beam_idx)


class _SharedAttention(nn.Module):
    """T5's attention to the context, shared with a ``SharedContext`` and unchanged without one."""

    def __init__(self, attention: Any) -> None:
        super().__init__()
        self.attention = attention

    def forward(
        self,
        hidden_states: torch.Tensor,
        mask: torch.Tensor | None = None,
        key_value_states: torch.Tensor | None = None,
        past_key_values: Any = None,
        **others: Any,
    ) -> Any:
        """Map (beams in all, tokens, width) to the same shape, beside two unused values."""
        if not isinstance(past_key_values, SharedContext):
            return self.attention(
                hidden_states,
                mask=mask,
                key_value_states=key_value_states,
                past_key_values=past_key_values,
                **others,
            )
        t5, beams = self.attention, past_key_values.beams
        assert key_value_states is not None
        prompts = len(key_value_states) // beams

        def heads(states: torch.Tensor) -> torch.Tensor:
            return states.view(prompts, -1, t5.n_heads, t5.key_value_proj_dim).transpose(1, 2)

        if not past_key_values.is_updated.get(t5.layer_idx):
            context = key_value_states[::beams]
            past_key_values.cross_attention_cache.update(
                heads(t5.k(context)), heads(t5.v(context)), t5.layer_idx
            )
            past_key_values.is_updated[t5.layer_idx] = True
        cached = past_key_values.cross_attention_cache.layers[t5.layer_idx]
        attended = nn.functional.scaled_dot_product_attention(
            heads(t5.q(hidden_states)),
            cached.keys,
            cached.values,
            attn_mask=None if mask is None else mask[::beams],
            scale=t5.scaling,
        )
        return t5.o(attended.transpose(1, 2).reshape(*hidden_states.shape[:-1], -1)), None, None


def share_context(model: PreTrainedModel) -> bool:
    """Let the beams of a T5 share their context, in place; False for any other architecture."""
    layers: list[Any] = [m for m in model.modules() if isinstance(m, T5LayerCrossAttention)]
    for layer in layers:
        layer.EncDecAttention = _SharedAttention(layer.EncDecAttention)
    return bool(layers)
