"""Questions on replies and questions by the rules, answerable and not."""

import pytest

from lab.training.examples.reply_questions import by_rules, on_replies
from lab.training.examples.statements import Frame
from lab.training.mixture.reading import Reading
from qsquared.language.spacy_parser import SpacyParser

NAMES = ["Oslo", "Lima", "Cairo", "Perth", "Turin", "Quito"]
READINGS = [
    Reading(
        f"squad/{name}",
        f"Who built the mill of {name} in {1900 + i}?",
        f"Anna built the mill of {name} in {1900 + i}. Paul sold the farm of {name} to the school.",
        ("Anna",),
    )
    for i, name in enumerate(NAMES * 4)
]


@pytest.fixture(scope="module")
def by_rule():
    """Examples by the rules of the pipeline."""
    return by_rules(READINGS, SpacyParser(), ["Dakar", "Seoul"], seed=1)


def test_a_question_by_the_rules_is_answered_by_its_span(by_rule):
    """The span is at the offsets, in a sentence that may have a neighbour."""
    answered = [e for e in by_rule if e.kind == "rule"]
    assert len(answered) >= 40
    for example in answered:
        span = example.text[example.start : example.end]
        assert span == span.strip() != ""
        assert span not in example.question


def test_a_changed_text_answers_no_question(by_rule):
    """A twin without answer has another text than the answerable question had."""
    texts = {(e.question, e.text) for e in by_rule if e.kind == "rule"}
    broken = [e for e in by_rule if e.kind != "rule"]
    assert {e.kind for e in broken} >= {"rule_swapped", "rule_beside"}
    assert all(e.start == -1 and (e.question, e.text) not in texts for e in broken)


def test_replies_answer_the_questions_that_they_came_from():
    """The answer is at its offsets in the reply, whatever surrounds it."""
    frames = {r.question: Frame("", r.question[4:-1], "", False, "") for r in READINGS}
    examples = on_replies(READINGS, frames.get, seed=1)
    told = [e for e in examples if e.kind == "reply"]
    assert len(told) == len(READINGS)
    assert {e.text[e.start : e.end].lower() for e in told} == {"anna"}
    assert len({e.text.split()[0] for e in told}) > 3
