"""Clauses that a question names, beside the one that a reader took."""

import pytest

from qsquared.method.knowledge.clauses import named_clause

LOANS = "Our library lends. Books may be borrowed for 28 days, films for 7 days."
PRICES = "A standard ticket costs €12, a reduced ticket €8; children under 6 enter free."


def named(question: str, passage: str, answer: str) -> str | None:
    """The text of the named clause."""
    start = passage.index(answer)
    found = named_clause(question, passage, start, start + len(answer))
    return passage[slice(*found)] if found else None


@pytest.mark.parametrize(
    ("question", "passage", "answer", "clause"),
    [
        ("How long may films be borrowed?", LOANS, "28 days", "films for 7 days."),
        ("How long may books be borrowed?", LOANS, "7 days", "Books may be borrowed for 28 days"),
        ("How much does a reduced ticket cost?", PRICES, "€12", "a reduced ticket €8"),
    ],
)
def test_a_question_about_one_thing_is_answered_from_its_clause(question, passage, answer, clause):
    """Its words are those of the other clause."""
    assert named(question, passage, answer) == clause


def test_a_question_about_a_value_is_answered_from_the_clause_that_has_it():
    """The reader's clause has another value of the same kind."""
    assert named("What may be borrowed for 7 days?", LOANS, "Books") == "films for 7 days."


@pytest.mark.parametrize(
    ("question", "passage", "answer"),
    [
        ("How long may films be borrowed?", LOANS, "7 days"),
        ("What may be borrowed for 14 days?", LOANS, "Books"),
        ("What does breakfast cost?", "A room costs $80 and breakfast is at 8 am.", "$80"),
        ("When was Ann born?", "Ann was born in 1990 and died in 2001.", "1990"),
        ("How long may films be borrowed?", "Books for 28 days. Films for 7 days.", "28 days"),
    ],
    ids=["right clause", "value of neither", "other kind of value", "own words", "other sentence"],
)
def test_another_answer_stays_where_it_is(question, passage, answer):
    """Only a clause of the same sentence with a value of the same kind can be named instead."""
    assert named(question, passage, answer) is None
