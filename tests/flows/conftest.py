"""Flows run against the embedded API of the test session."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def _with_prefect(prefect_api):
    """Every test of this room may run a flow."""
