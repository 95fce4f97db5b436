"""HTML in replies, and prose that looks like it."""

import pytest

from qsquared.method.plain.markup.blocks import plain_text


@pytest.mark.parametrize(
    ("logged", "plain"),
    [
        (
            '<a title="Home > Help" href="https://a.example">The museum</a> is open.',
            "The museum is open.",
        ),
        ("<p>R&D; &#x; &#65;<b>CD</b></p>", "R&D; &#x; ACD"),
        (
            "The <script> tag runs code, and <style> sets colours.",
            "The  tag runs code, and  sets colours.",
        ),
        (
            "<script>if (a < b) alert('<p>no</p>');</script>The museum is open.",
            "The museum is open.",
        ),
        ("<P CLASS=x>The museum<BR/>is open.</P>", "The museum\nis open."),
        ("a <b and c> d </b> e", "a  d  e"),
        ("<!-- 5 > 4 <b> -->The museum is <![CDATA[open]]>.", "The museum is open."),
        (
            "See <https://a.example/> or <mail@a.example>.",
            "See https://a.example/ or <mail@a.example>.",
        ),
        ("5 m<sup>2</sup> are free<sup>2</sup>.", "5 m2 are free."),
        ("<>, </>, </ p> and <p stay", "<>, </>, </ p> and <p stay"),
    ],
)
def test_tags_are_taken_out_and_other_words_stay(logged, plain):
    """A tag ends where a browser ends it, and what is no tag is text."""
    assert plain_text(logged).text == plain


def test_words_between_tags_stand_in_the_log():
    """Words keep their places behind tags over several lines."""
    logged = '<ul\n class="a">\n<li>The <b\n>museum</b\n> is\nopen.</li></ul>'
    plain = plain_text(logged)
    for word in ("The", "museum", "is", "open"):
        start = plain.text.index(word)
        first, end = plain.logged(start, start + len(word))
        assert logged[first:end] == word
