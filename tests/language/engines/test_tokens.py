"""Tests of tokens without transformers: equal to those with it, for every way that encoders ask."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from qsquared.language.checkpoints.weights import load_tokenizer
from qsquared.language.engines.tokens import Tokens
from tests.language.tiny_models import albert_qa, bert_qa, deberta_nli, roberta_nli

TEXTS = [
    "John wrote the long book in Paris in 1990.",
    "",
    "  ",
    "Is it [SEP] or </s>, or <mask>?",
    "\u65e5\u672c\u8a9e \U0001f600 caf\u00e9 \ufb01ne",
    "The capital of Italy is Rome, and the capital of France is Paris. " * 9,
]
FIRST = [first for first in TEXTS for _ in TEXTS]
SECOND = TEXTS * len(TEXTS)


def shipped(name: str) -> Path:
    """Return the folder of a shipped model."""
    return Path(__file__).parents[3] / "models" / name


@pytest.fixture(
    params=["bert", "albert", "roberta", "deberta", "compact-qa", "base-nli"],
    scope="module",
)
def both(request: Any, tmp_path_factory: Any) -> tuple[Any, Tokens]:
    """A tokenizer of transformers, and its equal as a conversion keeps it."""
    tiny = {"bert": bert_qa, "albert": albert_qa, "roberta": roberta_nli, "deberta": deberta_nli}
    make = tiny.get(request.param)
    folder = make(tmp_path_factory.mktemp("tiny")) if make else shipped(request.param)
    theirs = load_tokenizer(folder)
    found = Tokens.like(theirs)
    assert found is not None
    return theirs, Tokens(**json.loads(json.dumps(found.to_json())))


@pytest.mark.parametrize("segments", [True, False])
def test_windows_are_equal(both: tuple[Any, Tokens], segments: bool) -> None:
    """A reader's windows overlap, and know the bounds of their tokens."""
    asked = {
        "truncation": "only_second",
        "max_length": 40,
        "stride": 8,
        "return_overflowing_tokens": True,
        "return_offsets_mapping": True,
        "return_token_type_ids": segments,
    }
    questions = [text[:9] for text in FIRST]
    theirs, ours = (tokens(questions, SECOND, **asked) for tokens in both)
    assert dict(ours) == dict(theirs)
    for row in range(len(ours["input_ids"])):
        assert ours.tokens(row) == theirs.tokens(row)
        assert ours.sequence_ids(row) == theirs.sequence_ids(row)


def test_pairs_are_equal(both: tuple[Any, Tokens]) -> None:
    """As a classifier reads them, many at once or one, whole or cut."""
    theirs, ours = both
    for asked in (
        {"return_token_type_ids": True},
        {"return_token_type_ids": False},
        {"truncation": "longest_first", "max_length": 24, "return_token_type_ids": True},
    ):
        assert dict(ours(FIRST, SECOND, **asked)) == dict(theirs(FIRST, SECOND, **asked))
        for pair in zip(FIRST, SECOND, strict=True):
            assert dict(ours(*pair, **asked)) == dict(theirs(*pair, **asked))


@pytest.mark.parametrize("special", [True, False])
def test_lengths_are_equal(both: tuple[Any, Tokens], special: bool) -> None:
    """A single text, with or without the tokens around it."""
    for text in TEXTS:
        theirs, ours = (
            tokens(text, add_special_tokens=special, verbose=False)["input_ids"] for tokens in both
        )
        assert ours == theirs


@pytest.mark.parametrize("multiple", [1, 16])
def test_padding_is_equal(both: tuple[Any, Tokens], multiple: int) -> None:
    """Ids, mask and segments, of the same kind of number and as many."""
    encoded = both[0](TEXTS, return_token_type_ids=True)
    theirs, ours = (
        tokens.pad(
            dict(encoded),
            padding_side="right",
            pad_to_multiple_of=multiple,
            return_tensors="np",
        )
        for tokens in both
    )
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        assert array.dtype == theirs[name].dtype
        assert array.shape[1] % multiple == 0
        assert (array == theirs[name]).all()


def test_named_tokens_are_equal(both: tuple[Any, Tokens]) -> None:
    """The token before the texts, and the one between them."""
    theirs, ours = both
    assert (ours.cls_token_id, ours.sep_token) == (theirs.cls_token_id, theirs.sep_token)


def test_a_tokenizer_in_python_has_no_equal() -> None:
    """Then transformers is asked."""

    class Slow:
        is_fast = False

    assert Tokens.like(Slow()) is None
