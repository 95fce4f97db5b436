"""The parts of the knowledge that a question is read on."""

from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.knowledge.excerpts import divide

ARTICLE = (
    "The museum opens at nine. Tickets cost eight euros. Children pay nothing. "
    "The garden behind the museum was laid out in 1890. Dogs are not allowed there."
)
OTHER = "Nobody has said a word about that day. It rained."
QUESTION = "When was the garden laid out?"


def test_a_question_is_read_first_on_the_sentences_that_share_its_rare_words():
    """With neighbours, and then on the others; sentences that follow each other stay as they are."""
    (first,), rest = divide(QUESTION, [OTHER, ARTICLE], 18)
    assert first.passage == 1
    assert first.text.endswith(
        "The garden behind the museum was laid out in 1890. Dogs are not allowed there."
    )
    assert [one.passage for one in rest] == [0, 1]
    assert rest[0].text == OTHER
    assert "The museum opens at nine." in rest[1].text


def test_what_is_short_has_no_sentences_or_is_read_by_the_papers_rules_is_read_whole():
    """Each passage on its own; a table cannot be chosen from."""
    table = "room price " * 40
    for knowledge, words in (([OTHER, ARTICLE], 80), ([OTHER, table], 20), ([ARTICLE] * 9, None)):
        first, rest = divide(QUESTION, knowledge, words)
        assert [(one.passage, one.text) for one in first] == list(enumerate(knowledge))
        assert rest == []


@given(
    st.lists(st.lists(st.sampled_from(ARTICLE.split(". ")), min_size=1), min_size=1, max_size=4),
    st.integers(10, 40),
)
def test_each_sentence_is_read_once_and_keeps_its_place(passages, words):
    """A place in an excerpt is that of the same words in the passage."""
    knowledge = [".  ".join(sentences) for sentences in passages]
    first, rest = divide(QUESTION, knowledge, words)
    read = [word for one in (*first, *rest) for word in one.text.split()]
    assert sorted(read) == sorted(word for passage in knowledge for word in passage.split())
    for one in (*first, *rest):
        for begin in one.begins:
            start, end = one.in_passage(begin, begin + 5)
            assert knowledge[one.passage][start:end] == one.text[begin : begin + 5]


def test_an_answer_ends_where_its_sentences_end():
    """The text that follows in the excerpt does not follow in the passage."""
    (first,), _ = divide("What do tickets cost, are dogs allowed?", [ARTICLE], 12)
    assert len(first.begins) == 2
    gap = first.begins[1] - 1
    start, end = first.in_passage(gap - 8, gap + 5)
    assert ARTICLE[start:end] == first.text[gap - 8 : gap]
