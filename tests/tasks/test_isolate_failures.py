"""Tests that a model is asked equal requests once and that failures are isolated."""

import pytest

from qsquared.errors import ModelError, NoMemoryError
from qsquared.records import Failure
from qsquared.tasks.model_requests import ask_each


def test_equal_requests_are_asked_once_and_answered_each():
    """The model sees each distinct request once, in order of first appearance."""
    seen = []

    def model(requests):
        seen.append(list(requests))
        return [r.upper() for r in requests]

    assert ask_each(model, ["a", "b", "a"]) == ["A", "B", "A"]
    assert seen == [["a", "b"]]


def test_a_failing_request_costs_only_itself():
    """The others are answered, and the failure says what was raised."""

    def model(requests):
        if "bad" in requests:
            raise ValueError("no such thing")
        return [r.upper() for r in requests]

    got = ask_each(model, ["a", "bad", "b", "c", "bad"])
    failure = Failure("The model failed: ValueError: no such thing")
    assert got == ["A", failure, "B", "C", failure]


def test_a_model_that_gives_too_few_replies_is_not_believed():
    """A reply of the wrong length fails the request instead of shifting the answers."""
    got = ask_each(lambda requests: [], ["a"])
    assert isinstance(got[0], Failure)
    assert "0 replies to 1 requests" in got[0].reason


def test_a_model_that_fails_on_everything_ends_the_run():
    """Many failures and no success are the model's fault, and say so."""

    def model(requests):
        raise RuntimeError("weights are gone")

    with pytest.raises(ModelError, match="weights are gone"):
        ask_each(model, [str(i) for i in range(40)])


def test_running_out_of_memory_is_no_failure_of_a_request():
    """If not even a minimal request fits, the run ends and no request is to blame."""

    def model(requests):
        raise MemoryError

    with pytest.raises(NoMemoryError, match="2 of 2 requests do not fit in memory"):
        ask_each(model, ["a", "b"])


def test_nothing_to_ask_loads_no_model():
    """An empty list does not call the model at all."""
    assert ask_each(lambda requests: 1 / 0, []) == []
