"""Tokens of texts without transformers, which takes seconds to import and is slower besides.

transformers hands texts to the library tokenizers in one fixed way; this is that way, for as much of
it as encoders need, with the tokenizer as transformers had set it up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

Texts = str | Sequence[str]


_SETTINGS = (
    "cls_token_id", "sep_token", "pad_token_id", "pad_token_type_id", "truncation_side",
    "split_special_tokens",
)  # fmt: skip
"""The settings of a tokenizer that transformers keeps beside it."""


class Tokens:
    """A tokenizer that is called as those of transformers are, and gives equal tokens.

    Args:
        rules: the tokenizer as the library tokenizers writes it.
        settings: those beside it: the tokens before, between and after texts, and how texts are cut.
    """

    def __init__(self, rules: str, settings: Mapping[str, Any]) -> None:
        self._rules = rules
        self._settings = settings
        self.cls_token_id: int | None = settings["cls_token_id"]
        self.sep_token: str | None = settings["sep_token"]
        self._tokenizer = Tokenizer.from_str(rules)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._tokenizer.encode_special_tokens = settings["split_special_tokens"]

    @classmethod
    def like(cls, tokenizer: Any) -> Tokens | None:
        """Return the equal of a tokenizer of transformers; ``None`` if that is written in Python."""
        if not tokenizer.is_fast:
            return None
        settings = {name: getattr(tokenizer, name) for name in _SETTINGS}
        return cls(tokenizer.backend_tokenizer.to_str(), settings)

    def to_json(self) -> dict[str, Any]:
        """Return the arguments of this class as JSON."""
        return {"rules": self._rules, "settings": self._settings}

    def __call__(
        self,
        text: Texts,
        pair: Texts | None = None,
        *,
        add_special_tokens: bool = True,
        truncation: str | None = None,
        max_length: int | None = None,
        stride: int = 0,
        return_overflowing_tokens: bool = False,
        return_offsets_mapping: bool = False,
        return_token_type_ids: bool = False,
        verbose: bool = True,  # noqa: ARG002 - of transformers, which warns of long texts
    ) -> Tokenized:
        """Return the tokens of a text, of each text, or of each pair of texts.

        Args:
            text: one, or a list.
            pair: likewise as many; one that is empty is left out.
            add_special_tokens: such as [CLS].
            truncation: ``only_second`` or ``longest_first``; without it nothing is cut.
            max_length: in tokens, with ``truncation``.
            stride: tokens that a part repeats of the one before it.
            return_overflowing_tokens: whether what is cut off makes parts of its own.
            return_offsets_mapping: whether each token has its bounds in its text.
            return_token_type_ids: whether each token has the number of its text.
            verbose: has no meaning here.
        """
        single = isinstance(text, str)
        if single:
            rows: Sequence[Any] = [(text, pair)] if pair else [text]
        else:
            rows = text if pair is None else list(zip(text, pair, strict=True))
        self._cut_at(truncation, max_length, stride)
        whole = self._tokenizer.encode_batch(rows, add_special_tokens=add_special_tokens)
        parts = [
            (row, part)
            for row, first in enumerate(whole)
            for part in (first, *(first.overflowing if return_overflowing_tokens else ()))
        ]
        columns: dict[str, list[Any]] = {
            "input_ids": [part.ids for _, part in parts],
            "attention_mask": [part.attention_mask for _, part in parts],
        }
        if return_token_type_ids:
            columns["token_type_ids"] = [part.type_ids for _, part in parts]
        if return_offsets_mapping:
            columns["offset_mapping"] = [part.offsets for _, part in parts]
        if return_overflowing_tokens:
            columns["overflow_to_sample_mapping"] = [row for row, _ in parts]
        elif single:
            columns = {name: values[0] for name, values in columns.items()}
        return Tokenized(columns, [part for _, part in parts])

    def _cut_at(self, truncation: str | None, max_length: int | None, stride: int) -> None:
        if truncation is None or max_length is None:
            if self._tokenizer.truncation is not None:
                self._tokenizer.no_truncation()
            return
        self._tokenizer.enable_truncation(
            max_length,
            stride=stride,
            strategy=truncation,
            direction=self._settings["truncation_side"],
        )

    def pad(
        self,
        rows: Mapping[str, list[list[int]]],
        *,
        padding_side: str = "right",  # noqa: ARG002 - of transformers; encoders have no other
        pad_to_multiple_of: int = 1,
        return_tensors: str = "np",  # noqa: ARG002 - likewise
    ) -> dict[str, NDArray[np.int64]]:
        """Return rows of unequal length as arrays that are filled at the right."""
        longest = max(len(row) for row in rows["input_ids"])
        longest += -longest % pad_to_multiple_of
        fill = {
            "input_ids": self._settings["pad_token_id"] or 0,
            "token_type_ids": self._settings["pad_token_type_id"],
        }
        padded = {}
        for name, column in rows.items():
            array = np.full((len(column), longest), fill.get(name, 0), dtype=np.int64)
            for line, row in zip(array, column, strict=True):
                line[: len(row)] = row
            padded[name] = array
        return padded


class Tokenized(dict[str, Any]):
    """Lists by name, one for each row or part of one, and the tokens of each."""

    def __init__(self, columns: Mapping[str, Any], parts: Sequence[Encoding]) -> None:
        super().__init__(columns)
        self._parts = parts

    def tokens(self, index: int) -> list[str]:
        """Return the tokens of a row or part as texts."""
        return self._parts[index].tokens

    def sequence_ids(self, index: int) -> list[int | None]:
        """Return for each token the number of its text; ``None`` for one that stands between texts."""
        return self._parts[index].sequence_ids
