"""Prefect flow that trains a classifier of replies; each step runs once, a killed one resumes."""

from pathlib import Path
from typing import Any

from prefect import flow, task

from lab.training.begin.steps import Receipt, SilverRequest, fit_step, silver_step
from lab.training.encoders.fit import Settings


@task(name="silver", persist_result=False)
def make_examples(request: SilverRequest) -> Receipt:
    """Make the silver examples."""
    return silver_step(request)


@task(name="fit", task_run_name="fit {name}", persist_result=False)
def fit_classifier(
    request: SilverRequest, base: str, name: str, settings: Settings, number: int, _after: Receipt
) -> Receipt:
    """Train a classifier on them."""
    return fit_step(request, Path(base), name, settings, number)


@flow(name="train-begin", validate_parameters=False, persist_result=False)
def train_begin(
    request: SilverRequest, base: str, name: str, settings: Settings, number: int
) -> dict[str, Any]:
    """Make silver examples, then train a classifier on them, from a base encoder or an NLI model.

    Args:
        request: the sources of the examples, and the folder of all outputs.
        base: folder of the encoder to start from; one trained on NLI makes it "one after the other".
        name: folder of the checkpoint, below ``request.out``.
        settings: length and rate of the training.
        number: examples to train on, equally many of each class.

    Returns:
        The receipts of both steps.
    """
    silver = make_examples(request)
    fitted = fit_classifier(request, base, name, settings, number, silver)
    return {"silver": silver, "fit": fitted}
