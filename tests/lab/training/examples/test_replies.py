"""Replies for the entailment model: the same statement is said by one text and not by another."""

import random
from collections import defaultdict

import pytest

from lab.training.examples.replies import SMALL_TALK, as_reply, reply_pairs
from lab.training.examples.statements import Frame
from lab.training.mixture.reading import Reading

NAMES = ["Oslo", "Lima", "Cairo", "Perth", "Turin", "Quito", "Dakar", "Seoul"]
TEXT = " ".join(
    f"The mill of {name} was built by Anna {name[::-1].title()} in {1900 + i}."
    for i, name in enumerate(NAMES)
)


@pytest.fixture(scope="module")
def made():
    """Pairs from eight mills: who built each, and when, asked several times."""
    readings, frames = [], {}
    for i, name in enumerate(NAMES):
        for copy in range(6):
            who = f"Who built the mill of {name}? {copy}"
            frames[who] = Frame("", f"built the mill of {name}", "", False, "")
            readings.append(Reading("squad/Mills", who, TEXT, (f"Anna {name[::-1].title()}",)))
            when = f"When was the mill of {name} built? {copy}"
            subject = f"the mill of {name}"
            frames[when] = Frame(f"{subject} was built", "", "", True, subject)
            readings.append(Reading("squad/Mills", when, TEXT, (str(1900 + i),)))
    return reply_pairs(readings, frames.get, seed=5)


def test_an_entailed_reply_is_said_by_its_premise(made):
    """Every name and year of an entailed reply is in its premise."""
    entailed = [pair for pair in made if pair.label == "entailment"]
    assert len(entailed) >= 96
    for pair in entailed:
        for name in (*NAMES, *(n[::-1].title() for n in NAMES), *map(str, range(1900, 1908))):
            if name in pair.hypothesis:
                assert name in pair.premise


def test_a_reply_that_is_not_entailed_is_not_said_by_its_premise(made):
    """A true statement with another label has a premise about other mills."""
    seen = 0
    for pair in made:
        for i, name in enumerate(NAMES):
            built = f"mill of {name} was built in {1900 + i}"
            by = f"Anna {name[::-1].title()} built the mill of {name}"
            if pair.label != "entailment" and (built in pair.hypothesis or by in pair.hypothesis):
                seen += 1
                assert f"mill of {name} was" not in pair.premise or " and " in pair.hypothesis
    assert seen >= 10


def test_a_statement_has_several_labels(made):
    """The reply alone does not tell its label."""
    labels = defaultdict(set)
    for pair in made:
        labels[pair.hypothesis].add(pair.label)
    assert sum({"entailment", "neutral"} <= found for found in labels.values()) >= 5


def test_small_talk_is_neutral(made):
    """Small talk says nothing of the knowledge."""
    labels = {pair.label for pair in made if pair.hypothesis in SMALL_TALK}
    assert labels == {"neutral"}


def test_pairs_are_the_same_under_a_seed(made):
    """The making draws from its own generator only."""
    reading = Reading("squad/Mill", "Who?", "Anna built the mill in 1900.", ("Anna",))
    frame = Frame("", "built the mill", "", False, "")
    first, again = ([*reply_pairs([reading], {"Who?": frame}.get, seed=3)] for _ in range(2))
    assert first == again


def test_a_reply_keeps_the_answer():
    """Openings, pronouns and lower case never touch what the statement claims."""
    for seed in range(200):
        text = as_reply(
            "The mill was built in 1904 by Anna.", "the mill", "1904", random.Random(seed)
        )
        assert "1904 by anna" in text.lower()
        assert "mill" in text.lower() or "it was" in text.lower()
