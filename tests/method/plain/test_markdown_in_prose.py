"""Prose that a parser of Markdown alone would read wrongly, and what is taken from its parse."""

import pytest

from qsquared.method.plain.markup.blocks import blocks, plain_text
from qsquared.method.plain.markup.offset_mapping import Mapped
from qsquared.method.plain.reply import CLAIMS, reply_sentences
from qsquared.method.plain.reply_claims import text_of_claims


@pytest.mark.parametrize(
    ("logged", "plain"),
    [
        ("    The museum is *open*.", "The museum is open."),
        ("\tThe museum is open.", "The museum is open."),
        ("1986. It was a good year.", "1986. It was a good year."),
        ("They came in\n1986. It was a good year.", "They came in\n1986. It was a good year."),
        ("[Note]: The museum is open.", "[Note]: The museum is open."),
        ("A List<String> holds 5 < 6 and a <b.", "A List<String> holds 5 < 6 and a <b."),
        ("<name> is a field\nof the form.", "<name> is a field\nof the form."),
        ("It costs $5 and $6.", "It costs $5 and $6."),
        ("```text\nThe museum is **open**.\n```", "The museum is open."),
        ("N*E*R*D sold 5*3*2 records.", "N*E*R*D sold 5*3*2 records."),
        ("x \\* y &amp;amp; z&nbsp;a", "x * y & z a"),
    ],
)
def test_prose_is_no_markup(logged, plain):
    """Indented lines, years, labels, comparisons, amounts and fences keep their words."""
    assert plain_text(logged).text == plain


@pytest.mark.parametrize(
    ("logged", "claims"),
    [
        ("Hi Maria,\nThe museum is open.", "The museum is open."),
        ("The museum is open.\n---\nKind regards,\nAnna", "The museum is open."),
        ("The museum is open.\n-- \nAnna", "The museum is open."),
        ("a) It is open.\nb) It is free.", "It is open. It is free."),
        ("The fee is:\n1) 5 euros for children.\n2) 9 euros for all.", None),
        ("It was\nopen until\nten.", "It was open until ten."),
    ],
)
def test_a_line_break_ends_what_it_ends_in_a_chat(logged, claims):
    """Short lines stand alone, full lines go on, and a rule below a sentence makes no heading of it."""
    found = text_of_claims(logged, CLAIMS)
    assert found == (claims or "The fee is: 5 euros for children. 9 euros for all.")


@pytest.mark.parametrize(
    ("logged", "kinds"),
    [
        ("It is open.[^1]\n\n[^1]: Visitor guide", ["text", "source"]),
        ("It is open.\n\n[Visitor guide](https://a.example)", ["text", "source"]),
        (
            "It is open.\n\nSources:\n1. [Guide](https://a.example)\n2. a.pdf",
            ["text"] + ["source"] * 3,
        ),
        ("It is open.\n\n[1]: https://a.example", ["text", "source"]),
        ("| Name | Price |\n|---|---|\n| Cat | 40 |", ["heading", "text"]),
        ("<table><tr><th>Name<th>Price<tr><td>Cat<td>40</table>", ["heading", "text"]),
        ("Opening hours\n-----\nIt is open.", ["heading", "text"]),
    ],
)
def test_sources_footnotes_tables_and_headings_come_from_the_parse(logged, kinds):
    """A block is of the kind that its marks say."""
    found = [block.kind for block in blocks(Mapped.of(logged)) if block.kind != "gap"]
    assert found == kinds


def test_words_of_a_parse_stand_in_the_log():
    """Offsets count characters, where the parser counts bytes."""
    logged = "😊 Ünïcode – *the* **[café](https://a.example)** [1] &amp; `bar` cost 5 €."
    (sentence,) = reply_sentences(logged)
    assert sentence.text == "Ünïcode – the café & bar cost 5 €."
    plain = plain_text(logged)
    for word in ("Ünïcode", "the", "café", "bar", "5 €"):
        start = plain.text.index(word)
        first, end = plain.logged(start, start + len(word))
        assert logged[first:end] == word
