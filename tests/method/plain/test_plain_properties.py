"""Offsets of plain text over arbitrary text."""

from dataclasses import asdict
from unicodedata import normalize

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from qsquared.method.plain.markup.blocks import plain_text
from qsquared.method.plain.markup.offset_mapping import Mapped, from_runs
from qsquared.method.plain.reply import reply_sentences
from qsquared.method.plain.reply_claims import claims_of

MARKUP = st.sampled_from(
    [
        "**",
        "*",
        "_",
        "__",
        "`",
        "```",
        "~~",
        "[",
        "]",
        "(",
        ")",
        "[a](b)",
        "![a](b)",
        "[1]",
        "[^1]",
        "[^1]:",
        "[doc2]",
        "【4†a】",
        "¹",
        "^1",
        "<b>",
        "</b>",
        "<p>",
        "</p>",
        "<br>",
        "<li>",
        "<td>",
        "<tr>",
        "<th>",
        "<sup>1</sup>",
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<a",
        "<x>",
        "&",
        "&amp;",
        "&#65;",
        "&#x1F600;",
        "&nbsp;",
        "&zzz;",
        "|",
        "|-|-|",
        "#",
        "##",
        ">",
        "-",
        "1.",
        "---",
        "===",
        "😊",
        "👍🏽",
        "🇩🇪",
        ":)",
        ":smile:",
        "\u200b",
        "\ufeff",
        "\\*",
        "Sources:",
        '{"answer": "',
        '"}',
        "\\u00e9",
        "<think>",
        "</think>",
        "<answer>",
        "</answer>",
        "--",
        "(Source:",
        "a)",
        "https://a.b",
        "Hi",
        "Yes,",
        "sorry,",
        "thanks!",
        "regards,",
        "According",
        "to",
        "our",
        "help",
        "article,",
        ".",
        "!",
        "?",
        "…",
        ",",
        ";",
        ":",
        "'",
        '"',
        "ß",
        "İ",
        "ﬁ",
        "é",
    ]
)
PIECES = st.one_of(
    MARKUP, st.sampled_from([" ", "\n", "\n\n", "\t", "\r\n", "\u2028"]), st.text(max_size=8)
)
TEXTS = st.lists(PIECES, max_size=30).map("".join)


@given(TEXTS)
@settings(max_examples=500)
def test_each_letter_stands_in_the_log(logged):
    """A letter or digit of the claims is the logged one, or stands for several, such as an entity or a ligature."""
    rows = [asdict(one) | {"sentence": 0, "error": None} for one in reply_sentences(logged)]
    claims = claims_of(rows)
    text = claims.text
    assert claims.spelled.upper() == text.text.upper()
    last = 0
    for character, start, end in zip(claims.spelled, text.starts, text.ends, strict=True):
        assert last <= start <= end <= len(logged) or (start, end) == (text.starts[0], text.ends[0])
        last = start
        if character.isalnum():
            source = logged[start:end]
            assert source == character or len(source) > 1 or character in normalize("NFKC", source)


@given(TEXTS)
@settings(max_examples=300)
def test_sentences_are_in_order_and_in_the_log(logged):
    """Bounds of sentences are in the reply, one after another, and hold their words."""
    last = 0
    for sentence in reply_sentences(logged):
        assert last <= sentence.start <= sentence.end <= len(logged)
        assert 0 <= sentence.claim_start <= sentence.claim_end <= len(sentence.text)
        last = sentence.start


@given(TEXTS)
def test_runs_give_the_map_back(logged):
    """The stored runs are the whole map."""
    text = plain_text(logged)
    read = from_runs(text.text, text.runs())
    for start in range(len(text.text)):
        assert read.logged(start, start + 1) == text.logged(start, start + 1) or (
            text.starts[start] == text.ends[start]
        )


@given(st.text(alphabet="abcXYZ äß.,?!'\"", max_size=200))
def test_text_without_markup_is_its_own_plain_text(logged):
    """Nothing but white space at the ends is lost."""
    assert plain_text(logged).text == logged.strip()


@given(st.text(alphabet="ab *_`[]()<>&1.\n😊", max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_edits_keep_the_map(logged, one, other):
    """Replaced characters map to all that they replace, the others to themselves."""
    start, end = sorted((min(one, len(logged)), min(other, len(logged))))
    edited = Mapped.of(logged).edited([(start, end, "xy")])
    assert edited.text == f"{logged[:start]}xy{logged[end:]}"
    assert edited.logged(start, start + 2) == ((start, end) if start < end else (start, start))
    assert edited.logged(0, start) == (0, start)


WORDS = st.lists(
    st.sampled_from(["museum", "open", "is", "Monday", "twelve"]), min_size=1, max_size=5
)
MARKED = WORDS.map(" ".join).flatmap(
    lambda words: st.sampled_from(
        [
            words,
            f"**{words}**",
            f"*{words}*",
            f"_{words}_",
            f"`{words}`",
            f"[{words}](https://a.b/c)",
            f"***{words}***",
        ]
    )
)


@given(st.lists(MARKED, min_size=1, max_size=6).map(" ".join))
def test_marks_of_markdown_are_read_as_by_a_markdown_parser(logged):
    """The plain text of a paragraph is the text that markdown-it-py finds in it."""
    (inline,) = [
        token for token in MarkdownIt("commonmark").parse(logged) if token.type == "inline"
    ]
    assert plain_text(logged).text == "".join(token.content for token in inline.children)
