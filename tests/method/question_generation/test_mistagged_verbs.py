"""Main verbs that the parser takes for other words.

`verbs_like_nouns.tsv` has sentences around the list of that name (``words.toml``), for measuring only.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from qsquared.language.spacy_parser import SpacyParser
from qsquared.method.question_generation import generate
from qsquared.method.question_generation.sentence.mistagged_verbs import mended
from qsquared.method.question_generation.sentence.tree import Tree, plant, sentence_of
from tests.method.question_generation.test_question_rules import span_in

HELD_OUT = Path(__file__).parent / "verbs_like_nouns.tsv"

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


def trees(*, with_verb: bool) -> list[tuple[str, Tree]]:
    """Return the held-out sentences as parsed, with their main verb or without one of the list."""
    lines = HELD_OUT.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    chosen = [(verb, sentence) for verb, sentence in rows if bool(verb) == with_verb]
    parsed = SpacyParser().parse([sentence for _, sentence in chosen])
    return [
        (verb, plant(one, *sentence_of(one, 0)))
        for (verb, _), one in zip(chosen, parsed, strict=True)
    ]


def test_verbs_spelt_as_nouns_are_found_in_held_out_sentences() -> None:
    """The rules find nine of ten, more than the parser finds by itself."""

    def is_found(verb: str, tree: Tree) -> bool:
        return any(
            tree.is_root(i) and tree.is_verb(i) and tree.lower(i) == verb for i in tree.indices
        )

    held_out = trees(with_verb=True)
    found = [is_found(verb, mended(tree)) for verb, tree in held_out]
    assert sum(found) >= 0.9 * len(found) > 30
    assert sum(found) > sum(is_found(verb, tree) for verb, tree in held_out)


def test_nouns_spelt_as_verbs_stay_nouns_in_held_out_sentences() -> None:
    """The rules leave such sentences as the parser reads them."""
    held_out = [tree for _, tree in trees(with_verb=False)]
    assert len(held_out) >= 12
    assert all(mended(tree) == tree for tree in held_out)
