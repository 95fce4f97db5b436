"""The reader's examples from the questions on the claims' passages."""

import pytest

from lab.training.examples.qa import QAExample
from lab.training.passages import KEPT_APART, LONGEST_WORDS, claim_questions, read_passages


@pytest.fixture(scope="module")
def examples() -> list[QAExample]:
    """All examples of one seed."""
    return list(claim_questions(1))


def test_an_answer_stands_where_the_example_says(examples: list[QAExample]) -> None:
    """An answered question has the answer of its passage, an open one no place."""
    answers = {
        (passage.group, question.question): question.answer
        for passage in read_passages()
        for question in passage.questions
    }
    for example in examples:
        answer = answers[example.group, example.question]
        if example.start >= 0:
            assert example.text[example.start : example.end] == answer
        else:
            assert example.end == -1


def test_a_passage_is_read_whole_only_if_it_is_short(examples: list[QAExample]) -> None:
    """Whole passages have at most so many words."""
    whole = [example.text for example in examples if example.kind == "passage"]
    assert whole
    assert max(len(text.split()) for text in whole) <= LONGEST_WORDS


def test_the_writer_kept_apart_is_not_learned_from(examples: list[QAExample]) -> None:
    """No question is on a passage of the writer whose claims are for measuring."""
    apart = {passage.group for passage in read_passages() if passage.source == KEPT_APART}
    assert apart
    assert not apart & {example.group for example in examples}
