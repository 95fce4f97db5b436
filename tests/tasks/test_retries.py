"""Tests of the failures that are retried, by Prefect after growing, uneven pauses."""

import errno

import pytest

from qsquared.errors import InputError, ModelError, NoSpaceError, UnreachableError
from qsquared.tasks.running.retries import RETRIES, may_pass, tags_of


def raised_from(error, cause):
    """An error with a cause."""
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EIO, "input/output error"),
        OSError(errno.ESTALE, "stale file handle"),
        TimeoutError("no answer"),
        ConnectionResetError("reset by peer"),
        UnreachableError("the store does not answer"),
        raised_from(RuntimeError("the task failed"), ConnectionError("gone")),
    ],
    ids=repr,
)
def test_a_passing_failure_is_tried_again(error):
    """Disks, networks and stores that fail for a moment."""
    assert may_pass(error)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("a defect"),
        MemoryError(),
        OSError(errno.ENOSPC, "no space left on device"),
        OSError(errno.ENOMEM, "cannot allocate memory"),
        FileNotFoundError("gone"),
        PermissionError("not yours"),
        InputError("The log is no log."),
        ModelError("There is no such model."),
        raised_from(InputError("The log cannot be read."), OSError(errno.EIO, "i/o")),
        raised_from(NoSpaceError("The disk is full."), OSError(errno.EIO, "i/o")),
    ],
    ids=repr,
)
def test_a_lasting_failure_is_not_tried_again(error):
    """Bad input, a full disk, too little memory and defects are not retried."""
    assert not may_pass(error)


def test_only_models_on_a_gpu_are_tagged():
    """The limit on the tag is for tasks that take memory of a GPU."""
    models = ("question_answering",)
    assert tags_of("cuda:1", models) == ["gpu"]
    assert tags_of("cpu", models) == tags_of("cpu:0", models) == []
    assert tags_of("cuda", ()) == []


@pytest.mark.parametrize(
    ("error", "calls"), [(ConnectionError("reset"), 3), (InputError("no log"), 1)], ids=repr
)
def test_prefect_follows_the_rule(prefect_api, error, calls):
    """A task that fails twice for a moment succeeds; one with bad input fails at once."""
    from prefect import flow, task

    made = []

    @task(**RETRIES | {"retry_delay_seconds": 0.01})
    def flaky():
        made.append(1)
        if len(made) < 3:
            raise error
        return len(made)

    @flow
    def once():
        return flaky()

    state = once(return_state=True)
    assert len(made) == calls
    assert state.is_completed() == (calls == 3)
    assert RETRIES["retry_jitter_factor"] > 0
    assert RETRIES["retry_delay_seconds"] == [2, 4, 8]
