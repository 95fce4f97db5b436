"""QAGS: candidates, filtered questions, answers compared, and the K questions of the score."""

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.qags import (
    Compared,
    answer_candidates,
    answer_f1,
    most_probable,
    same_answer,
    score_answers,
    why_not_asked,
)
from qsquared.records import Chunk, GeneratedQuestion, ParsedText


def compared(f1, log_prob=None, order=(0, 1), exact=False):
    """A kept question."""
    return Compared(log_prob, order, f1, exact)


def test_at_most_ten_candidates_and_entities_first():
    """A text with more named entities and noun phrases is cut there."""
    text = " ".join(f"w{i:02d}" for i in range(14))
    chunks = tuple(Chunk(4 * i, 4 * i + 3) for i in range(14))
    parsed = ParsedText(text, (), (), entities=chunks[12:], noun_chunks=chunks[:12])
    found = [span.text for span in answer_candidates(parsed)]
    assert found == ["w12", "w13", *(f"w{i:02d}" for i in range(8))]


@pytest.mark.parametrize(
    ("question", "candidate", "why"),
    [
        ("Who sings?", "Ann", "short"),
        ("Who sings loudly?", "Ann", ""),
        ("who  sings here?", "the Ann", "duplicate"),
        ("Who sings here?", "Bob", ""),
    ],
)
def test_duplicates_and_questions_under_three_tokens_are_left_out(question, candidate, why):
    """Equal regardless of case and spaces; the same question for another candidate is asked."""
    earlier = {("who sings here?", "ann")}
    assert why_not_asked(GeneratedQuestion(question, None, "x"), candidate, earlier) == why


def test_answers_are_normalised_as_squad_does():
    """Case, punctuation and articles; unlike Q², "in" and "our" stay."""
    assert same_answer("The Cat.", "cat")
    assert not same_answer("in Rome", "Rome")
    assert answer_f1("in Rome", "Rome") == pytest.approx(2 / 3)
    assert not same_answer("the", "a")


@pytest.mark.parametrize("pair", [(None, "x"), ("x", None), (None, None)])
def test_no_answer_agrees_with_nothing(pair):
    """Not even with another missing answer."""
    assert answer_f1(*pair) == 0.0
    assert not same_answer(*pair)


def test_the_most_probable_questions_are_asked():
    """By log-probability; without any, the best question of each candidate first."""
    questions = [compared(0, -2.0, (0, 1)), compared(0, -0.5, (1, 2)), compared(0, -1.0, (2, 1))]
    assert [q.log_prob for q in most_probable(questions, 2)] == [-0.5, -1.0]
    ranked = [compared(0, None, order) for order in ((0, 1), (0, 2), (1, 1))]
    assert [q.order for q in most_probable(ranked, 2)] == [(0, 1), (1, 1)]


def test_fewer_questions_are_drawn_again_to_k_and_the_plain_mean_stands_beside():
    """With one question both are its score; with none there is none."""
    score = score_answers([compared(0.5, exact=True)], number=20)
    assert (score.qags, score.unpadded, score.exact_match, score.questions) == (0.5, 0.5, 1.0, 1)
    with pytest.raises(ValueError, match="without a question"):
        score_answers([])


def test_k_questions_or_more_draw_nothing():
    """Then padded and plain mean are one."""
    questions = [compared(i / 30, -float(i), (i, 1)) for i in range(30)]
    score = score_answers(questions, number=20)
    assert score.qags == score.unpadded == pytest.approx(fmean(i / 30 for i in range(20)))


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=19), st.integers(0, 9))
def test_the_padded_mean_is_of_the_same_questions_and_the_same_each_time(scores, seed):
    """Each question counts at least once, and the seed decides the rest."""
    questions = [compared(f1, None, (i, 1)) for i, f1 in enumerate(scores)]
    found = score_answers(questions, 20, seed)
    assert found == score_answers(questions, 20, seed)
    drawn = found.qags * 20 - sum(scores)
    missing = 20 - len(scores)
    assert missing * min(scores) - 1e-9 <= drawn <= missing * max(scores) + 1e-9
