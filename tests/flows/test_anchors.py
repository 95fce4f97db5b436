"""Tests of the sixty labelled replies by which profiles are checked."""

import re
from collections import Counter

import numpy as np
import pytest

from qsquared.flows.profile_check import anchors
from qsquared.method.roc_auc import roc_auc


def test_each_knowledge_has_one_supported_and_one_unsupported_reply():
    """Sixty different replies, thirty of either kind, in pairs of the same knowledge."""
    found = anchors()
    assert len({one.response for one in found}) == len({one.id for one in found}) == 60
    assert set(Counter(str(one.knowledge) for one in found).values()) == {2}
    for first, second in zip(found[::2], found[1::2], strict=True):
        assert (first.supported, second.supported) == (True, False)
        assert (first.knowledge, first.history) == (second.knowledge, second.history)


@pytest.mark.parametrize(
    "measure",
    [
        lambda one: _share(one.response, str(one.knowledge)),
        lambda one: len(one.response.split()),
    ],
    ids=["shared words", "length"],
)
def test_a_look_at_words_does_not_tell_the_label(measure):
    """Neither shared words nor length are far from chance."""
    labels = np.array([float(one.supported) for one in anchors()])
    values = np.array([float(measure(one)) for one in anchors()])
    assert 0.4 < roc_auc(labels, values) < 0.6


def _share(response, knowledge):
    known, said = (re.findall(r"\w+", text.lower()) for text in (knowledge, response))
    return sum(word in set(known) for word in said) / len(said)
