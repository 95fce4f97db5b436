"""Tests that the segments of a marked text add up to the text."""

from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.q2.explaining.attribution import GRAVITY
from qsquared.method.q2.explaining.parts import Segment, cut, shorten

TEXT = "A checked bag may weigh up to 28 kilograms."


def test_marks_cut_the_text_and_the_gravest_shows():
    """Of two overlapping marks, a contradiction hides the supported one."""
    marks = [(2, 13, "supported"), (10, 13, "contradicted"), (24, 42, "no_answer")]
    assert cut(TEXT, marks) == [
        Segment("A "),
        Segment("checked ", "supported"),
        Segment("bag", "contradicted"),
        Segment(" may weigh "),
        Segment("up to 28 kilograms", "no_answer"),
        Segment("."),
    ]


@given(
    st.text(max_size=40),
    st.lists(st.tuples(st.integers(-3, 45), st.integers(-3, 45), st.sampled_from(GRAVITY)), max_size=6),
)  # fmt: skip
def test_no_character_is_lost_or_marked_wrongly(text, marks):
    """Each character comes out once, with the gravest of the marks that lie over it."""
    told = [part.verdict for part in cut(text, marks) for _ in part.text]
    assert "".join(part.text for part in cut(text, marks)) == text
    right = [mark for mark in marks if 0 <= mark[0] < mark[1] <= len(text)]
    for place, verdict in enumerate(told):
        over = [v for start, end, v in right if start <= place < end]
        assert verdict == min(over, key=GRAVITY.index, default="")


def test_long_texts_are_shown_around_their_marks():
    """Text far from every mark is replaced by an ellipsis; marks stay whole."""
    text = "x" * 500 + "NEEDLE" + "y" * 500 + "PIN" + "z" * 500
    parts = shorten(cut(text, [(500, 506, "no_answer"), (1006, 1009, "supported")]), 20)
    assert "".join(part.text for part in parts) == (
        " … " + "x" * 20 + "NEEDLE" + "y" * 20 + " … " + "y" * 20 + "PIN" + "z" * 20 + " … "
    )
    assert [part.text for part in parts if part.verdict] == ["NEEDLE", "PIN"]
    assert shorten(cut("short", []), 20) == [Segment("short")]
    assert "".join(part.text for part in shorten(cut("k" * 100, []), 20)) == "k" * 20 + " … "
