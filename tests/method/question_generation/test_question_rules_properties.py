"""Properties of the rules that hold for any text, however badly it is parsed."""

from __future__ import annotations

import pytest

from qsquared.language.spacy_parser import SpacyParser
from qsquared.method.question_generation import generate
from qsquared.records import ParsedText, Span, Token

ODD_TEXTS = (
    "🙂🙂 wow 🙂",
    "...!?",
    "?",
    "a",
    "42",
    "i ' m not sure , but they ' ve been around since the early 1900 ' s !",
    "he didn ' t know that it ' s mary ' s dog , did he ?",
    "The cat\nsat on\n\nthe mat in 1999 .\n",
    "  leading blanks, and\ttabs\there  ",
    "because of which whose who whom that which",
    "She said \u201cthe \u2018Old\u2019 House\u201d (built in 1850) is hers \u2014 really?!",
    '" " ( ) [ unpaired " quotes (and brackets',
    "Élodie Dupré n'habite pas à Genève, 日本語 テスト",
    "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo",
    "no verbs here, only nouns, commas, and 3 numbers: 1, 2, 3.",
    "http://example.org/a?b=c&d=e is a link to me@example.org",
    "not being there having been seen to be going",
    "'s 's n't 've",
    "It was said that he was told that they were thought to have been known to be happy.",
    " ".join(["the old painter from Oslo painted 12 grey boats and"] * 12) + " left .",
)


@pytest.fixture(scope="module")
def parses() -> list[ParsedText]:
    """The odd texts, parsed once."""
    return SpacyParser().parse(ODD_TEXTS)


def spans_of(parsed: ParsedText) -> list[Span]:
    """Every entity, noun chunk, token and pair of neighbouring tokens as a span."""
    places = [(c.start, c.end, c.label) for c in (*parsed.entities, *parsed.noun_chunks)]
    places += [(t.start, t.end, "") for t in parsed.tokens]
    places += [(a.start, b.end, "") for a, b in zip(parsed.tokens, parsed.tokens[1:], strict=False)]
    return [
        Span(start, end, parsed.text[start:end], "entity" if label else "noun_chunk", label)
        for start, end, label in places[:400]
    ]


@pytest.mark.parametrize("own_clause", [False, True])
@pytest.mark.parametrize("number", range(len(ODD_TEXTS)))
def test_every_span_with_a_letter_or_digit_has_a_question(
    parses: list[ParsedText], number: int, own_clause: bool
) -> None:
    """A span with a letter or digit has 1 to 5 questions; another span has none."""
    for span in spans_of(parses[number]):
        questions = generate(parses[number], span, own_clause=own_clause)
        is_asked = any(c.isalnum() for c in span.text)
        assert (1 if is_asked else 0) <= len(questions) <= (5 if is_asked else 0), span


@pytest.mark.parametrize("number", range(len(ODD_TEXTS)))
def test_questions_are_distinct_sentences(parses: list[ParsedText], number: int) -> None:
    """Questions of one span differ, hold a word, end in one question mark and have no rough blanks."""
    for span in spans_of(parses[number]):
        texts = [q.question for q in generate(parses[number], span)]
        assert len({t.casefold() for t in texts}) == len(texts)
        for text in texts:
            assert text.endswith("?")
            assert any(c.isalnum() for c in text)
            assert text == text.strip()
            assert "\n" not in text
            assert "  " not in text


def test_limit_bounds_the_questions(parses: list[ParsedText]) -> None:
    """No more questions come than the limit, and the best one does not depend on it."""
    parsed = parses[5]
    for span in spans_of(parsed):
        best = generate(parsed, span, limit=5)
        for limit in (1, 2, 3):
            fewer = generate(parsed, span, limit=limit)
            assert len(fewer) <= limit
            assert fewer[:1] == best[:1]


def test_a_window_of_a_long_sentence_is_bounded(parses: list[ParsedText]) -> None:
    """The question in place of a very long clause is cut to the words around the span."""
    parsed = parses[-1]
    middle = parsed.tokens[len(parsed.tokens) // 2]
    span = Span(middle.start, middle.end, middle.text, "noun_chunk")
    assert len(generate(parsed, span)[-1].question.split()) <= 60


def test_a_parse_with_a_cycle_does_not_hang() -> None:
    """Heads that point at each other still give a question."""
    text = "cats like fish"
    tokens = (
        Token("cats", 0, 4, "cat", "NOUN", "NNS", "nsubj", 1, ""),
        Token("like", 5, 9, "like", "VERB", "VBP", "conj", 2, ""),
        Token("fish", 10, 14, "fish", "NOUN", "NN", "conj", 1, ""),
    )
    parsed = ParsedText(text, tokens, ((0, 3),), (), ())
    assert generate(parsed, Span(10, 14, "fish", "noun_chunk"))


def test_a_parse_without_sentences_is_one_sentence() -> None:
    """A parser that found no sentence bounds is served as well."""
    token = Token("Oslo", 0, 4, "Oslo", "PROPN", "NNP", "ROOT", 0, "GPE")
    parsed = ParsedText("Oslo", (token,), (), (), ())
    assert [q.question for q in generate(parsed, Span(0, 4, "Oslo", "entity", "GPE"))] == [
        "What place?"
    ]
