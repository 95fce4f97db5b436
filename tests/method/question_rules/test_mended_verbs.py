"""Main verbs that the parser takes for other words."""

from __future__ import annotations

import pytest

from qsquared.language.spacy_parser import SpacyParser
from qsquared.method.question_rules import generate
from tests.method.question_rules.test_question_rules import span_in

MENDED = (
    ("Delivery to the place of use costs $29.", "$29",
     "What does delivery to the place of use cost?"),
    ("Delta Netz deals with power cuts.", "power cuts", "What does Delta Netz deal with?"),
    ("Relocating costs you 39 euros.", "39 euros", "How many euros does relocating cost you?"),
    ("Clean the seals with water only.", "water", "With what should you clean the seals only?"),
    ("Leave room for two fingers under the collar and trim the loose end.", "room",
     "What should you leave?"),
    ("Half an hour at a fast charger gets you most of the way.", "a fast charger",
     "At what does half an hour get you most of the way?"),
)  # fmt: skip


@pytest.mark.parametrize(("sentence", "span", "expected"), MENDED)
def test_a_verb_taken_for_another_word_is_found(sentence: str, span: str, expected: str) -> None:
    """The clause of a span is found though its main verb is tagged as a noun or an adjective."""
    parsed = SpacyParser().parse([sentence])[0]
    made = generate(parsed, span_in(parsed, span), own_clause=True)
    assert expected in [question.question for question in made]
