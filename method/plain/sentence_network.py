"""A small convolutional network over the words of a sentence: its kind, and the words around its claim.

Its weights are trained by `python -m lab.training.sentences`.
Each word has a vector of its own; a word that the network has not seen has that of unknown words.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load

Matrix = NDArray[np.float32]

UNKNOWN, NUMBER, SPECIAL = 1, 2, 3
"""Rows of unknown words and of numbers in the tables of vectors, and how many rows come before words; 0 is padding."""
FLAGS, EDGE, PADDING, HEAD = 5, 4, 2, 6
"""Flags of a word (the last one marks the ends), its index, tokens of padding at each end, tokens of the head."""
WIDTHS = (1, 2, 3, 5)
_LONGEST, _LAST = 64, 16
"""Of a longer sentence its first tokens are read, and so many of its last ones."""
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,:]\d+)*|\S")
_STRAIGHT = str.maketrans("’‘“”`", "''\"\"'")


def tokens(text: str) -> list[re.Match[str]]:
    """Return the words, numbers and marks of a sentence."""
    return list(_TOKEN.finditer(text))


@dataclass(frozen=True, slots=True)
class Indices:
    """Rows of words in the two tables of vectors, [tokens + 4]; flags of words [tokens + 4, 5]; lengths [4]."""

    fixed: NDArray[np.intp]
    own: NDArray[np.intp]
    flags: Matrix
    lengths: Matrix


def indices(words: list[str], fixed: Mapping[str, int], own: Mapping[str, int]) -> Indices:
    """Return words as the rows and flags that the network reads.

    Args:
        words: the tokens of a sentence, at least one.
        fixed: rows of words whose vectors were trained elsewhere.
        own: rows of words with vectors of this network.
    """
    if len(words) > _LONGEST:
        words = words[: _LONGEST - _LAST] + words[-_LAST:]
    size = len(words) + 2 * PADDING
    fixed_rows, own_rows = np.zeros(size, np.intp), np.zeros(size, np.intp)
    flags = np.zeros((size, FLAGS), np.float32)
    for position, word in enumerate(words, start=PADDING):
        low = word.translate(_STRAIGHT).lower()
        number = word[0].isdigit()
        fixed_rows[position] = NUMBER if number else fixed.get(low, UNKNOWN)
        own_rows[position] = NUMBER if number else own.get(low, UNKNOWN)
        first = position == PADDING
        capitals = len(word) > 1 and word.isupper()
        flags[position, :EDGE] = (
            word[0].isupper() and not first, capitals, fixed_rows[position] == UNKNOWN, first,
        )  # fmt: skip
    flags[PADDING - 1, EDGE] = flags[len(words) + PADDING, EDGE] = 1
    length = len(words)
    lengths = np.array([np.log1p(length) / 3, length < 4, length > 15, length > 25], np.float32)
    return Indices(fixed_rows, own_rows, flags, lengths)


@dataclass(frozen=True, slots=True)
class Judged:
    """The probabilities of the kinds of a sentence, and of the tags of its tokens as logarithms [tokens, 3]."""

    kinds: dict[str, float]
    tags: Matrix


class Network:
    """The network with its weights: matrices by name, and words in the order of their rows."""

    def __init__(
        self, weights: Mapping[str, Matrix], settings: Mapping[str, list[str]], heat: float
    ) -> None:
        """Take the weights, and the words with vectors: `fixed` ones were learnt from, `common` ones were not.

        ``heat`` divides the logits of the kinds, by which probabilities are calibrated.
        """
        self._weights, self._kinds, self._heat = weights, settings["kinds"], heat
        fixed = (*settings["fixed"], *settings["common"])
        self._fixed = {word: row for row, word in enumerate(fixed, start=SPECIAL)}
        self._own = {word: row for row, word in enumerate(settings["own"], start=SPECIAL)}

    def known(self, words: list[str]) -> float:
        """Return the share of words that have a vector, all of them English ones; 1 where there are none."""
        found = [word.translate(_STRAIGHT).lower() in self._fixed for word in words]
        return sum(found) / len(found) if found else 1.0

    def judge(self, words: list[str]) -> Judged:
        """Return the network's kinds and tags of the words of a sentence, at least one."""
        read = indices(words, self._fixed, self._own)
        table, own = self._weights["fixed"], self._weights["own"]
        inputs = np.concatenate([table[read.fixed], own[read.own], read.flags], axis=1)
        pooled = [
            _rectified(self._convolved(inputs, f"width{width}", width)).max(axis=0)
            for width in WIDTHS
        ]
        head = np.zeros((HEAD, inputs.shape[1]), np.float32)
        begin = inputs[PADDING : PADDING + HEAD]
        head[: len(begin)] = begin
        features = np.concatenate([*pooled, _rectified(self._linear("head", head.reshape(-1)))])
        logits = self._linear("kinds", np.concatenate([features, read.lengths])) / self._heat
        shares = np.exp(logits - logits.max())
        chances = zip(self._kinds, shares / shares.sum(), strict=True)
        kinds = {kind: float(chance) for kind, chance in chances}
        return Judged(kinds, self._tags(inputs, features))

    def _tags(self, inputs: Matrix, features: Matrix) -> Matrix:
        whole = self._linear("whole", features)
        inner = _rectified(self._convolved(inputs, "near", 5, 2) + whole)
        logits = self._convolved(inner, "far", 9, 4)[PADDING:-PADDING]
        # SciPy has this in one call, and takes 0.2 s of every start to import.
        less = logits - logits.max(axis=1, keepdims=True)
        logs: Matrix = less - np.log(np.exp(less).sum(axis=1, keepdims=True))
        return logs

    def _convolved(self, inputs: Matrix, name: str, width: int, margin: int = 0) -> Matrix:
        padded = np.pad(inputs, ((margin, margin), (0, 0)))
        views = np.lib.stride_tricks.sliding_window_view(padded, width, axis=0)
        return self._linear(name, views.transpose(0, 2, 1).reshape(len(views), -1))

    def _linear(self, name: str, inputs: Matrix) -> Matrix:
        outputs: Matrix = inputs @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return outputs


def _rectified(values: Matrix) -> Matrix:
    return np.maximum(values, 0)


def unpacked(content: bytes) -> Network:
    """Return the network of a safetensors file, whose matrices are stored as int8 with one scale a row.

    Its entry ``settings`` holds the words and kinds as JSON.
    """
    arrays = load(content)
    settings = json.loads(arrays.pop("settings").tobytes())
    heat = float(arrays.pop("heat")[0])
    weights = {
        name: (
            array * arrays[f"{name}.scale"][:, None] if f"{name}.scale" in arrays else array
        ).astype(np.float32)
        for name, array in arrays.items()
        if not name.endswith(".scale")
    }
    return Network(weights, settings, heat)
