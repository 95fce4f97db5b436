"""Flat parameters of the flows: the form of a deployment, and values of a wrong type."""

import pytest
from prefect.utilities.callables import parameter_schema

from qsquared.errors import UsageError
from qsquared.flows.nightly import backfill, nightly
from qsquared.flows.rescore import rescore
from qsquared.flows.score import score
from qsquared.tasks.jobs.options import NightlyOptions, ScoreOptions, help_of

FLOWS = pytest.mark.parametrize("flow", [score, nightly, backfill, rescore], ids=lambda f: f.name)


@FLOWS
def test_the_form_of_a_deployment_has_titles_and_descriptions(flow):
    """Each parameter has a title that is no identifier, and a text that says what it does."""
    properties = parameter_schema(flow.fn).properties
    assert {"store", "profile", "metrics", "device"} <= set(properties)
    for shown in properties.values():
        assert shown["title"][0].isupper()
        assert shown["description"].endswith(".")


@FLOWS
def test_the_form_and_the_command_line_have_the_same_texts(flow):
    """Both read them from the options."""
    properties = parameter_schema(flow.fn).properties
    assert properties["device"]["description"] == help_of(ScoreOptions, "device")


def test_a_night_takes_several_metrics():
    """Without any it is Q²."""
    assert NightlyOptions(logs=[]).job.metrics == ("q2",)
    assert NightlyOptions(logs=[], metrics=("q2", "blend")).job.metrics == ("q2", "blend")


def test_a_night_takes_a_precision():
    """It reaches the job, whose scores have keys of their own for it."""
    assert NightlyOptions(logs=[], precision="int8").job.precision == "int8"


def test_a_value_of_a_wrong_type_is_refused_with_its_name():
    """The sentence names the parameter, before anything runs."""
    with pytest.raises(UsageError, match="parameter catch_up_days"):
        nightly.fn(["logs/{date}.jsonl"], catch_up_days="many")
