"""The arithmetic in which a device trains and judges fastest."""

from functools import lru_cache
from time import perf_counter

import torch


@lru_cache(maxsize=1)
def bf16_is_faster() -> bool:
    """Return whether the device multiplies bfloat16 faster than float32, which is tried on a processor.

    Some emulate it, and take a hundred times as long; some multiply it, and take as long with the casts.
    """
    if torch.cuda.is_available():
        return True
    if not torch.cpu.get_capabilities().get("avx512_bf16"):
        return False
    seconds = {kind: _seconds_of_products(kind) for kind in (torch.float32, torch.bfloat16)}
    return seconds[torch.bfloat16] < 0.7 * seconds[torch.float32]


def _seconds_of_products(kind: torch.dtype) -> float:
    """Return the least seconds of a product of the size of a layer's, of four."""
    rows, weights = torch.ones(2048, 384, dtype=kind), torch.ones(1536, 384, dtype=kind)

    def seconds() -> float:
        begin = perf_counter()
        torch.nn.functional.linear(rows, weights)
        return perf_counter() - begin

    return min(seconds() for _ in range(4))
