"""Questions by the rules, answerable and not."""

import pytest

from lab.training.examples.replies import by_rules
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
