"""Flows run against the embedded API of the test session."""

import pytest

from qsquared.tasks.running import stage_runner as workbench
from tests.faults.stubbed import WordModels


@pytest.fixture(scope="session", autouse=True)
def _with_prefect(prefect_api):
    """Every test of this room may run a flow."""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder to work in, as a worker does, and models that read words and cost nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        workbench, "build_models", lambda profile, _device: WordModels(profile=profile)
    )
    workbench.open_job.cache_clear()
    yield tmp_path
    workbench.open_job.cache_clear()
