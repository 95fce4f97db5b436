"""Informative spans and personal questions, on hand-made parses."""

import pytest

from qsquared.method.q2.personal import is_personal, may_be_personal
from qsquared.method.q2.spans import extract_spans
from qsquared.records import Chunk, ParsedText, Token


def parse_with(text, entities=(), chunks=()):
    """A parse of which only the chunks matter; each is given by its text and label."""

    def at(part, label=""):
        start = text.index(part)
        return Chunk(start, start + len(part), label)

    return ParsedText(
        text, (), (), tuple(at(p, label) for p, label in entities), tuple(at(p) for p in chunks)
    )


def question(*tokens):
    """A parse of a question given as (text, dependency) of its tokens."""
    made = tuple(Token(t, 0, 0, t, "", "", dep, 0, "") for t, dep in tokens)
    return ParsedText(" ".join(t for t, _ in tokens), made, (), (), ())


def test_entities_come_first_and_equal_chunks_are_left_out():
    """An entity keeps its type, and a noun chunk with the same text is not asked twice."""
    parsed = parse_with(
        "bob ross painted trees",
        entities=[("bob ross", "PERSON")],
        chunks=["bob ross", "trees"],
    )
    found = [(s.text, s.kind, s.label, s.start, s.end) for s in extract_spans(parsed)]
    assert found == [("bob ross", "entity", "PERSON", 0, 8), ("trees", "noun_chunk", "", 17, 22)]


def test_spans_are_distinct_regardless_of_case():
    """The first of two spans that differ only in case stays."""
    text = "Cats like cats"
    parsed = ParsedText(text, (), (), (), (Chunk(0, 4), Chunk(10, 14)))
    assert [(s.text, s.start) for s in extract_spans(parsed)] == [("Cats", 0)]


def test_the_pronoun_i_is_no_span_but_other_pronouns_are():
    """Only "I" is left out, as in the paper."""
    parsed = parse_with("I think it rains", chunks=["I", "it"])
    assert [s.text for s in extract_spans(parsed)] == ["it"]


def test_offsets_are_trimmed_of_white_space():
    """A chunk that begins or ends with a space still cuts its own text out of the response."""
    text = "in  1983 \n it"
    parsed = ParsedText(text, (), (), (Chunk(3, 10, "DATE"),), (Chunk(9, 10),))
    (span,) = extract_spans(parsed)
    assert span.text == "1983" == text[span.start : span.end]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs €7.95 now.", "€7.95"),
        ("It costs £ 7.95 now.", "£ 7.95"),
        ("It costs 7.95 now.", "7.95"),
        ("€7.95 is what it costs.", "€7.95"),
        ("It costs €, or 7.95 now.", "7.95"),
    ],
)
def test_an_amount_has_the_sign_of_money_before_it(text, expected):
    """The parser leaves the sign out, and so does the paper."""
    parsed = parse_with(text, entities=[("7.95", "MONEY")])
    (span,) = extract_spans(parsed, with_units=True)
    assert span.text == expected == text[span.start : span.end]
    assert [span.text for span in extract_spans(parsed)] == ["7.95"]


def test_an_amount_has_what_follows_its_slash():
    """The parser and the paper end it before."""
    parsed = parse_with("Winds of 50 km/h or more.", entities=[("50 km", "QUANTITY")])
    (span,) = extract_spans(parsed, with_units=True)
    assert span.text == "50 km/h"
    assert [span.text for span in extract_spans(parsed)] == ["50 km"]


@pytest.mark.parametrize(
    ("tokens", "personal"),
    [
        ([("What", "dobj"), ("do", "aux"), ("I", "nsubj"), ("like", "ROOT")], True),
        ([("What", "dobj"), ("do", "aux"), ("You", "nsubj"), ("like", "ROOT")], True),
        ([("What", "attr"), ("is", "ROOT"), ("my", "poss"), ("color", "nsubj")], True),
        ([("Where", "advmod"), ("is", "ROOT"), ("your", "poss"), ("dog", "nsubj")], True),
        ([("Where", "advmod"), ("was", "auxpass"), ("I", "nsubjpass"), ("born", "ROOT")], True),
        ([("What", "nsubj"), ("surprised", "ROOT"), ("you", "dobj")], False),
        ([("Who", "nsubj"), ("painted", "ROOT"), ("trees", "dobj")], False),
        ([("What", "attr"), ("is", "ROOT"), ("his", "poss"), ("name", "nsubj")], False),
    ],
)
def test_personal_questions_are_recognised_by_subject_and_possessive(tokens, personal):
    """ "I"/"you" as subject or "my"/"your" as possessive make a question personal."""
    assert is_personal(question(*tokens)) is personal


def test_questions_about_the_addressee_are_asked_where_they_are_wanted():
    """A question about "I" or "my" is personal all the same."""
    about_you = question(("What", "dobj"), ("can", "aux"), ("you", "nsubj"), ("block", "ROOT"))
    about_me = question(("What", "dobj"), ("do", "aux"), ("I", "nsubj"), ("like", "ROOT"))
    assert not is_personal(about_you, second_person=True)
    assert is_personal(about_me, second_person=True)


@pytest.mark.parametrize("word", ["I", "you", "My", "YOUR", "I'm", "Im", "youre", "you'd", "(I)"])
def test_a_question_that_may_be_personal_is_parsed(word):
    """Each way of writing the four words is noticed without a parse."""
    assert may_be_personal(f"What does {word} like?")


@pytest.mark.parametrize(
    "question",
    ["Who is it?", "Which ion is in Miami?", "What enemy hour is this?", "", "10-a-day?"],
)
def test_a_question_without_the_four_words_needs_no_parse(question):
    """Words that merely hold their letters do not count."""
    assert not may_be_personal(question)
