"""Training examples: offsets, kinds of unanswerable questions, perturbations, the split."""

import random

import pytest

from lab.training.examples.perturb import names_in, negate
from lab.training.examples.qa import make_qa_examples
from lab.training.mixture.reading import is_development, read_qamr, read_squad


@pytest.fixture(scope="module")
def examples(data):
    """QA examples of the small data."""
    return make_qa_examples(
        list(read_squad(data / "squad-dev")), list(read_qamr(data / "qamr")), seed=3
    )


def test_every_question_of_squad_is_read_once(data):
    """The two versions share questions, which count once."""
    readings = list(read_squad(data / "squad-dev"))
    assert len({(r.group, r.question, r.text) for r in readings}) == len(readings) == 120


def test_qamr_answers_are_cut_from_the_detokenised_sentence(data):
    """Brackets are written as brackets, and the answer is in the text."""
    readings = list(read_qamr(data / "qamr"))
    assert all("(" in r.text and "-LRB-" not in r.text for r in readings)
    assert all(answer in r.text for r in readings for answer in r.answers)


def test_answers_stand_at_their_offsets(examples):
    """An answerable example cuts one word or more out of its text."""
    answerable = [e for e in examples if e.start >= 0]
    assert len(answerable) > 100
    assert all(e.text[e.start : e.end].strip() == e.text[e.start : e.end] != "" for e in answerable)


def test_all_kinds_of_unanswerable_questions_are_made(examples):
    """SQuAD's own, questions beside the text, swapped names or numbers, and negated texts."""
    kinds = {e.kind for e in examples if e.start < 0}
    assert kinds == {"squad2", "beside", "swapped", "negated"}


def test_examples_are_the_same_under_a_seed(data):
    """Two makings under one seed are equal, under another they are not."""
    squad, qamr = list(read_squad(data / "squad-dev")), list(read_qamr(data / "qamr"))
    assert make_qa_examples(squad, qamr, 1) == make_qa_examples(squad, qamr, 1)
    assert make_qa_examples(squad, qamr, 1) != make_qa_examples(squad, qamr, 2)


def test_names_are_capitalised_words_within_a_sentence():
    """The first word of a text tells nothing."""
    assert names_in("The tower in New York fell, said Anna") == ["New York", "Anna"]


def test_negation_is_put_in_and_taken_away():
    """An auxiliary gets a "not", and a "not" goes."""
    assert negate("It is red.", random.Random(0)) in {"It is not red.", "It is never red."}
    assert negate("It is not red.", random.Random(0)) == "It is red."
    assert negate("Red.", random.Random(0)) is None


def test_the_split_keeps_groups_whole_and_about_a_twelfth_apart():
    """A group is on one side for ever, and the development side is small."""
    held = [is_development(f"article/{i}") for i in range(2000)]
    assert held == [is_development(f"article/{i}") for i in range(2000)]
    assert 0.05 < sum(held) / len(held) < 0.11
