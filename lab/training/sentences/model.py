"""The network of `sentence_network.py` in torch, and its export."""

import json
from collections.abc import Sequence

import numpy as np
import torch
from safetensors.numpy import load, save
from torch import Tensor, nn

from qsquared.method.plain.sentence_network import (
    FLAGS,
    HEAD,
    PADDING,
    SPECIAL,
    UNKNOWN,
    WIDTHS,
    Indices,
)

_FILTERS = {1: 48, 2: 64, 3: 64, 5: 48}
_LAYERS = {f"width{width}": f"convolutions.{width}" for width in WIDTHS} | {
    name: name for name in ("head", "kinds", "near", "whole", "far")
}
"""Names of matrices in the file, and of the layers that they belong to."""
_HEAD_UNITS, _NEAR, _TAGS, _OWN = 64, 48, 3, 24
_FORGOTTEN = 0.25
"""The share of own vectors that are left out in training."""


class SentenceNet(nn.Module):
    """Vectors of words, of which one part was trained elsewhere; convolutions; kinds and tags."""

    def __init__(self, vectors: Tensor, own: int, kinds: int) -> None:
        """Take the fixed vectors [words + 3, size], the number of own vectors, and that of kinds."""
        super().__init__()
        self.fixed = nn.Embedding.from_pretrained(vectors, freeze=True)  # type: ignore[no-untyped-call]
        self.own = nn.Embedding(own, _OWN, padding_idx=0)
        nn.init.normal_(self.own.weight, 0, 0.1)
        size = vectors.shape[1] + _OWN + FLAGS
        self.convolutions = nn.ModuleDict(
            {str(width): nn.Conv1d(size, _FILTERS[width], width) for width in WIDTHS}
        )
        self.head = nn.Linear(HEAD * size, _HEAD_UNITS)
        pooled = sum(_FILTERS.values()) + _HEAD_UNITS
        self.kinds = nn.Linear(pooled + 4, kinds)
        self.near = nn.Conv1d(size, _NEAR, 5, padding=2)
        self.whole = nn.Linear(pooled, _NEAR)
        self.far = nn.Conv1d(_NEAR, _TAGS, 9, padding=4)
        self.dropped = nn.Dropout(0.4)

    def forward(
        self, fixed: Tensor, own: Tensor, flags: Tensor, lengths: Tensor, sizes: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the logits of kinds [batch, kinds] and of tags [batch, tokens, 3]."""
        if self.training:
            # Else a word that no talk to learn from has would tell a claim.
            forgotten = (torch.rand(own.shape) < _FORGOTTEN) & (own >= SPECIAL)
            own = own.masked_fill(forgotten, UNKNOWN)
        inputs = torch.cat([self.fixed(fixed), self.own(own), flags], 2)
        inputs = nn.functional.dropout(inputs, 0.15, self.training)
        across = inputs.transpose(1, 2)
        # Nothing behind a sentence counts, however long the others of its batch are.
        behind = torch.arange(inputs.shape[1])[None] >= sizes[:, None]
        pooled = []
        for width, layer in self.convolutions.items():
            windows = torch.relu(layer(across))
            pooled.append(windows.masked_fill(behind[:, None, int(width) - 1 :], 0.0).max(2).values)
        lacking = max(0, HEAD + PADDING - inputs.shape[1])
        begin = nn.functional.pad(inputs, (0, 0, 0, lacking))[:, PADDING : PADDING + HEAD]
        features = torch.cat([*pooled, torch.relu(self.head(begin.flatten(1)))], 1)
        kinds = self.kinds(torch.cat([self.dropped(features), lengths], 1))
        inner = torch.relu(self.near(across) + self.whole(features)[:, :, None])
        inner = inner.masked_fill(behind[:, None], 0.0)
        tags = self.far(inner)[:, :, PADDING:-PADDING].transpose(1, 2)
        return kinds, tags


def batch(rows: Sequence[Indices]) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Return sentences as tensors, padded to the longest one."""
    size = max(len(row.fixed) for row in rows)
    fixed, own = np.zeros((len(rows), size), np.int64), np.zeros((len(rows), size), np.int64)
    flags = np.zeros((len(rows), size, FLAGS), np.float32)
    for number, row in enumerate(rows):
        fixed[number, : len(row.fixed)] = row.fixed
        own[number, : len(row.own)] = row.own
        flags[number, : len(row.flags)] = row.flags
    lengths = np.stack([row.lengths for row in rows])
    sizes = torch.tensor([len(row.fixed) for row in rows])
    return torch.tensor(fixed), torch.tensor(own), torch.tensor(flags), torch.tensor(lengths), sizes


def exported(net: SentenceNet, settings: dict[str, list[str]], heat: float) -> bytes:
    """Return the weights as `sentence_network.py` reads them: matrices as int8, one scale a row."""
    state = {name: value.detach().numpy() for name, value in net.state_dict().items()}
    found: dict[str, np.ndarray] = {}
    for name in ("fixed", "own"):
        _store(found, name, state[f"{name}.weight"])
    for name, layer in _LAYERS.items():
        weight = state[f"{layer}.weight"]
        # A convolution [filters, inputs, width] over windows that are laid out token by token.
        flat = (
            weight.transpose(2, 1, 0).reshape(-1, weight.shape[0]) if weight.ndim == 3 else weight.T
        )
        _store(found, f"{name}.weight", flat)
        found[f"{name}.bias"] = state[f"{layer}.bias"].astype(np.float32)
    found["settings"] = np.frombuffer(json.dumps(settings, ensure_ascii=False).encode(), np.uint8)
    found["heat"] = np.array([heat], np.float32)
    return save(found)


def _store(found: dict[str, np.ndarray], name: str, matrix: np.ndarray) -> None:
    scale = np.maximum(np.abs(matrix).max(axis=1), 1e-8) / 127
    # A transposed view would be stored in the order of its memory.
    found[name] = np.ascontiguousarray(np.round(matrix / scale[:, None]).astype(np.int8))
    found[f"{name}.scale"] = scale.astype(np.float32)


def loaded(content: bytes) -> tuple[SentenceNet, dict[str, list[str]]]:
    """Return the network of a file that `exported` gave, to train it further, and its words."""
    arrays = load(content)
    settings = json.loads(arrays["settings"].tobytes())
    matrices = {
        name: torch.tensor((arrays[name] * arrays[f"{name}.scale"][:, None]).astype(np.float32))
        for name in arrays
        if f"{name}.scale" in arrays
    }
    net = SentenceNet(matrices["fixed"], len(matrices["own"]), len(settings["kinds"]))
    state = {"fixed.weight": matrices["fixed"], "own.weight": matrices["own"]}
    for name, layer in _LAYERS.items():
        shape = net.state_dict()[f"{layer}.weight"].shape
        flat = matrices[f"{name}.weight"]
        folded = (
            flat.reshape(shape[2], shape[1], shape[0]).permute(2, 1, 0)
            if len(shape) == 3
            else flat.T
        )
        state[f"{layer}.weight"] = folded.contiguous()
        state[f"{layer}.bias"] = torch.tensor(arrays[f"{name}.bias"])
    net.load_state_dict(state)
    return net, settings


def averaged(contents: Sequence[bytes]) -> tuple[SentenceNet, dict[str, list[str]]]:
    """Return the mean of networks with equal words, such as several that were trained further from one.

    Raises:
        ValueError: their words differ.
    """
    nets, settings = zip(*map(loaded, contents), strict=True)
    if any(other != settings[0] for other in settings):
        raise ValueError("networks with different words have no mean: give those of one training")
    states = [net.state_dict() for net in nets]
    mean = {name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]}
    nets[0].load_state_dict(mean)
    return nets[0], settings[0]
