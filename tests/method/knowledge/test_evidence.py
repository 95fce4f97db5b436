"""The evidence that is chosen for each sentence of a reply."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.knowledge.evidence import (
    PAGE,
    VIEWS,
    evidence,
    judgement_of_claim,
    judgement_of_response,
    pooled,
    views,
)
from qsquared.records import Judgement

ARTICLE = (
    "The museum opens at nine. Tickets cost eight euros. Children pay nothing. "
    "The garden behind the museum was laid out in 1890. Dogs are not allowed there. "
)
FILLER = "Nobody has said anything more about the weather of that day. " * 20


def test_short_knowledge_is_read_whole():
    """All passages, joined by a space."""
    assert views("It is cheap.", ["It opens at nine.", "It is cheap."]) == (
        "It opens at nine. It is cheap.",
    )


def test_of_long_knowledge_the_sentences_that_share_rare_words_are_read():
    """As many as there is room for."""
    assert evidence("Dogs are not allowed.", [ARTICLE + FILLER], 5) == (
        "Dogs are not allowed there."
    )
    found = evidence("Tickets cost nine euros.", [ARTICLE + FILLER], 12)
    assert "Tickets cost eight euros." in found


def test_a_neighbour_of_the_best_sentence_comes_before_the_others():
    """It may say whom "they" means."""
    found = evidence("When was the garden laid out?", [FILLER + ARTICLE + FILLER], 18)
    assert "Dogs are not allowed there." in found


def test_the_chosen_sentences_are_joined_in_the_order_of_the_text():
    """The first of the text comes first."""
    found = evidence("Children pay nothing; the museum opens at nine.", [ARTICLE + FILLER], 20)
    places = [ARTICLE.find(part.strip(" .")) for part in found.split(". ")]
    assert places == sorted(places)
    assert len(places) > 1


def test_the_best_sentence_is_read_however_long_it_is():
    """There is always something to judge by."""
    long = "Tickets " + "and more tickets " * 80 + "cost eight euros."
    assert evidence("Tickets cost eight euros.", [FILLER, long], 10) == long


def test_a_sentence_of_evidence_is_in_one_passage():
    """The end of one and the beginning of the next are no sentence."""
    assert evidence("Ann sings at noon", ["Ann sings", "at noon", FILLER], 2) == "Ann sings"


def test_knowledge_without_a_word_gives_an_empty_text():
    """So that every claim is judged."""
    assert views("Ann sings.", [" "]) == (" ",)


def test_a_claim_is_judged_beside_few_words_of_a_page_and_beside_more():
    """The shorter view comes first; of a passage there is the longer one alone."""
    few, more = views("Dogs are not allowed.", [ARTICLE + FILLER])
    assert len(few.split()) <= VIEWS[0] < len(more.split()) <= VIEWS[1]
    passage = " ".join((ARTICLE + FILLER).split()[:PAGE])
    assert views("Dogs are not allowed.", [passage]) == (
        evidence("Dogs are not allowed.", [passage], VIEWS[1]),
    )


def test_a_view_that_is_sure_against_a_label_is_heard():
    """The shares are the geometric means of those of both views, summing to one."""
    found = judgement_of_claim([Judgement(0.5, 0.4, 0.1), Judgement(0.02, 0.08, 0.9)])
    assert found.label == "contradiction"
    assert found.entailment == pytest.approx(0.1 / (0.1 + 0.032**0.5 + 0.3))
    assert found.entailment + found.neutral + found.contradiction == pytest.approx(1)
    assert judgement_of_claim([Judgement(0.5, 0.4, 0.1)]) == Judgement(0.5, 0.4, 0.1)


def test_a_judgement_counts_in_a_pool_by_its_weight():
    """Of two judgements one that counts nothing changes nothing; both alike are as each."""
    first, second = Judgement(0.5, 0.4, 0.1), Judgement(0.02, 0.08, 0.9)
    assert pooled([first, second], [1, 0]).entailment == pytest.approx(0.5)
    assert pooled([first, first], [0.65, 0.35]).neutral == pytest.approx(0.4)
    nearer = pooled([first, second], [0.65, 0.35])
    assert pooled([first, second], [0.5, 0.5]).entailment < nearer.entailment < 0.5


def test_two_views_that_are_wholly_sure_of_different_labels_are_undecided():
    """As those of a judge that gives a label alone."""
    found = judgement_of_claim([Judgement(1, 0, 0), Judgement(0, 0, 1)])
    assert found.entailment == pytest.approx(found.contradiction) == pytest.approx(0.5, abs=0.01)


def test_a_clause_that_says_the_opposite_counts_alone():
    """The more contradicting for being found; a judge who surely finds it entailed is believed."""
    views = [Judgement(0.7, 0.2, 0.1)]
    found = judgement_of_claim(views, Judgement(0.2, 0.4, 0.4))
    assert found.contradiction > 0.75
    assert found.entailment + found.neutral + found.contradiction == pytest.approx(1)
    assert judgement_of_claim(views, Judgement(0.9, 0.0, 0.1)) == views[0]


def test_the_judgement_of_a_response_is_the_mean_of_its_claims():
    """A true and a false sentence are half entailed."""
    both = judgement_of_response([Judgement(1, 0, 0), Judgement(0, 0, 1)])
    assert both == Judgement(0.5, 0, 0.5)


def test_a_response_without_a_claim_is_an_error():
    """It would have no mean."""
    with pytest.raises(ValueError, match="at least one claim"):
        judgement_of_response([])


@given(st.text(max_size=200), st.lists(st.text(max_size=2000), min_size=1, max_size=3))
def test_evidence_is_no_longer_than_there_is_room_for(claim, knowledge):
    """Unless one sentence is."""
    for words in VIEWS:
        found = evidence(claim, knowledge, words)
        assert len(found.split()) <= words or found in " ".join(knowledge)


OF_EQUAL_SHARE = """
from qsquared.method.knowledge.evidence import evidence
first, second = ([f"{side}{chr(98 + n)}cde" for n in range(9)] for side in "ab")
others = [f"Plain {n} {k} {side[n]}." for n in range(9) for side in (first, second) for k in range(n)]
text = [" ".join(second) + ".", "Nothing here.", *others, "Nothing there.", " ".join(first) + "."]
print(evidence(" ".join(first + second), [" ".join(text)], 9))
"""
"""Two sentences share equally rare words with the claim, whose sum in floats differs by their order."""


def test_every_process_chooses_the_same_evidence():
    """Python hashes words anew in each process, and the words of a sentence are a set."""
    seeds = ({**os.environ, "PYTHONHASHSEED": str(seed)} for seed in range(8))
    command = [sys.executable, "-c", OF_EQUAL_SHARE]
    ran = [subprocess.run(command, env=env, capture_output=True, check=True) for env in seeds]
    assert len({one.stdout for one in ran}) == 1
