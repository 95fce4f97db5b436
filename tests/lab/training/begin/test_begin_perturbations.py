"""The transformations of BEGIN's silver data, on hand-written parses and on sentences as parsed."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.training.begin.corpus import Exchange, generic_reply
from lab.training.begin.makers import in_first_person, share_in_evidence
from lab.training.begin.perturbations import (
    negate_response,
    pools,
    replace_adjectives,
    replace_entities,
    replace_verbs,
    swap_subject_and_object,
)
from lab.training.begin.steps import make_silver, tally
from lab.training.examples.wordnet import adjective_antonyms
from qsquared.language.spacy_parser import SpacyParser
from qsquared.method.begin.taxonomy import LABELS
from qsquared.records import ParsedText

SENTENCES = {
    "song": "Elvis Presley wrote the song in 1956 and sold many records in Memphis.",
    "castle": "The old castle is not a large museum.",
    "actor": "He is a good actor.",
    "cats": "Cats chase mice.",
    "yes": "Yes!",
    "paris": "Mary visited Paris in 1990.",
}
ANTONYMS = {"old": "young", "large": "small", "good": "evil"}


@pytest.fixture(scope="module")
def parsed():
    """Name → parse of each sentence."""
    return dict(zip(SENTENCES, SpacyParser().parse(list(SENTENCES.values())), strict=True))


@pytest.mark.parametrize(
    ("name", "swapped"),
    [
        ("song", "The song wrote Elvis Presley in 1956 and sold many records in Memphis."),
        ("cats", "Mice chase cats."),
        ("yes", None),
    ],
)
def test_subject_and_object_change_places(parsed, name, swapped):
    """A name keeps its capital, another subject loses it; what has no object stays."""
    edit = swap_subject_and_object(parsed[name])
    assert (edit and edit.text) == swapped


@pytest.mark.parametrize(
    ("name", "negated"),
    [
        ("song", "Elvis Presley did not write the song in 1956 and sold many records in Memphis."),
        ("castle", "The old castle is a large museum."),
        ("actor", "He is not a good actor."),
        ("cats", "Cats do not chase mice."),
        ("yes", None),
    ],
)
def test_a_reply_is_negated_or_loses_its_not(parsed, name, negated):
    """By its auxiliary or copula, else by "do"."""
    edit = negate_response(parsed[name])
    assert (edit and edit.text) == negated


def test_adjectives_become_their_antonyms_and_articles_follow(parsed):
    """Each that has one; the record says what was replaced by what."""
    edit = replace_adjectives(parsed["castle"], ANTONYMS)
    assert edit.text == "The young castle is not a small museum."
    assert edit.replaced == (("old", "young"), ("large", "small"))
    assert replace_adjectives(parsed["actor"], ANTONYMS).text == "He is an evil actor."
    assert replace_adjectives(parsed["cats"], ANTONYMS) is None


@pytest.mark.parametrize("seed", range(6))
def test_at_most_two_verbs_or_entities_are_replaced_by_their_like(parsed, seed):
    """By others of the same tag or type, and by nothing that shares a word with the old."""
    verbs, entities = pools(parsed.values())
    assert {"wrote", "sold", "visited"} <= set(verbs["VBD"])
    text = parsed["song"]
    for edit, pool in (
        (replace_verbs(text, verbs, random.Random(seed)), verbs["VBD"]),
        (
            replace_entities(text, entities, random.Random(seed)),
            [e for found in entities.values() for e in found],
        ),
    ):
        assert 1 <= len(edit.replaced) <= 2
        assert all(new in pool and new != old for old, new in edit.replaced)
        assert all(new in edit.text for _, new in edit.replaced)


def test_a_text_without_such_words_offers_nothing(parsed):
    """Neither does an empty pool."""
    empty = ParsedText("", (), (), (), ())
    for text in (empty, parsed["yes"]):
        assert swap_subject_and_object(text) is None
        assert negate_response(text) is None
    assert replace_verbs(parsed["song"], {}, random.Random(0)) is None
    assert replace_entities(parsed["song"], {}, random.Random(0)) is None


def test_first_person_and_the_share_in_the_evidence_are_reported():
    """The paper's filter of human responses."""
    assert in_first_person("Well, I'm not sure")
    assert not in_first_person("It is in Rome, a city of mines")
    assert share_in_evidence("Bob paints houses", "bob paints") == pytest.approx(2 / 3)
    assert share_in_evidence("?!", "bob") == 0


@given(st.text(max_size=60), st.integers(0, 1000))
def test_a_generic_reply_may_follow_anything(previous, seed):
    """The same under a seed, never empty."""
    said = generic_reply(previous, random.Random(seed))
    assert said.strip()
    assert said == generic_reply(previous, random.Random(seed))


def exchanges():
    """A corpus of small sentences on four topics."""
    cities = ("Rome", "Paris", "Oslo", "Lima", "Cairo", "Perth", "Turin", "Quito")
    return [
        Exchange(
            f"e{i}",
            f"topic {i % 3}",
            f"topic {i % 3}",
            f"{name} visited the old city of {cities[i % 8]} in {1900 + i}.",
            "Who visited the city?",
            f"Yes, {name} visited the old city of {cities[i % 8]}.",
            f"{name} visited the old city of {cities[i % 8]}.",
            name,
        )
        for i, name in enumerate(["Mary", "John", "Anna", "Peter"] * 10)
    ]


def test_silver_examples_are_balanced_and_say_how_they_came_about():
    """The examples are the same under a seed, and no example of entailment speaks of its speaker."""
    made = make_silver(exchanges(), SpacyParser(), ANTONYMS, 6, seed=3)
    again = make_silver(exchanges(), SpacyParser(), ANTONYMS, 6, seed=3)
    assert made == again
    assert {label: sum(s.label == label for s in made) for label in LABELS} == dict.fromkeys(
        LABELS, 6
    )
    sources = {e.source: e for e in exchanges()}
    for silver in made:
        assert silver.transformation
        assert silver.evidence == sources[silver.source].evidence
        if silver.label == "entailment":
            assert not in_first_person(silver.response)
        if silver.label == "contradiction":
            assert silver.replaced
    assert sum(sum(counts.values()) for counts in tally(made).values()) == len(made)


def test_antonyms_are_read_from_wordnets_files(tmp_path):
    """The first sense that has one counts, and marks of position are no part of a word."""
    licence = "  1 This is a licence\n"
    (tmp_path / "data.adj").write_text(
        licence
        + "00000001 00 a 02 old 0 aged(a) 0 000 | without antonym\n"
        + "00000002 00 a 01 old 1 001 ! 00000003 a 0101 | of long duration\n"
        + "00000003 00 a 02 young(p) 0 immature 0 001 ! 00000002 a 0101 | new\n"
    )
    (tmp_path / "index.adj").write_text(
        licence + "old a 2 1 ! 2 1 00000001 00000002\nyoung a 1 1 ! 1 1 00000003\n"
    )
    found = adjective_antonyms(tmp_path, ["old", "young", "immature", "odd"])
    assert found == {"old": "young", "young": "old"}
