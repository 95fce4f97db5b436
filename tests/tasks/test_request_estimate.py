"""Tests of the estimate of requests to servers, by the lengths of texts."""

import pytest

from qsquared.profiles.loading import get_profile
from qsquared.tasks.jobs.in_memory import pair_row
from qsquared.tasks.jobs.request_estimate import estimate
from tests.language.endpoint.server import profile_file

REPLY = "Ann has two cats and a dog. They sleep."
"""Nine words in two sentences, so three questions of four words each."""


def estimated(folder, *roles, replies=1):
    """The estimate for equal replies by a profile of which a server plays some roles."""
    more = "input_price = 1000000.0"
    file = profile_file(folder, "http://localhost:9/v1", roles, more)
    pairs = [pair_row(REPLY, ["Ann has cats."])] * replies
    return estimate(get_profile("mine", file), ("q2",), pairs)


@pytest.mark.parametrize(
    ("role", "requests"),
    [("question_generation", 1), ("question_answering", 6), ("entailment", 3)],
)
def test_each_role_is_asked_by_words_and_sentences(tmp_path, role, requests):
    """One request for all questions, two readings a question, a judgement a sentence and for a third of them."""
    found = estimated(tmp_path, role)
    assert found.requests == requests
    assert found.cost == found.input_tokens
    assert estimated(tmp_path, role, replies=10).requests == 10 * requests


def test_without_a_server_there_is_nothing_to_estimate(tmp_path):
    """A profile of models alone asks nobody."""
    assert estimated(tmp_path) is None
