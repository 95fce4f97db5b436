"""Exact match and F1 of a reader, as SQuAD's own evaluation."""

from lab.training.reading_figures import figures
from lab.training.sources.reading import Reading
from qsquared.records import Answer

QUESTION = Reading("squad/a", "Who?", "The Anna of Rome sings.", ("the Anna of Rome", "Anna"))
UNANSWERED = Reading("squad/a", "When?", "Anna sings.", ())


def answer(text, score=2.0, no_answer=0.0):
    """An answer with its scores."""
    return Answer(text, 0, len(text), score, no_answer, 1)


def test_the_best_of_the_annotators_answers_counts():
    """Without case, punctuation and articles."""
    found = figures([QUESTION], [answer("ANNA, of Rome")], threshold=0.0)
    assert (found.answerable, found.exact, found.f1) == (1, 1.0, 1.0)
    part = figures([QUESTION], [answer("of Rome")], threshold=0.0)
    assert (part.exact, part.f1) == (0.0, 0.8)


def test_an_answer_below_the_threshold_is_a_refusal():
    """It is wrong on a question with an answer and right on one without."""
    unsure = answer("Anna", score=0.0, no_answer=1.0)
    found = figures([QUESTION, UNANSWERED], [unsure, unsure], threshold=0.5)
    assert (found.exact, found.refused_answerable, found.refused_unanswerable) == (0.0, 1.0, 1.0)
    bold = figures([QUESTION, UNANSWERED], [unsure, unsure], threshold=1.5)
    assert (bold.exact, bold.refused_answerable, bold.refused_unanswerable) == (1.0, 0.0, 0.0)
