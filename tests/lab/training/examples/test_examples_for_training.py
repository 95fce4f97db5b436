"""Training examples: offsets, kinds of unanswerable questions, perturbations, the split."""

import random

import pytest

from lab.training.examples.nli import answer_pairs, pronoun_pairs, sentence_pairs
from lab.training.examples.perturb import change_name, change_number, names_in, negate
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


def test_pairs_of_answers_have_the_form_of_the_metric(data):
    """Premise and hypothesis are "question answer." of one question."""
    pairs = answer_pairs(list(read_squad(data / "squad-dev")), 1)
    assert {p.label for p in pairs} >= {"entailment", "contradiction"}
    for pair in pairs:
        question = pair.premise.partition("?")[0]
        assert pair.hypothesis.startswith(question + "? ")
        assert pair.premise != pair.hypothesis


def test_a_pronoun_is_entailed_by_what_it_stands_for(data):
    """One side of the pair is the annotator's answer, the other a pronoun that fits the question."""
    pairs = pronoun_pairs(list(read_squad(data / "squad-dev")), 1)
    assert {p.label for p in pairs} == {"entailment"}
    for pair in pairs:
        answers = {
            t.partition("? ")[2].rstrip(".").lower() for t in (pair.premise, pair.hypothesis)
        }
        persons = {"he", "she", "him", "her", "they", "them"}
        things = {"it", "they", "them", "this", "these"}
        assert answers & (persons if pair.premise.startswith("Who") else things)
        assert len(answers) == 2


def test_a_perturbed_sentence_differs_from_the_entailed_one(data):
    """A contradicted hypothesis is never the text of the premise."""
    texts = sorted({(r.group, r.text) for r in read_squad(data / "squad-dev")})
    pairs = sentence_pairs(texts, 1)
    assert {p.label for p in pairs} == {"entailment", "neutral", "contradiction"}
    assert all(p.hypothesis not in p.premise for p in pairs if p.label == "contradiction")


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("text", ["Built in 1887.", "It has 24 rooms", "Won three of 1,200 games"])
def test_a_changed_number_is_another_number(text, seed):
    """The rest of the text stays."""
    changed = change_number(text, random.Random(seed))
    assert changed is not None
    assert changed != text
    assert len(set(text.split()) ^ set(changed.split())) == 2


def test_a_name_is_changed_everywhere():
    """Both places of the name get the same other name."""
    changed = change_name("then Anna met Anna", ["Bob"], random.Random(0), only="Anna")
    assert changed == "then Bob met Bob"
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
