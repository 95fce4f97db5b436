"""Cutting long texts at sentence bounds."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.language.long_texts import context_around, pack_sentences, split_sentences

TEXTS = st.text(alphabet='ab. !?\n"é', max_size=60)


def test_sentences_end_at_marks_with_their_quotes_and_at_line_breaks() -> None:
    """Closing quotes belong to their sentence, and a line break ends one."""
    text = 'He said "No!" Then he left.\n\n  Why? 3.5 km away'
    found = [text[a:b].strip() for a, b in split_sentences(text)]
    assert found == ['He said "No!"', "Then he left.", "Why?", "3.5 km away"]


@given(text=TEXTS, longest=st.integers(1, 30))
def test_packing_loses_no_character_and_keeps_to_the_bound(text: str, longest: int) -> None:
    """Pieces fit, follow one another, and hold everything but white space."""
    pieces = pack_sentences(text, lambda piece: len(piece) <= longest)
    assert all(b - a <= longest for a, b in pieces)
    assert all(first[1] <= second[0] for first, second in pairwise(pieces))
    assert "".join("".join(text[a:b].split()) for a, b in pieces) == "".join(text.split())


@given(text=TEXTS, longest=st.integers(1, 40), data=st.data())
def test_a_context_holds_its_span_or_is_none(text: str, longest: int, data: st.DataObject) -> None:
    """The context contains the span and fits; there is none only if the span alone does not fit."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    bounds = context_around(text, start, end, lambda piece: len(piece) <= longest)
    if bounds is None:
        assert end - start > longest
    else:
        assert bounds[0] <= start <= end <= bounds[1]
        assert bounds[1] - bounds[0] <= longest


@pytest.mark.parametrize(
    ("longest", "kept"), [(9, "Two two."), (18, "Two two. Three th."), (99, None)]
)
def test_a_context_grows_by_whole_sentences(longest: int, kept: str | None) -> None:
    """As many whole sentences as fit are kept, the following before the preceding."""
    text = "One one o. Two two. Three th. Four four."
    bounds = context_around(text, 11, 14, lambda piece: len(piece) <= longest)
    assert bounds is not None
    assert text[slice(*bounds)] == (kept or text)
